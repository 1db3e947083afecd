"""A turn: one run of a role, from its task to its report; and its progress. Ids are paths. A root turn is `t7`. The
calls of its fourth entry are `t7/4/0`, `t7/4/1`, …. A call that opens a delegation or a question shares its id with it.
So the id of everything below a turn begins with the turn's id. If one tool use of the model asks for several
delegations, each is a call: `t7/4/0.0`, `t7/4/0.1`, …."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, NewType

from bot.core.limits import LimitKind, Limits
from bot.core.messages import NO_GROUP, Address, GroupName, PersonId, RoleName
from bot.core.prices import Micros
from bot.core.rights import EVERY_RIGHT, Rights

TurnId = NewType("TurnId", str)
CallId = NewType("CallId", str)
RequestId = NewType("RequestId", int)
SessionId = NewType("SessionId", str)
NO_PERSON = PersonId("")
LONGEST_RETRY_WAIT_SECONDS = 3600.0  # seconds; if the clock is set back, no turn waits longer
CACHE_LIFETIMES = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}
MODEL_SERVER_WAIT_REASON = "service"  # in `waits_for`: the model's server is away or too busy


class TurnState(StrEnum):
    QUEUED = "queued"  # this process has not started it
    RUNNING = "running"
    STOPPING = "stopping"  # its status is decided; it ends when its task and all turns below it have ended
    ENDED = "ended"


class TurnOutcome(StrEnum):
    COMPLETED = "completed"
    BUDGET = "budget"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @classmethod
    def for_limit(cls, limit: LimitKind) -> "TurnOutcome":
        return cls.TIMEOUT if limit is LimitKind.SECONDS else cls.BUDGET


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUsage:
    """What a turn has used so far. Steps and seconds are its own; the rest includes all turns below it."""

    steps: int = 0
    seconds: float = 0
    tokens: int = 0
    cost: Micros = Micros(0)
    reserved: Micros = Micros(0)  # for open requests

    def highest_share_used(self, limits: Limits) -> float:
        """Return the share of the limit that is used most: 1.0 means that it is used up."""
        own = max(self.steps / limits.iterations, self.seconds / limits.seconds)
        return max(own, self.tokens / limits.tokens, self.cost / max(1, limits.cost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    id: TurnId
    root: TurnId  # the turn itself, if it is a root turn or a background delegation
    session: SessionId
    address: Address
    person: PersonId
    asker: str  # the person's name
    role: RoleName
    tools: frozenset[str]
    limits: Limits
    depth: int
    background: bool
    state: TurnState
    rights: Rights = EVERY_RIGHT  # its person's rights; it may do nothing else
    group: GroupName = NO_GROUP  # the group whose files and memory it uses
    parent_group: GroupName = NO_GROUP  # the group of the turn that opened it
    agent_depth: int = 0  # the depth of its agent's turn: the root turn, or the last hop at or above it
    number: int = 0  # a delegation's number in /status and /stop
    spent: TurnUsage = TurnUsage()
    attempts: int = 0
    is_warned: bool = False  # the model was told that a limit is near
    is_prompted: bool = False  # the model was asked for an answer, because it gave none
    is_set_aside: bool = False  # it was running at too many crashes
    stopped_by: PersonId = NO_PERSON
    waits_for: str = ""  # the budget that open requests of others hold, or MODEL_SERVER_WAIT_REASON
    rests_until: datetime | None = None  # when it asks the model's server again, if it waits for it
    failing_since: datetime | None = None  # when the server began to fail; None if it answers
    patience: float | None = None  # seconds that the failure may last; None: the default
    is_on_fallback: bool = False  # the fallback model answers
    status: TurnOutcome | None = None
    reason: str = ""
    report: str = ""
    form: str = ""  # the JSON Schema that its report must fit; empty: any text
    misfit: str = ""  # why `report` does not fit; the model was then asked for another report
    opened_at: datetime | None = None
    begun_at: datetime | None = None  # when it first got a slot
    ended_at: datetime | None = None

    @property
    def is_root(self) -> bool:
        return self.depth == 0

    @property
    def cache_lifetime(self) -> Literal["5m", "1h"]:
        """Return how long the cache keeps the turn's requests. A person pauses between messages; a role seldom does."""
        return "1h" if self.is_root else "5m"

    @property
    def is_hop(self) -> bool:
        """Return True if it is a group's agent that another group asks."""
        return 0 < self.depth == self.agent_depth

    @property
    def depth_within_group(self) -> int:
        """Return its depth within its group: 0 for the lead and for every group's agent."""
        return self.depth - self.agent_depth

    @property
    def parent_id(self) -> TurnId:
        """Return the turn that called this one. It must not be a root turn."""
        return TurnId(self.id.rsplit("/", 2)[0])

    @property
    def opening_call_id(self) -> CallId:
        return CallId(self.id)

    def seconds_of_model_failure(self, now: datetime) -> float:
        return (now - self.failing_since).total_seconds() if self.failing_since else 0.0

    def seconds_taken(self, now: datetime) -> float:
        """Return the seconds from its start to its end or to `now`. Before its start, count from its opening."""
        return ((self.ended_at or now) - (self.begun_at or self.opened_at or now)).total_seconds()


