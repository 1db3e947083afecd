"""Decide when the next call may go: in a slot within the platform's limits, or after a pause if the last call failed.

Slots are handed out in the order of the requests. `book_slot_and_wait` books one before a message is marked as on its
way. The call may come later, and may take its time to arrive. So `wait_and_count_call` also counts each call at the
last moment when the platform may have counted it, to keep late ones from bunching up."""

import asyncio
import random
import time
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `max_calls` within any `window_seconds`. `reserved_calls` of them are for what must be delivered."""

    max_calls: int
    window_seconds: float
    reserved_calls: int = 0


@dataclass(frozen=True, slots=True)
class PacingScope:
    """Calls that are counted together: for example those to one chat, or all calls."""

    name: Hashable
    rate_limit: RateLimit


MAX_SCOPES_BEFORE_CLEANUP = 4_096  # above this number we forget idle scopes
FORGET_IDLE_SCOPE_SECONDS = 120.0  # longer than any window
# If the platform tells this many lanes to wait within this time, the whole bot is too fast.
LANES_TO_PAUSE_ALL, LANE_PAUSES_WITHIN_SECONDS = 3, 2.0
MAX_ARRIVAL_SECONDS = 2.0  # after this time we take a call that has no answer yet as counted


@dataclass(slots=True)
class CallMade:
    """One call, from its beginning until its answer, in seconds of the pacing's clock."""

    began_at: float
    answered_at: float | None = None

    def latest_arrival(self, now: float) -> float:
        """Return the last moment up to `now` when the platform may have counted the call."""
        return min(now if self.answered_at is None else self.answered_at, self.began_at + MAX_ARRIVAL_SECONDS)


