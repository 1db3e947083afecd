"""Leave out content that a server has refused: thinking with another signature, and media that it cannot read.

Thinking is signed together with everything before it. Transcripts are never changed, so no refusal should happen. We
do not use the beta that drops such blocks silently: it would hide the bug, and a server that does not know it refuses
every request. bot/documents has checked the media, but only the server decodes them. The notes are only
in memory: after a restart the server refuses once more, free of charge."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.core.content_blocks import THINKING_BLOCK_TYPES, Block, text_block
from bot.core.lru_cache import LruCache
from bot.core.texts import model
from bot.models.claude import model_texts

MAX_CHAPTERS_REMEMBERED = 256
INVALID_SIGNATURE_COMPLAINT = re.compile(r"messages\.(\d+)\.content\.(\d+): Invalid `signature` in `thinking` block")
CHANGED_THINKING_COMPLAINT = "blocks in the latest assistant message cannot be modified"
MEDIA_BLOCK_TYPES = ("image", "document")
MEDIA_COMPLAINT_PATTERN = re.compile(r"\b(?:image|pdf|document)s?\b", re.IGNORECASE)
MESSAGE_INDEX_PATTERN = re.compile(r"\bmessages\.(\d+)\.content\b")
MEDIA_PLACEHOLDER = text_block(model_texts.FILE_LEFT_OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingGap:
    """Thinking that is left out, from a block on. Thinking after the repair is kept: it is signed without the gap."""

    first_message: int
    first_block: int
    end_message: int  # the first message after the gap

    def covers_block(self, message: int, block: int) -> bool:
        return (self.first_message, self.first_block) <= (message, block) and message < self.end_message


class RefusedContent:
    """The thinking and the media that the requests of each chapter go without."""

    def __init__(self) -> None:
        self._gaps: LruCache[str, tuple[ThinkingGap, ...]] = LruCache(MAX_CHAPTERS_REMEMBERED)
        self._unreadable: LruCache[str, frozenset[int]] = LruCache(MAX_CHAPTERS_REMEMBERED)

    def thinking_gaps_of(self, chapter: str) -> tuple[ThinkingGap, ...]:
        return self._gaps.get(chapter, ())

    def message_indexes_of_unreadable_media(self, chapter: str) -> frozenset[int]:
        """Return the numbers of the messages that hold unreadable media."""
        return self._unreadable.get(chapter, frozenset())

    def try_leaving_out_thinking(self, chapter: str, block: tuple[int, int], until: int) -> bool:
        """Note a gap from a block on, and return True. Return False if it was noted before and did not help."""
        gap = ThinkingGap(first_message=block[0], first_block=block[1], end_message=until)
        if gap in self.thinking_gaps_of(chapter):
            return False
        self._gaps[chapter] = (*self.thinking_gaps_of(chapter), gap)
        return True

    def try_leaving_out_media(self, chapter: str, complaint: str, messages: list[Block]) -> bool:
        """Note the message that a server complains about, or the newest one with media if the server names none. Return
        False if that message has no media that can be left out."""
        named = MESSAGE_INDEX_PATTERN.search(complaint)
        holding = [at for at, message in enumerate(messages) if any(map(media_in_block, message["content"]))]
        at = int(named[1]) if named else max(holding, default=-1)
        if at not in holding:
            return False
        self._unreadable[chapter] = self.message_indexes_of_unreadable_media(chapter) | {at}
        return True


def find_refused_thinking_block(complaint: str) -> tuple[int, int] | None:
    """Return the message and block that a server complains about: the first of all if it names none. Return None if
    the complaint is not about thinking."""
    if found := INVALID_SIGNATURE_COMPLAINT.search(complaint):
        return int(found[1]), int(found[2])
    return (0, 0) if CHANGED_THINKING_COMPLAINT in complaint else None


def is_complaint_about_media(complaint: str) -> bool:
    return bool(MEDIA_COMPLAINT_PATTERN.search(complaint))


def media_in_block(block: Block) -> list[Block]:
    """Return the images and documents in a block: itself, or those in a tool's result."""
    if block["type"] in MEDIA_BLOCK_TYPES:
        return [block]
    content = block.get("content") if block["type"] == "tool_result" else None
    return [inner for inner in content if inner["type"] in MEDIA_BLOCK_TYPES] if isinstance(content, list) else []


def filter_message_blocks(messages: list[Block], is_kept: Callable[[int, int, Block], bool]) -> list[Block]:
    """Return the messages with those blocks only: `is_kept` takes a message's number, a block's, and the block. A
    message that would become empty gets a text instead."""
    found = []
    for at, message in enumerate(messages):
        kept = [block for place, block in enumerate(message["content"]) if is_kept(at, place, block)]
        is_emptied = message["content"] and not kept
        found.append({**message, "content": [text_block(model.NO_WORDS)] if is_emptied else kept})
    return found


def without_thinking_in_gaps(messages: list[Block], gaps: Sequence[ThinkingGap]) -> list[Block]:

    def is_kept(at: int, place: int, block: Block) -> bool:
        return block["type"] not in THINKING_BLOCK_TYPES or not any(gap.covers_block(at, place) for gap in gaps)

    return filter_message_blocks(messages, is_kept) if gaps else messages


def replace_unreadable_media(messages: list[Block], unread: frozenset[int]) -> list[Block]:
    """Return the messages; in the `unread` ones, a short text takes the place of each image and document."""
    found = list(messages)
    for at in unread.intersection(range(len(messages))):
        blocks = []
        for block in messages[at]["content"]:
            if block["type"] in MEDIA_BLOCK_TYPES:
                block = MEDIA_PLACEHOLDER
            elif media_in_block(block):
                inner = [MEDIA_PLACEHOLDER if each["type"] in MEDIA_BLOCK_TYPES else each for each in block["content"]]
                block = {**block, "content": inner}
            blocks.append(block)
        found[at] = {**messages[at], "content": blocks}
    return found
