"""When the next call may go: slots within a platform's limits, given out in the order they were asked for."""

import asyncio
import time
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """At most so many calls within any so many seconds. `kept` of them are left to what must be delivered."""

    calls: int
    seconds: float
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """Calls that are counted together: those to one chat, say, or all of them."""

    name: Hashable
    window: Window


class Pacing:
    """`now` gives seconds that never go back; the loop's clock is the same one."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._booked: dict[Hashable, list[float]] = defaultdict(list)  # the times of a scope, in order
        self._held: dict[Hashable, float] = {}  # by scope: until when
        self._slots: dict[Hashable, float] = {}  # by lane: what is booked, and not used yet

    async def pace(self, lane: Hashable, scopes: Sequence[Scope]) -> None:
        """Wait for a slot of these scopes: the lane's next call is counted by that, at the time when it is made."""
        if (unused := self._slots.pop(lane, None)) is not None:  # there was nothing to be sent after all
            self.give_back(unused, scopes)
        at = booked = self.book(scopes)
        while (left := max(booked, at) - self.now()) > 0:
            await asyncio.sleep(left)
            at = self.free_at(scopes, booked)  # others may have gone later than they were to
        self.give_back(booked, scopes)
        self._slots[lane] = self.count(scopes)

    def spend(self, lane: Hashable, scopes: Sequence[Scope]) -> None:
        """Count a call of this lane that is made now."""
        if (booked := self._slots.pop(lane, None)) is not None:
            self.give_back(booked, scopes)
        self.count(scopes)

    def has_room(self, scopes: Sequence[Scope]) -> bool:
        """Whether a call may go now, with as many left over as each window keeps."""
        return all(self.is_free(scope) for scope in scopes)

    def hold(self, scope: Scope, seconds: float) -> None:
        """The platform wants nothing there for so long."""
        self._held[scope.name] = max(self._held.get(scope.name, 0.0), self.now() + seconds)

    def is_held(self, scope: Scope) -> bool:
        return self._held.get(scope.name, 0.0) > self.now()

    def book(self, scopes: Sequence[Scope]) -> float:
        """The earliest time that suits every scope, which is taken from now on."""
        at = max(self.now(), *(self._held.get(scope.name, 0.0) for scope in scopes))
        settled = False
        while not settled:
            moved = max((earliest(self.times(scope), scope.window, at) for scope in scopes), default=at)
            at, settled = moved, moved == at
        for scope in scopes:
            insort(self.times(scope), at)
        return at

    def free_at(self, scopes: Sequence[Scope], own: float) -> float:
        """When the calls that were made, or should have been, let one more go: the caller's own is not among them."""
        now = found = self.now()
        for scope in scopes:
            times, most = self.times(scope), scope.window.calls
            made = times[: bisect_right(times, now)]
            if own in made:
                made.remove(own)
            if len(made) >= most:
                found = max(found, made[-most] + scope.window.seconds)
        return found

    def count(self, scopes: Sequence[Scope]) -> float:
        """Take now, whatever else is there."""
        now = self.now()
        for scope in scopes:
            insort(self.times(scope), now)
        return now

    def give_back(self, at: float, scopes: Sequence[Scope]) -> None:
        for scope in scopes:
            if at in (times := self.times(scope)):
                times.remove(at)

    def is_free(self, scope: Scope) -> bool:
        times, window = self.times(scope), scope.window
        return not self.is_held(scope) and len(times) < window.calls - window.kept

    def times(self, scope: Scope) -> list[float]:
        """What is booked there, without what is too long ago to matter."""
        times = self._booked[scope.name]
        del times[: bisect_left(times, self.now() - scope.window.seconds)]
        return times


def earliest(times: Sequence[float], window: Window, at: float) -> float:
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
