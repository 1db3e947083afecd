"""When the next call may go: slots within a platform's limits, given out in the order they were asked for.

A slot is booked before a message is marked as on its way (`pace`). The call itself may come later than its slot, where
the machine is busy: what was really made is counted once more (`go`), so that no calls bunch up.
"""

import asyncio
import time
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most so many calls within any so many seconds. `kept` of them are left to what must be delivered."""

    calls: int
    seconds: float
    reserved_calls: int = 0


@dataclass(frozen=True, slots=True)
class PacingScope:
    """Calls that are counted together: those to one chat, say, or all of them."""

    name: Hashable
    window: RateLimit


MAX_SCOPES = 4_096  # remembered, before those that have been still are forgotten
FORGET_AFTER_SECONDS = 120.0  # seconds: longer than any window
LANES_TO_PAUSE_ALL, PAUSES_WITHIN_SECONDS = (
    3,
    2.0,
)  # lanes that are told to wait within so many seconds: it is the whole bot that is too fast


class CallPacing:
    """`now` gives seconds that never go back; the loop's clock is the same one."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._booked: dict[Hashable, list[float]] = defaultdict(list)  # the times of a scope, in order
        self._paused_until: dict[Hashable, float] = {}  # by lane: until when
        self._slots: dict[Hashable, float] = {}  # by lane: what is booked, and not used yet
        self._calls_made: dict[Hashable, deque[float]] = defaultdict(deque)  # the calls of a scope, as they were made
        self._pauses: deque[tuple[float, Hashable]] = deque(
            maxlen=LANES_TO_PAUSE_ALL
        )  # who was told to wait of late, and when
        self._all_paused_until = 0.0

    async def pace(self, lane: Hashable, scopes: Sequence[PacingScope]) -> None:
        """Wait for a slot of these scopes. The lane's next call is counted by that, and not again."""
        if (unused := self._slots.pop(lane, None)) is not None:  # there was nothing to be sent after all
            self.return_slot(unused, scopes)
        self._slots[lane] = self.book_slot(scopes)
        while (left := max(self._slots[lane], self._all_paused_until) - self.now()) > 0:  # noqa: ASYNC110 -- it waits for the time, not for somebody
            await asyncio.sleep(left)

    async def begin_call(self, lane: Hashable, scopes: Sequence[PacingScope]) -> None:
        """Make a call of this lane now, in the slot that was booked for it, or without one; wait if others that are
        late for theirs were made just before."""
        if self._slots.pop(lane, None) is None:
            for scope in scopes:
                insort(self.recent_bookings(scope), self.now())
        while (left := max((self.seconds_until_room(scope) for scope in scopes), default=0.0)) > 0:  # noqa: ASYNC110 -- it waits for the time, not for somebody
            await asyncio.sleep(left)
        for scope in scopes:
            self._calls_made[scope.name].append(self.now())

    def seconds_until_room(self, scope: PacingScope) -> float:
        """For how many seconds the calls that were made leave room for no other."""
        made, seconds = self._calls_made[scope.name], scope.window.seconds
        while made and made[0] <= self.now() - seconds:
            made.popleft()
        return made[0] + seconds - self.now() if len(made) >= scope.window.calls else 0.0

    def has_room(self, scopes: Sequence[PacingScope]) -> bool:
        """Whether a call may go now, with as many left over as each window keeps."""
        return self._all_paused_until <= self.now() and all(self.is_free(scope) for scope in scopes)

    def pause_lane(self, lane: Hashable, seconds: float) -> None:
        """The platform wants nothing there for so long; what must be delivered is kept back by others. If it says so
        to several lanes at once, it is the bot that it means."""
        now = self.now()
        self._paused_until[lane] = now + seconds
        self._pauses.append((now, lane))
        recent = {told for at, told in self._pauses if at > now - PAUSES_WITHIN_SECONDS}
        if len(recent) >= LANES_TO_PAUSE_ALL:
            self.pause_all(seconds)

    def pause_all(self, seconds: float) -> None:
        """The platform wants nothing from the whole bot for so long."""
        self._all_paused_until = max(self._all_paused_until, self.now() + seconds)

    def is_lane_paused(self, lane: Hashable) -> bool:
        return self.seconds_paused(lane) > 0

    def seconds_paused(self, lane: Hashable) -> float:
        """For how many seconds the platform wants nothing there."""
        return max(0.0, self._paused_until.get(lane, 0.0) - self.now())

    def book_slot(self, scopes: Sequence[PacingScope]) -> float:
        """The earliest time that suits every scope, which is taken from now on."""
        self.drop_idle_scopes()
        at, settled = max(self.now(), self._all_paused_until), False
        while not settled:
            moved = max((earliest_slot(self.recent_bookings(scope), scope.window, at) for scope in scopes), default=at)
            at, settled = moved, moved == at
        for scope in scopes:
            insort(self.recent_bookings(scope), at)
        return at

    def drop_idle_scopes(self) -> None:
        """Let go of what has been still for long, once it is many."""
        if len(self._booked) <= MAX_SCOPES:
            return
        old = self.now() - FORGET_AFTER_SECONDS
        for name in [name for name, times in self._booked.items() if not times or times[-1] < old]:
            del self._booked[name]
            self._calls_made.pop(name, None)
        for lane in [lane for lane, until in self._paused_until.items() if until < old]:
            del self._paused_until[lane]

    def return_slot(self, at: float, scopes: Sequence[PacingScope]) -> None:
        for scope in scopes:
            if at in (times := self.recent_bookings(scope)):
                times.remove(at)

    def is_free(self, scope: PacingScope) -> bool:
        times, window = self.recent_bookings(scope), scope.window
        return len(times) < window.calls - window.reserved_calls

    def recent_bookings(self, scope: PacingScope) -> list[float]:
        """What is booked there, without what is too long ago to matter."""
        times = self._booked[scope.name]
        del times[: bisect_left(times, self.now() - scope.window.seconds)]
        return times


def earliest_slot(times: Sequence[float], window: RateLimit, at: float) -> float:
    """The first time from `at` on, where one more leaves no more than `calls` within any `seconds`."""
    most, seconds = window.calls, window.seconds
    while True:
        place = bisect_left(times, at)
        # Each run of `most` neighbours that would share a window with the new one pushes it behind its own first.
        pushed = [
            times[first] + seconds
            for first in range(max(0, place - most), min(place, len(times) - most) + 1)
            if at < times[first] + seconds and times[first + most - 1] < at + seconds
        ]
        if not pushed:
            return at
        at = max(pushed)