class CallKind(StrEnum):
    ROW = "row"  # takes effect and is done in the transaction of the reply
    WAIT = "wait"  # takes effect in the transaction of the reply; another turn or a person completes it
    READ = "read"  # takes effect when it runs; it may run again
    CHANGE = "change"  # takes effect when it runs; it runs once


class CallState(StrEnum):
    PLANNED = "planned"
    STARTED = "started"  # only of kind CHANGE: if the process dies now, the outcome is unknown
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    id: CallId
    tool_use_id: str  # the model's id of the call; not unique, since servers repeat theirs
    name: str
    kind: CallKind
    arguments: dict[str, Any]
    state: CallState
    result: str | None
    is_error: bool
    media: dict[str, Any] | None = None  # the block that refers to the image or PDF that it read, if any

    @property
    def tool_use_key(self) -> str:
        """Return the same key for all calls of one tool use: `t7/4/0` for `t7/4/0.0` and `t7/4/0.1`."""
        step, _, position = self.id.rpartition("/")
        return f"{step}/{position.partition('.')[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidModelRequest:
    """One request to the model, paid for in advance. If it is the turn's last one, no call of its reply is run."""

    id: RequestId
    max_tokens: int
    attempt: int  # from 1; a later attempt repeats a request that failed
    model: str  # the model that is asked: the chapter's, or the fallback
    is_doubled: bool = False  # it may write twice as much, because the reply before was cut off
    limit: LimitKind | None = None  # the limit that makes it the turn's last request
    reserved: Micros = Micros(0)  # its worst-case cost

    @property
    def is_last(self) -> bool:
        return self.limit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStanding:
    """The progress of a turn, by its last entry and its open calls. If the turn has ended, only `turn` is set."""

    turn: Turn
    chapter: int = 0
    last_entry_seq: int = 0  # the number of its session's last entry
    prefix_hash: str = ""  # the hash of the chapter's prefix
    is_summary_next: bool = False  # the next reply is the chapter's summary, its last
    web_level: int = 0  # an index of WEB_USE_LEVELS in bot/core/web.py
    open_request: PaidModelRequest | None = None
    pays_for_substitute: bool = False  # the money reserved for `open_request` also pays for a substitute
    open_calls: tuple[Call, ...] = ()
    is_model_next: bool = False
    question_deadline: datetime | None = None  # of its question that ends first

    @property
    def is_turn_open(self) -> bool:
        return self.turn.state in (TurnState.QUEUED, TurnState.RUNNING)

    @property
    def calls_without_waits(self) -> tuple[Call, ...]:
        return tuple(call for call in self.open_calls if call.kind is not CallKind.WAIT)

    def seconds_until_wake(self, now: datetime) -> float | None:
        """Return the seconds until it asks the model again or its first question ends; None if neither is due."""
        until = self.turn.rests_until or self.question_deadline
        left = max(0.0, (until - now).total_seconds()) if until else None
        return min(left, LONGEST_RETRY_WAIT_SECONDS) if left is not None and self.turn.rests_until else left

    @property
    def is_waiting_to_ask_model(self) -> bool:
        """Return True if it waits for money that open requests of others hold, or for the model's server."""
        return self.is_model_next and self.turn.state is TurnState.RUNNING and self.open_request is None

    @property
    def is_waiting_for_money(self) -> bool:
        return self.is_waiting_to_ask_model and self.turn.rests_until is None

    @property
    def is_only_waiting(self) -> bool:
        """Return True if it only waits: for money, the model's server, delegations or a person."""
        return self.is_waiting_to_ask_model or (
            not self.is_model_next and bool(self.open_calls) and not self.calls_without_waits
        )
