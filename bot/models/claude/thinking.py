"""Leave out thinking whose signature the server refuses: thinking is signed for everything before it.

Transcripts are never changed, so this repairs what should not happen. We do not use the beta that drops such blocks
silently: it would hide the bug, and a server that does not know it refuses every request. The notes are only in
memory: after a restart the server refuses once more, free of charge, and the gap is noted again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.content_blocks import THINKING_TYPES, Block, text_block
from bot.core.lru_cache import LruCache
from bot.core.texts import model

MOST_GAP_CHAPTERS = 256  # chapters whose gaps are kept
NAMED_BLOCK = re.compile(r"messages\.(\d+)\.content\.(\d+): Invalid `signature` in `thinking` block")
CHANGED_COMPLAINT = "blocks in the latest assistant message cannot be modified"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingGap:
    """Thinking that is left out, from a block on. Thinking after the repair is kept: it is signed without the gap."""

    message: int
    block: int
    until: int  # the first message after the gap

    def covers(self, message: int, block: int) -> bool:
        return (self.message, self.block) <= (message, block) and message < self.until


class ThinkingGaps:
    """The gaps of each chapter."""

    def __init__(self) -> None:
        self._gaps: LruCache[str, tuple[ThinkingGap, ...]] = LruCache(MOST_GAP_CHAPTERS)

    def gaps_of(self, chapter: str) -> tuple[ThinkingGap, ...]:
        return self._gaps.get(chapter, ())

    def note_gap(self, chapter: str, block: tuple[int, int], until: int) -> bool:
        """Note a gap from a block on, and return True. Return False if it was noted before and did not help."""
        gap = ThinkingGap(message=block[0], block=block[1], until=until)
        if gap in self.gaps_of(chapter):
            return False
        self._gaps[chapter] = (*self.gaps_of(chapter), gap)
        return True


def find_block_in_complaint(complaint: str) -> tuple[int, int] | None:
    """Return the message and block that a server complains about, or None if it is not about thinking.

    Return the first block of all if the server names none.
    """
    if found := NAMED_BLOCK.search(complaint):
        return int(found[1]), int(found[2])
    return (0, 0) if CHANGED_COMPLAINT in complaint else None


def without_thinking(messages: list[Block], gaps: Sequence[ThinkingGap]) -> list[Block]:
    """Return the messages without the thinking in these gaps. A message that held nothing else says so in words."""
    if not gaps:
        return messages
    found = []
    for at, message in enumerate(messages):
        kept = [
            block
            for place, block in enumerate(message["content"])
            if block["type"] not in THINKING_TYPES or not any(gap.covers(at, place) for gap in gaps)
        ]
        is_emptied = message["content"] and not kept
        found.append({**message, "content": [text_block(model.NO_WORDS)] if is_emptied else kept})
    return found