class CallPacing:
    """Slots and pauses of one bot. `now` returns seconds on a clock that never goes back, the same as the loop's."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._booked: dict[Hashable, list[float]] = defaultdict(list)  # by scope: the booked times, in order
        self._paused_until: dict[Hashable, float] = {}  # by lane: the end of its pause
        # By lane: the slot that is booked and not used yet, and the scopes that it counts in
        self._slots: dict[Hashable, tuple[float, Sequence[PacingScope]]] = {}
        self._calls_made: dict[Hashable, list[CallMade]] = defaultdict(list)  # by scope
        self._pauses: deque[tuple[float, Hashable]] = deque(maxlen=LANES_TO_PAUSE_ALL)  # the last ones: time and lane
        self._all_paused_until = 0.0

    async def book_slot_and_wait(self, lane: Hashable, scopes: Sequence[PacingScope]) -> None:
        """Wait for a slot of these scopes. The slot counts for the lane's next call, which is not counted again."""
        if unused := self._slots.pop(lane, None):  # the lane had nothing to send after all
            self.cancel_booking(unused[0], scopes)
        slot = self.book_earliest_slot(scopes)
        self._slots[lane] = slot, scopes  # another call of the lane may use it meanwhile
        while (left := max(slot, self._all_paused_until) - self.now()) > 0:  # noqa: ASYNC110 -- it waits for a time, not an event
            await asyncio.sleep(left)

    @asynccontextmanager
    async def wait_and_count_call(self, lane: Hashable, scopes: Sequence[PacingScope]) -> AsyncIterator[None]:
        """Make a call in the lane's slot, or without one. Wait first if late calls have used up the room of a scope. A
        slot does not count in scopes that the call is not in: so a board takes no answer's place."""
        if booked := self._slots.pop(lane, None):
            self.cancel_booking(booked[0], [scope for scope in booked[1] if scope not in scopes])
        else:
            for scope in scopes:
                insort(self.prune_and_get_bookings(scope), self.now())
        while (left := max((self.seconds_until_room(scope) for scope in scopes), default=0.0)) > 0:  # noqa: ASYNC110 -- it waits for a time, not an event
            await asyncio.sleep(left)
        call = CallMade(self.now())
        for scope in scopes:
            self._calls_made[scope.name].append(call)
        try:
            yield
        finally:
            call.answered_at = self.now()

    def seconds_until_room(self, scope: PacingScope) -> float:
        """Return the seconds until the scope has room for another call, counting the calls that were made."""
        limit, now, calls = scope.rate_limit, self.now(), self._calls_made[scope.name]
        calls[:] = [call for call in calls if call.latest_arrival(now) > now - limit.window_seconds]
        if len(calls) < limit.max_calls:
            return 0.0
        return sorted(call.latest_arrival(now) for call in calls)[-limit.max_calls] + limit.window_seconds - now

    def has_unreserved_room(self, lane: Hashable, scopes: Sequence[PacingScope]) -> bool:
        """Return True if a call of the lane may go now and each window still keeps its reserved calls. A slot of it
        that has come and is not used yet does not count: the call would use it."""
        slot, _ = self._slots.get(lane, (None, ()))
        unused = slot if slot is not None and slot <= self.now() else None
        for scope in scopes:
            times = self.prune_and_get_bookings(scope)
            if len(times) - (unused in times) >= scope.rate_limit.max_calls - scope.rate_limit.reserved_calls:
                return False
        return self._all_paused_until <= self.now()

    def pause_lane(self, lane: Hashable, seconds: float) -> None:
        """Pause a lane for `seconds`, because the platform wants no calls there. Callers hold back what must be
        delivered. If the platform pauses several lanes at once, it means the whole bot, so all lanes pause."""
        now = self.now()
        self._paused_until[lane] = now + seconds
        self._pauses.append((now, lane))
        recent = {paused for at, paused in self._pauses if at > now - LANE_PAUSES_WITHIN_SECONDS}
        if len(recent) >= LANES_TO_PAUSE_ALL:
            self.pause_all_lanes(seconds)

    def pause_all_lanes(self, seconds: float) -> None:
        """Pause all lanes for `seconds`, because the platform wants no calls from the bot."""
        self._all_paused_until = max(self._all_paused_until, self.now() + seconds)

    def remaining_lane_pause_seconds(self, lane: Hashable) -> float:
        """Return the seconds until the lane's pause ends, 0 if it is not paused."""
        return max(0.0, self._paused_until.get(lane, 0.0) - self.now())

    def book_earliest_slot(self, scopes: Sequence[PacingScope]) -> float:
        """Book the earliest time that suits every scope, and return it."""
        self.drop_idle_scopes_if_many()
        at, settled = max(self.now(), self._all_paused_until), False
        while not settled:
            slots = [earliest_slot(self.prune_and_get_bookings(each), each.rate_limit, at) for each in scopes]
            moved = max(slots, default=at)
            at, settled = moved, moved == at
        for scope in scopes:
            insort(self.prune_and_get_bookings(scope), at)
        return at

    def cancel_booking(self, at: float, scopes: Sequence[PacingScope]) -> None:
        for scope in scopes:
            if at in (times := self.prune_and_get_bookings(scope)):
                times.remove(at)

    def drop_idle_scopes_if_many(self) -> None:
        """Forget idle scopes and ended pauses, once there are more than MAX_SCOPES_BEFORE_CLEANUP scopes."""
        if len(self._booked) <= MAX_SCOPES_BEFORE_CLEANUP:
            return
        old = self.now() - FORGET_IDLE_SCOPE_SECONDS
        for name in [name for name, times in self._booked.items() if not times or times[-1] < old]:
            del self._booked[name]
            self._calls_made.pop(name, None)
        for lane in [lane for lane, until in self._paused_until.items() if until < old]:
            del self._paused_until[lane]

    def prune_and_get_bookings(self, scope: PacingScope) -> list[float]:
        """Return the scope's booked times. Drop those that are too old to matter."""
        times = self._booked[scope.name]
        del times[: bisect_left(times, self.now() - scope.rate_limit.window_seconds)]
        return times


@dataclass
class Backoff:
    """Pauses between tries, in seconds: they double up to the longest. Jitter keeps bots from retrying in step."""

    first_pause_seconds: float
    max_pause_seconds: float
    _failures: int = 0

    def next_pause_seconds(self) -> float:
        pause = min(self.max_pause_seconds, self.first_pause_seconds * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return pause * random.uniform(0.5, 1.0)

    def reset(self) -> None:
        self._failures = 0


def earliest_slot(times: Sequence[float], window: RateLimit, at: float) -> float:
    """Return the first time from `at` on when one more call keeps to the window's limit."""
    most, seconds = window.max_calls, window.window_seconds
    while True:
        place = bisect_left(times, at)
        # A run of `most` neighbours that would share a window with the new call pushes it one window past their first.
        pushed = [
            times[first] + seconds
            for first in range(max(0, place - most), min(place, len(times) - most) + 1)
            if at < times[first] + seconds and times[first + most - 1] < at + seconds
        ]
        if not pushed:
            return at
        at = max(pushed)
