"""Places to talk with the bot: one chat on each platform, as the person in it uses it. The contract suite is the same
for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from bot.core.access import AccessByChannel
from bot.core.channel import Channel
from tests.support.patience import PATIENCE

LOOK = 0.01


class Place(Protocol):
    """One chat, with Ann in it, and nobody else who may speak."""

    length: int | None  # how much the platform shows at once, in `size`
    marks_repeats: bool  # what may be there already is sent again, and says so
    accesses: AccessByChannel

    def channel(self) -> Channel:
        """A new adapter, for each start of the bot."""
        ...

    def size(self, text: str) -> int:
        """The length of a text as the platform counts it."""
        ...

    def says(self, text: str) -> None:
        """Ann writes."""
        ...

    def answers(self, option: str) -> None:
        """Ann picks an option of the newest question, in the way that is the platform's own."""
        ...

    def sees(self) -> Sequence[str]:
        """What the bot has said and is there now, oldest first, drafts and boards too."""
        ...

    def cuts(self, *, was_taken: bool) -> None:
        """The next message that the bot sends is cut off, before it was taken or after."""
        ...


async def seen(place: Place, is_there: Callable[[Sequence[str]], bool]) -> list[str]:
    """Wait until what Ann sees is so; gives it."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not is_there(place.sees()):  # noqa: ASYNC110 -- a platform wakes nobody
                await asyncio.sleep(LOOK)
    except TimeoutError:
        raise AssertionError(f"it did not come; there is {list(place.sees())}") from None
    return list(place.sees())


async def has(place: Place, *texts: str) -> list[str]:
    """Wait until Ann sees all of these; gives everything she sees."""
    return await seen(place, lambda there: all(any(text in each for each in there) for text in texts))
