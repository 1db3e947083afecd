"""Places to talk with the bot: one chat on each platform, as its person uses it. All share one contract suite."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from bot.core.access import AccessByChannel
from bot.core.channel import Channel
from tests.support.patience import PATIENCE

LOOK = 0.01


class Place(Protocol):
    """One chat of Ann. Nobody else may write there."""

    length: int | None  # the most that the platform shows at once, as `size` counts
    marks_repeats: bool  # a message that may be there already is sent again with a mark
    accesses: AccessByChannel

    def channel(self) -> Channel:
        """Return a new adapter, for each start of the bot."""
        ...

    def size(self, text: str) -> int:
        """Return the length of a text as the platform counts it."""
        ...

    def says(self, text: str) -> None:
        """Let Ann write."""
        ...

    def answers(self, option: str) -> None:
        """Let Ann choose an option of the newest question, in the platform's own way."""
        ...

    def sees(self) -> Sequence[str]:
        """Return what the bot has said and not deleted, oldest first, with drafts and boards."""
        ...

    def cuts(self, *, was_taken: bool) -> None:
        """Cut the connection at the next message that the bot sends, before it is taken or after."""
        ...


async def seen(place: Place, is_there: Callable[[Sequence[str]], bool]) -> list[str]:
    """Wait until `is_there` accepts what Ann sees. Return what she sees."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not is_there(place.sees()):  # noqa: ASYNC110 -- a platform wakes nobody
                await asyncio.sleep(LOOK)
    except TimeoutError:
        raise AssertionError(f"it did not come; there is {list(place.sees())}") from None
    return list(place.sees())


async def has(place: Place, *texts: str) -> list[str]:
    """Wait until Ann sees all of these texts. Return everything that she sees."""
    return await seen(place, lambda there: all(any(text in each for each in there) for text in texts))
