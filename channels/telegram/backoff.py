"""Choose how long to wait before the next try."""

import random
from collections.abc import Callable


class Backoff:
    """Pauses that double after each failure in a row, up to the longest. Jitter keeps bots from retrying in step."""

    def __init__(self, first: float, longest: float, chance: Callable[[], float] = random.random) -> None:
        self.first = first
        self.longest = longest
        self.chance = chance
        self._failures = 0

    def next_pause(self) -> float:
        pause = min(self.longest, self.first * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return pause * (0.5 + self.chance() / 2)

    def reset(self) -> None:
        self._failures = 0
