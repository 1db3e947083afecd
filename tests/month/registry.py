"""The situations that can be played: a function for each line of the lists, and when it begins."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.month.clock import berlin
from tests.month.situations_list import FIRST_FOREIGN

if TYPE_CHECKING:
    from tests.month.stage import Stage

Play = Callable[["Stage"], Coroutine[Any, Any, None]]
FIRST_DAY = berlin("2026-10-01 10:00")


@dataclass(frozen=True)
class Situation:
    number: int
    play: Play
    begin: datetime
    voice: bool | None = None  # whether it needs a transcriber, or must not have one


SITUATIONS: dict[int, Situation] = {}


def situation(
    number: int, begin: str = "", *, voice: bool | None = None, **fixed: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Register a function for a line of our own list. `begin` is a time on the family's clock, as `2026-10-06 08:00`;
    without it the situation gets a time by its number. `fixed` are arguments of the function."""

    def register(play: Callable[..., Any]) -> Callable[..., Any]:
        async def played(stage: Stage) -> None:
            await play(stage, **fixed)

        assert number not in SITUATIONS, f"situation {number} has two functions"
        SITUATIONS[number] = Situation(number, played, berlin(begin) if begin else time_of(number), voice)
        return play

    return register


def foreign(number: int, begin: str = "", *, voice: bool | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Register a function for a situation of the foreign list."""
    return situation(FIRST_FOREIGN - 1 + number, begin, voice=voice)


def time_of(number: int) -> datetime:
    """Return a time in the month for a situation that needs none: its list is spread over the days."""
    day, slot = (number * 7) % 29, (number * 7) // 29
    return FIRST_DAY + timedelta(days=day, minutes=7 * slot)
