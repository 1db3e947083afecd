"""What may be used: by a turn, by a chat, in a day, and at one time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from pathlib import Path

from bot.core.access import AccessByChannel
from bot.core.prices import Micros, Pricing


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

    iterations: int = 50  # steps: a reply and the results of its calls. The last words are not one
    tokens: int = 1_500_000  # input not read from the cache, cache writes, output
    cost: Micros = Micros(1_000_000)
    seconds: float = 1_800  # at work: asking the model, or running tools of its own

    def limit_to(self, other: Limits) -> Limits:
        return Limits(
            iterations=min(self.iterations, other.iterations),
            tokens=min(self.tokens, other.tokens),
            cost=min(self.cost, other.cost),
            seconds=min(self.seconds, other.seconds),
        )


TURN_LIMITS = Limits()
DELEGATION_LIMITS = Limits(
    iterations=20, tokens=250_000, cost=Micros(1_000_000_000), seconds=1_200
)  # dollars: the turns above
LIMIT_ARGUMENTS = {
    "max_iterations": "iterations",
    "max_tokens": "tokens",
    "timeout_seconds": "seconds",
}  # that a call may name
LARGEST_LIMITS = replace(
    DELEGATION_LIMITS, iterations=1_000, tokens=500_000, seconds=1_800
)  # whatever a role or a call names


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator may set; the defaults are those of config.json."""

    lead_model: str = "claude-sonnet-5-5"
    roles_model: str = "claude-haiku-5-5"
    fallback_model: str = ""  # who answers while the model of a chapter does not; empty: nobody
    effort: str = "medium"
    models: Mapping[str, frozenset[str]] = field(default_factory=dict)  # that may be chosen, with the efforts of each
    is_demo: bool = False  # a script answers, which costs nothing
    turn: Limits = TURN_LIMITS
    chat_day: Micros = Micros(5_000_000)
    day: Micros = Micros(20_000_000)
    person_day_percent: int = 25  # of the day, for each person but the owner, where several may speak
    owner_reserve_percent: int = 20  # of the day: nobody but the owner may spend it, where several may speak
    delegation: Limits = DELEGATION_LIMITS
    delegation_cap: Limits = LARGEST_LIMITS
    can_delegate: bool = True
    max_depth: int = 1
    max_concurrent: int = 3  # delegations at work per root turn
    max_running: int = 12  # delegations at work in the tenant
    max_per_step: int = 10  # delegations that one reply may open
    max_group_delegations: int = 3  # groups that are asked at one time in the tenant
    max_updates: int = 5  # posts of one delegation
    max_questions: int = 3  # of one root turn, with all below it
    allow_adhoc: bool = True
    marks_memory: bool = True  # whether what a role saves is shown as its own, and not as the lead's
    steers: bool = True  # whether a message joins the running turn of its person
    time_zone: tzinfo = UTC
    keep_days: int = 30  # 0: for ever
    workspace: Path | None = None
    context_tokens: int = 32_000  # the window of a model whose price is not known
    max_output_tokens: int = 32_000  # of one reply, even if its model could write more
    has_substitutes: bool = True  # another model may answer at the server what the one that is asked declines
    prices: Mapping[str, Pricing] = field(default_factory=dict)  # the operator's, by model
    question_seconds: float = 600
    others_wait_seconds: float = 120  # what is left of a question once somebody else's message waits behind it
    crashes: int = 3  # a turn that was there each time is set aside at the next start
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


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a decision must know that is in no row: what the operator allows, and what time it is."""

    settings: Settings
    now: datetime
    accesses: AccessByChannel = field(default_factory=dict)  # by channel

    @property
    def today(self) -> date:
        """The day where the operator lives: caps are counted by it."""
        return self.now.astimezone(self.settings.time_zone).date()


TermsNow = Callable[[], Terms]
