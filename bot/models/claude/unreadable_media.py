"""Replace images and PDFs that the server cannot read with a short text, or it would refuse every later request.

bot/core/media.py checked them before they were stored, but only the server decodes them. The notes are only in memory,
as with thinking: after a restart the server refuses once more, free of charge.
"""

from __future__ import annotations

import re

from bot.core.content_blocks import Block, text_block
from bot.core.lru_cache import LruCache
from bot.models.claude import model_texts

MOST_UNREAD_CHAPTERS = 256  # chapters whose unreadable media are kept
MEDIA = ("image", "document")
MEDIA_COMPLAINT = re.compile(r"\b(?:image|pdf|document)s?\b", re.IGNORECASE)
NAMED_MESSAGE = re.compile(r"\bmessages\.(\d+)\.content\b")
LEFT_OUT = text_block(model_texts.FILE_LEFT_OUT)


class UnreadMedia:
    """The numbers of the messages in each chapter that hold unreadable media."""

    def __init__(self) -> None:
        self._messages: LruCache[str, frozenset[int]] = LruCache(MOST_UNREAD_CHAPTERS)

    def unread_messages_of(self, chapter: str) -> frozenset[int]:
        return self._messages.get(chapter, frozenset())

    def note_unread(self, chapter: str, complaint: str, messages: list[Block]) -> bool:
        """Note the message that a server complains about, or the newest one with media if the server names none.

        Return False if that message has no media that can be left out.
        """
        named = NAMED_MESSAGE.search(complaint)
        holding = [at for at, message in enumerate(messages) if any(map(media_blocks_in, message["content"]))]
        at = int(named[1]) if named else max(holding, default=-1)
        if at not in holding:
            return False
        self._messages[chapter] = self.unread_messages_of(chapter) | {at}
        return True


def is_about_media(complaint: str) -> bool:
    return bool(MEDIA_COMPLAINT.search(complaint))


def media_blocks_in(block: Block) -> list[Block]:
    """Return the images and documents in a tool's result."""
    content = block.get("content")
    if block["type"] != "tool_result" or not isinstance(content, list):
        return []
    return [inner for inner in content if inner["type"] in MEDIA]


def without_media(messages: list[Block], unread: frozenset[int]) -> list[Block]:
    """Return the messages; in the `unread` ones, a short text takes the place of each image and document."""
    found = list(messages)
    for at in unread.intersection(range(len(messages))):
        blocks = []
        for block in messages[at]["content"]:
            if media_blocks_in(block):
                inner = [LEFT_OUT if each["type"] in MEDIA else each for each in block["content"]]
                block = {**block, "content": inner}
            blocks.append(block)
        found[at] = {**messages[at], "content": blocks}
    return found
