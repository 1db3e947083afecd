"""What waits for the bot, in order, until it confirms it or a day has passed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from tests.stand_ins.telegram.errors import Json, conflict

KEPT_SECONDS = 24 * 3600.0
RENUMBERED_SECONDS = 7 * 24 * 3600.0
LEFT_OUT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})  # unless asked for by name
MOST_AHEAD = 10  # an offset beyond that is from another numbering
FIRST = 712_345_001


@dataclass(frozen=True, slots=True)
class Waiting:
    id: int
    update: Any  # an object, unless a test wanted something worse
    at: float


@dataclass
class Updates:
    """The queue. Ids go up by one, until a week without an update, or `jump`, makes the next one any."""

    now: Callable[[], float]
    waiting: list[Waiting] = field(default_factory=list)
    lapsed: list[Waiting] = field(default_factory=list)  # nobody asked for them in time
    confirmed: list[Waiting] = field(default_factory=list)
    allowed: frozenset[str] | None = None  # None: all but those that are left out
    next_id: int = FIRST
    random: Random = field(default_factory=lambda: Random(4))
    came: asyncio.Event = field(default_factory=asyncio.Event)
    _last: float | None = None
    _poller: asyncio.Future[None] | None = None

    @property
    def is_polled(self) -> bool:
        """Whether somebody waits now."""
        return self._poller is not None and not self._poller.done()

    def add(self, kind: str, content: Json) -> int | None:
        """Keep an update for the bot; its id, or None where the bot asked not to have this kind."""
        wanted = kind in self.allowed if self.allowed is not None else kind not in LEFT_OUT
        return self.add_raw(lambda number: {"update_id": number, kind: content}) if wanted else None

    def add_raw(self, update: Callable[[int], Any]) -> int:
        """Keep whatever `update` makes of its id."""
        if self._last is not None and self.now() - self._last >= RENUMBERED_SECONDS:
            self.jump()
        number, self._last = self.next_id, self.now()
        self.next_id += 1
        self.waiting.append(Waiting(number, update(number), self.now()))
        self.wake()
        return number

    def repeat(self, number: int) -> None:
        """An update that was confirmed comes once more, under its old id."""
        self.waiting += [one for one in self.confirmed if one.id == number][-1:]
        self.wake()

    def jump(self, to: int | None = None) -> None:
        """The next id is another one, lower or higher."""
        self.next_id = self.random.randrange(1, 2**31 - 2**20) if to is None else to

    def wake(self) -> None:
        self.came.set()
        self.came = asyncio.Event()

    def take(self, offset: int, limit: int) -> list[Any]:
        """Confirm what is below the offset, and give what is next. A negative one counts from the end."""
        self.lapse()
        if offset < 0:
            self.confirm(self.waiting[:offset])
        elif offset <= max((one.id for one in self.waiting), default=self.next_id - 1) + MOST_AHEAD:
            self.confirm(one for one in self.waiting if one.id < offset)
        return [one.update for one in islice(self.waiting, limit)]

    def confirm(self, gone: Iterable[Waiting]) -> None:
        known = {id(one): one for one in gone}  # two may have one number
        self.confirmed += known.values()
        self.waiting = [one for one in self.waiting if id(one) not in known]

    def lapse(self) -> None:
        early = self.now() - KEPT_SECONDS
        self.lapsed += [one for one in self.waiting if one.at < early]
        self.waiting = [one for one in self.waiting if one.at >= early]

    def allow(self, kinds: list[str] | None) -> None:
        """From now on; what waits already stays. None changes nothing, an empty list goes back to the default."""
        if kinds is not None:
            self.allowed = frozenset(kinds) or None

    def begin_poll(self) -> asyncio.Future[None]:
        """What ends this poll if another one begins, as this does to the one before, which then raises Refusal."""
        if self._poller and self.is_polled:
            reason = "terminated by other getUpdates request; make sure that only one bot instance is running"
            self._poller.set_exception(conflict(reason))
        self._poller = asyncio.get_running_loop().create_future()
        return self._poller

    async def wait(self, ended: asyncio.Future[None], offset: int, limit: int, seconds: float) -> list[Any]:
        """As `take`, but wait for the first to come."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not (found := self.take(offset, limit)):
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0 or not await self.woken(ended, left):
                break
        return found

    def end_poll(self, ended: asyncio.Future[None]) -> None:
        if not ended.cancel():
            ended.exception()  # seen, whether it was raised or came too late

    async def woken(self, ended: asyncio.Future[None], seconds: float) -> bool:
        """Whether something came in time; raises Refusal if another poller ended this one."""
        coming = asyncio.create_task(self.came.wait(), name="an update comes")
        both: set[asyncio.Future[Any]] = {coming, ended}
        try:
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            coming.cancel()
        if ended.done():
            ended.result()
        return coming.done()
