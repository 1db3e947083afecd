"""What may be used: by a turn, by a chat, in a day, and at one time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.access import AccessByChannel
from bot.core.prices import Micros, Pricing

if TYPE_CHECKING:
    from bot.core.settings import Settings  # only for types: pydantic is slow to import


class Limit(StrEnum):
    """Which of a turn's limits was reached."""

    ITERATIONS = "iterations"
    TOKENS = "tokens"
    DOLLARS = "dollars"
    CONTEXT = "context"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one turn may use, with everything it delegates. (Steps and seconds are its own alone.)"""

    iterations: int  # steps: a reply and the results of its calls. The last words are not one
    tokens: int  # input not read from the cache, cache writes, output
    cost: Micros
    seconds: float  # at work: asking the model, or running tools of its own

    def limit_to(self, other: Limits) -> Limits:
        return Limits(
            iterations=min(self.iterations, other.iterations),
            tokens=min(self.tokens, other.tokens),
            cost=min(self.cost, other.cost),
            seconds=min(self.seconds, other.seconds),
        )


LIMIT_ARGUMENTS = {
    "max_iterations": "iterations",
    "max_tokens": "tokens",
    "timeout_seconds": "seconds",
}  # that a call may name
MOST_ITERATIONS = 1_000  # of a delegation, even if its role or its call names more
UNLIMITED_COST = Micros(1_000_000_000)  # of a delegation: the turns above it limit its money
MOST_QUESTIONS = 3  # of one root turn, with all below it
MOST_CRASHES = 3  # a turn that was there each time is set aside at the next start


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long things take that no setting decides. Tests and the demo replace some."""

    question_seconds: float = 600
    others_wait_seconds: float = 120  # what is left of a question once somebody else's message waits behind it
    back_off_seconds: float = 1.0  # after a first failed delivery; each further one doubles it
    draft_seconds: float = 2.0  # of writing, before a draft is worth a message of its own
    draft_edit_seconds: tuple[float, ...] = (1.0, 2.0, 3.0, 5.0)  # after each edit of it; the last from then on
    patience_seconds: float = 900  # for how long a turn waits for a model's server that fails
    fallback_seconds: float = 15  # of failing, before another model is asked
    away_seconds: float = 60  # of failing, before the owner is told
    trusted_again_seconds: float = 60  # after it has failed last, while another model answers in its place
    silent_seconds: float = 5.0  # until a failed request is made again: a longer wait is told
    typing_seconds: float = 4.0  # a platform forgets about as soon that somebody is at work
    last_words_seconds: float = 30  # for the request that a reached limit still allows
    stop_seconds: float = 20  # for the turns to finish when the process is asked to stop
    flush_seconds: float = 10  # for the couriers after them
    late_seconds: float = 60  # a turn that was interrupted for longer says so when it goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSettings:
    """What the settings come to with facts from outside them: of the models' servers, and of this machine."""

    choosable_models: Mapping[str, frozenset[str]] = field(default_factory=dict)  # each with its efforts
    fallback_name: str = ""  # in the rows, of the model that answers while another does not; empty: there is none
    has_substitutes: bool = True  # another model may answer at the server what the one that is asked declines
    pricing: Mapping[str, Pricing] = field(default_factory=dict)  # the operator's, by model
    is_demo: bool = False  # a script answers, which costs nothing
    zone: tzinfo = UTC  # where the operator lives
    writable_workspace: Path | None = None  # None: turns may write nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a decision must know that is in no row: what the operator allows, and what time it is."""

    settings: Settings
    resolved: ResolvedSettings = field(default_factory=ResolvedSettings)
    timings: Timings = field(default_factory=Timings)
    now: datetime
    accesses: AccessByChannel = field(default_factory=dict)  # by channel

    @property
    def today(self) -> date:
        """The day where the operator lives: caps are counted by it."""
        return self.now.astimezone(self.resolved.zone).date()


TermsNow = Callable[[], Terms]
