"""Limits of a turn, and the terms of a decision: what the operator allows, how long things take, what time it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.access import AccessByChannel
from bot.core.languages import ENGLISH, Language, Languages, match_language
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.prices import Micros, PricingAndSizes
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS, Lexicons

if TYPE_CHECKING:
    from bot.core.settings import Settings  # only for types: pydantic is slow to import


class LimitKind(StrEnum):
    ITERATIONS = "iterations"
    TOKENS = "tokens"
    DOLLARS = "dollars"
    CONTEXT = "context"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one turn may use. Tokens and cost include all turns below it; iterations and seconds are its own."""

    iterations: int  # steps: a reply and the results of its calls. The last words do not count
    tokens: int  # input that is not read from the cache, cache writes, and output
    cost: Micros
    seconds: float  # of work: asking the model, or running its own tools

    def with_caps_from(self, other: Limits) -> Limits:
        return Limits(
            iterations=min(self.iterations, other.iterations),
            tokens=min(self.tokens, other.tokens),
            cost=min(self.cost, other.cost),
            seconds=min(self.seconds, other.seconds),
        )


LIMITS_BY_DELEGATE_ARGUMENT = {"max_iterations": "iterations", "max_tokens": "tokens", "timeout_seconds": "seconds"}
MAX_DELEGATION_ITERATIONS = 1_000  # for a delegation, even if its role or its call names more
UNLIMITED_COST = Micros(1_000_000_000)  # for a delegation: the turns above it limit its money
MAX_QUESTIONS_PER_ROOT_TURN = 3  # in one root turn and all turns below it
MAX_BACKGROUND_DELEGATIONS = 10  # at work at one address
MAX_DELEGATIONS_PER_REQUEST = 30  # at every depth and in the background, with those begun on their reports
# The same call with the same arguments: the model is told at the third time, the turn is stopped at the fifth.
CALL_REPEATS_TO_TELL, CALL_REPEATS_TO_STOP = 3, 5
MAX_CRASHES_PER_TURN = 3  # a turn that was at work at this many crashes is set aside


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Durations that no setting decides. Tests and the demo replace some."""

    question_timeout_seconds: float = 600
    report_hold_seconds: float = 600  # that a report waits for those of the same reply, counted from the first
    question_seconds_if_others_wait: float = 120  # left for a question when another person's message waits behind it
    delivery_retry_seconds: float = 1.0  # after the first failed delivery; each further failure doubles it
    draft_delay_seconds: float = 2.0  # of writing, before a draft gets its own message
    draft_edit_seconds: tuple[float, ...] = (1.0, 2.0, 3.0, 5.0)  # after each edit of a draft; the last value repeats
    screen_draft_seconds: float = 0.04  # between drafts that are shown without a message: 25 a second look smooth
    outage_patience_seconds: float = 900  # how long a turn waits for a model's server that fails
    fallback_delay_seconds: float = 15  # of failures, before another model is asked
    outage_alert_seconds: float = 60  # of failures, before the owner is told
    model_retry_seconds: float = 60  # after its last failure a model is asked again; until then the fallback answers
    announced_wait_seconds: float = 5.0  # a wait before a retry that lasts at least this long is told to people
    silence_told_seconds: float = 120  # without progress, before the chat is told
    silence_stop_seconds: float = 300  # without progress, before a turn is stopped with what it has
    silence_check_seconds: float = 5  # between two looks at the turns at work
    file_patience_seconds: float = 600  # how long a file that cannot be fetched is tried again
    file_retry_seconds: float = 2.0  # after the first failure to fetch a file; each further failure doubles it
    file_timeout_seconds: float = 300  # for one try to fetch a file
    leave_delay_seconds: float = 5.0  # at a start, before a group chat is left that should have been left before
    client_heartbeat_seconds: float = 10.0  # without news, before a waiting client is told that the work goes on
    typing_interval_seconds: float = 4.0  # between two typing signals; platforms forget a signal after about this time
    last_words_timeout_seconds: float = 30  # for the last request, which is still allowed at a reached limit
    stop_timeout_seconds: float = 20  # for the turns to finish when the process is asked to stop
    flush_timeout_seconds: float = 10  # for the couriers to finish, after the turns
    announced_interruption_seconds: float = 60  # a turn that was interrupted for longer says so when it continues


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedSettings:
    """The settings, resolved with outside facts: from the models' servers and from this machine."""

    efforts_by_choosable_model: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by the model's name
    fallback_model_name: str = ""  # the name of the fallback model in the rows; empty: there is none
    may_substitutes_answer: bool = True  # the server may let another model answer if the one that is asked declines
    operator_pricing_by_model: Mapping[str, PricingAndSizes] = field(default_factory=dict)
    is_demo: bool = False  # a script answers, and costs nothing
    operator_time_zone: tzinfo = UTC  # the operator's time zone
    languages: Languages = BUILT_IN_LANGUAGES  # in which people can be spoken to
    lexicons: Lexicons = BUILT_IN_LEXICONS  # by which their requests are read
    writable_workspace: Path | None = None  # None: turns may write nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTerms:
    """What a decision needs that is in no row: what the operator allows, and what time it is."""

    settings: Settings
    resolved_settings: ResolvedSettings = field(default_factory=ResolvedSettings)
    timings: Timings = field(default_factory=Timings)
    now: datetime
    access_by_channel: AccessByChannel = field(default_factory=dict)  # by channel
    surroundings_by_channel: Mapping[str, str] = field(default_factory=dict)  # what the model is told of each channel

    @property
    def today(self) -> date:
        """Return the date in the operator's time zone. Daily caps count by it."""
        return self.now.astimezone(self.resolved_settings.operator_time_zone).date()

    @property
    def operator_language(self) -> Language:
        return match_language(self.resolved_settings.languages, self.settings.language) or ENGLISH

    def language_named(self, *codes: str | None) -> Language:
        """Return the first of these languages that there is, or else the operator's."""
        found = (match_language(self.resolved_settings.languages, code) for code in codes if code)
        return next((language for language in found if language), None) or self.operator_language


GetCurrentTerms = Callable[[], DecisionTerms]
