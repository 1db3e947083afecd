"""Every decision of a simulated run: a named choice among small numbers, of which 0 is the harmless one.

A run is its seed. The choices are written down, so that a run can be done again with some of them set to 0: that is how
a failing run becomes a short story.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.rig.troubles import Troubles

T = TypeVar("T")
STEPS = 16  # how finely a length of time is chosen


@dataclass(frozen=True, slots=True)
class Choice:
    """The `number`-th choice with this name was `value`, out of `below` values."""

    name: str
    number: int
    value: int
    below: int


@dataclass
class Choices:
    """Make choices from a seed; or, if `given` is set, those that were written down, and 0 for all others."""

    seed: int
    given: Mapping[tuple[str, int], int] | None = None
    made: list[Choice] = field(default_factory=list)  # those that are not 0

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self._numbers: dict[str, int] = {}

    def pick(self, name: str, below: int, chance: float = 1.0) -> int:
        """Return a number from 0 to `below` - 1. With a `chance` below 1, it is mostly 0."""
        number = self._numbers.get(name, 0)
        self._numbers[name] = number + 1
        if self.given is not None:
            value = min(self.given.get((name, number), 0), below - 1)
        elif chance < 1.0 and self._rng.random() >= chance:
            value = 0
        else:
            value = int(self._rng.random() * below)
        if value:
            self.made.append(Choice(name, number, value, below))
        return value

    def happens(self, name: str, chance: float) -> bool:
        """Return True with this chance. The harmless choice is False."""
        number = self._numbers.get(name, 0)
        self._numbers[name] = number + 1
        happens = (self._rng.random() < chance) if self.given is None else bool(self.given.get((name, number), 0))
        if happens:
            self.made.append(Choice(name, number, 1, 2))
        return happens

    def seconds(self, name: str, shortest: float, longest: float) -> float:
        return shortest + (longest - shortest) * self.pick(name, STEPS + 1) / STEPS

    def among(self, name: str, options: Sequence[T]) -> T:
        return options[self.pick(name, len(options))]


class ChosenRandom(random.Random):
    """What the rig's people and world take their random numbers from. Every number is a choice."""

    def __init__(self, choices: Choices, name: str) -> None:
        super().__init__(0)
        self._choices, self._name = choices, name

    def random(self) -> float:
        return self._choices.pick(self._name, STEPS) / STEPS

    def uniform(self, a: float, b: float) -> float:
        return self._choices.seconds(self._name, a, b)

    def expovariate(self, lambd: float = 1.0) -> float:
        return 3.0 * self.random() / lambd

    def choice(self, seq: Any) -> Any:
        return self._choices.among(self._name, seq)


class ChosenTroubles(Troubles):
    def __init__(self, share: float, choices: Choices) -> None:
        super().__init__(share)
        self.choices = choices
        self.rng = ChosenRandom(choices, "kind of trouble")

    def strikes(self) -> bool:
        return self.share > 0 and self.choices.happens("trouble", self.share)
