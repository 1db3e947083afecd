"""Keep below what a platform lets a bot do: so many calls in a while, in each lane and altogether."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

MOST_LANES = 1_000  # remembered, before those that have been still are forgotten


@dataclass(frozen=True, slots=True)
class Window:
    """At most so many calls within any so many seconds."""

    most: int
    seconds: float


@dataclass(slots=True)
class Calls:
    """When the latest calls were made, or are to be made; always in order."""

    at: deque[float] = field(default_factory=deque)

    def free_at(self, windows: tuple[Window, ...]) -> float:
        """When one more keeps within all of these windows, and comes after those that are known."""
        latest = self.at[-1] if self.at else float("-inf")
        return max([latest, *(self.at[-each.most] + each.seconds for each in windows if len(self.at) >= each.most)])

    def note(self, at: float, windows: tuple[Window, ...]) -> None:
        self.at.append(at)
        for _ in range(len(self.at) - max(each.most for each in windows)):
            self.at.popleft()

    def recent(self, now: float, window: Window) -> int:
        newest = islice(reversed(self.at), window.most)
        return sum(at > now - window.seconds for at in newest)


class Pacing:
    """Who asks first goes first, in a lane and for the bot. A lane that has to wait keeps no other one waiting.

    `now` is the loop's clock, in seconds; `sleep` waits by it.
    """

    def __init__(self, bot: Window, now: Callable[[], float] | None = None) -> None:
        self.bot = bot
        self._now = now
        self._all = Calls()
        self._held_until = float("-inf")
        self._lanes: dict[str, Calls] = defaultdict(Calls)
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def now(self) -> float:
        return self._now() if self._now else asyncio.get_running_loop().time()

    async def pace(self, lane: str, *windows: Window) -> None:
        """Wait until a call may be made in the lane, and count it."""
        async with self._turns[lane]:
            await self._until(self._lanes[lane].free_at(windows))
            # Only now, so that the bot's own slots go to lanes that are ready for theirs.
            at = max(self.now(), self._all.free_at((self.bot,)), self._held_until)
            self._count(lane, windows, at)
        await self._until(at)

    def take(self, lane: str, *windows: Window) -> None:
        """Count a call that is made without having waited, since there was room."""
        self._count(lane, windows, max(self.now(), self._all.free_at((self.bot,))))

    def has_room(self, lane: str, *windows: Window) -> bool:
        """Whether a call may be made in the lane at once, and one more after it."""
        now = self.now()
        if self._held_until > now or (lane in self._turns and self._turns[lane].locked()):
            return False
        calls = self._lanes[lane] if lane in self._lanes else Calls()
        spare = self._all.recent(now, self.bot) < max(1, self.bot.most - 1)
        return spare and all(calls.recent(now, each) < max(1, each.most - 1) for each in windows)

    def hold(self, seconds: float) -> None:
        """Let nothing go for so long: the platform has asked the whole bot for less."""
        self._held_until = max(self._held_until, self.now() + seconds)

    def _count(self, lane: str, windows: tuple[Window, ...], at: float) -> None:
        self._all.note(at, (self.bot,))
        if windows:
            self._lanes[lane].note(at, windows)
        if len(self._lanes) > MOST_LANES:
            self._forget(max(each.seconds for each in (self.bot, *windows)))

    def _forget(self, seconds: float) -> None:
        still = [lane for lane, calls in self._lanes.items() if not calls.at or calls.at[-1] < self.now() - seconds]
        for lane in still:
            if not self._turns[lane].locked():
                del self._lanes[lane], self._turns[lane]

    async def _until(self, at: float) -> None:
        if (left := at - self.now()) > 0:
            await asyncio.sleep(left)
