"""The updates that wait for the bot, in order, until it confirms them or a day has passed."""

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
LEFT_OUT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})  # not sent unless asked for by name
MOST_AHEAD = 10  # an offset beyond this is of another numbering
FIRST = 712_345_001


@dataclass(frozen=True, slots=True)
class Waiting:
    id: int
    update: Any  # an object, unless a test wants something worse
    at: float


@dataclass
class Updates:
    """The queue. Ids go up by one. After a week without an update, or after `jump`, the next id can be any."""

    now: Callable[[], float]
    waiting: list[Waiting] = field(default_factory=list)
    lapsed: list[Waiting] = field(default_factory=list)  # nobody asked for them in time
    confirmed: list[Waiting] = field(default_factory=list)
    allowed: frozenset[str] | None = None  # None: all except LEFT_OUT
    next_id: int = FIRST
    random: Random = field(default_factory=lambda: Random(4))
    came: asyncio.Event = field(default_factory=asyncio.Event)
    _last: float | None = None
    _poller: asyncio.Future[None] | None = None

    @property
    def is_polled(self) -> bool:
        """Return True if a poll waits now."""
        return self._poller is not None and not self._poller.done()

    def add(self, kind: str, content: Json) -> int | None:
        """Queue an update for the bot. Return its id, or None if the bot does not want this kind."""
        wanted = kind in self.allowed if self.allowed is not None else kind not in LEFT_OUT
        return self.add_raw(lambda number: {"update_id": number, kind: content}) if wanted else None

    def add_raw(self, update: Callable[[int], Any]) -> int:
        """Queue the update that `update` makes from its id. Return the id."""
        if self._last is not None and self.now() - self._last >= RENUMBERED_SECONDS:
            self.jump()
        number, self._last = self.next_id, self.now()
        self.next_id += 1
        self.waiting.append(Waiting(number, update(number), self.now()))
        self.wake()
        return number

    def repeat(self, number: int) -> None:
        """Send a confirmed update again, with its old id."""
        self.waiting += [one for one in self.confirmed if one.id == number][-1:]
        self.wake()

    def jump(self, to: int | None = None) -> None:
        """Set the next id, to a random one by default."""
        self.next_id = self.random.randrange(1, 2**31 - 2**20) if to is None else to

    def wake(self) -> None:
        self.came.set()
        self.came = asyncio.Event()

    def take(self, offset: int, limit: int) -> list[Any]:
        """Confirm everything below the offset, and return what is next. A negative offset counts from the end."""
        self.lapse()
        if offset < 0:
            self.confirm(self.waiting[:offset])
        elif offset <= max((one.id for one in self.waiting), default=self.next_id - 1) + MOST_AHEAD:
            self.confirm(one for one in self.waiting if one.id < offset)
        return [one.update for one in islice(self.waiting, limit)]

    def confirm(self, gone: Iterable[Waiting]) -> None:
        known = {id(one): one for one in gone}  # two may have the same number
        self.confirmed += known.values()
        self.waiting = [one for one in self.waiting if id(one) not in known]

    def lapse(self) -> None:
        early = self.now() - KEPT_SECONDS
        self.lapsed += [one for one in self.waiting if one.at < early]
        self.waiting = [one for one in self.waiting if one.at >= early]

    def allow(self, kinds: list[str] | None) -> None:
        """Set the kinds to queue from now on. None changes nothing; an empty list means the default."""
        if kinds is not None:
            self.allowed = frozenset(kinds) or None

    def begin_poll(self) -> asyncio.Future[None]:
        """Begin a poll, and end the one before with Refusal. Return a future that ends this poll in the same way."""
        if self._poller and self.is_polled:
            reason = "terminated by other getUpdates request; make sure that only one bot instance is running"
            self._poller.set_exception(conflict(reason))
        self._poller = asyncio.get_running_loop().create_future()
        return self._poller

    async def wait(self, ended: asyncio.Future[None], offset: int, limit: int, seconds: float) -> list[Any]:
        """Return updates like `take`, but wait for the first one."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not (found := self.take(offset, limit)):
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0 or not await self.woken(ended, left):
                break
        return found

    def end_poll(self, ended: asyncio.Future[None]) -> None:
        if not ended.cancel():
            ended.exception()  # mark it as retrieved, whether it was raised or came too late

    async def woken(self, ended: asyncio.Future[None], seconds: float) -> bool:
        """Return True if something came in time. Raise Refusal if another poll ended this one."""
        coming = asyncio.create_task(self.came.wait(), name="an update comes")
        both: set[asyncio.Future[Any]] = {coming, ended}
        try:
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            coming.cancel()
        if ended.done():
            ended.result()
        return coming.done()
