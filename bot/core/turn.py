"""A turn: one run of a role, from what it is given to its report; and where it stands.

Ids are paths. A root turn is `t7`, the calls of its fourth entry are `t7/4/0`, `t7/4/1`, …; a delegation is the turn
that such a call opens, and has the call's own id, as a question has. So what is below a turn begins with its id.
Where the model asks for several delegations in one, each is a call of its own: `t7/4/0.0`, `t7/4/0.1`, ….
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, NewType

from bot.core.limits import Limit, Limits
from bot.core.messages import NO_GROUP, Address, GroupName, PersonId, RoleName
from bot.core.prices import Micros
from bot.core.rights import EVERY_RIGHT, Rights

TurnId = NewType("TurnId", str)
CallId = NewType("CallId", str)
RequestId = NewType("RequestId", int)
SessionId = NewType("SessionId", str)
NO_PERSON = PersonId("")
LONGEST_REST = 3600.0  # seconds: a clock that was set back makes nobody wait for longer
CACHE_LIFE = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}
WAITS_FOR_SERVICE = "service"  # what a turn waits for while its model's server is not there, or too busy


class TurnState(StrEnum):
    QUEUED = "queued"  # this process has not begun it
    RUNNING = "running"
    STOPPING = "stopping"  # its status is decided; it ends when its task, and all below it, are gone
    ENDED = "ended"


class TurnStatus(StrEnum):
    COMPLETED = "completed"
    BUDGET = "budget"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @classmethod
    def for_limit(cls, limit: Limit) -> TurnStatus:
        return cls.TIMEOUT if limit is Limit.SECONDS else cls.BUDGET


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUsage:
    """What a turn has used so far: steps and seconds its own, the rest with all below it."""

    steps: int = 0
    seconds: float = 0
    tokens: int = 0
    cost: Micros = Micros(0)
    reserved: Micros = Micros(0)  # for open requests

    def share_used(self, limits: Limits) -> float:
        """How far the nearest of its limits is reached: 1 is all of it."""
        return max(
            self.steps / limits.iterations,
            self.tokens / limits.tokens,
            self.cost / max(1, limits.cost),
            self.seconds / limits.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    id: TurnId
    root: TurnId  # itself, for a root turn and for a background delegation
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
    rights: Rights = EVERY_RIGHT  # of its person: what it is used for may be nothing else
    group: GroupName = NO_GROUP  # within whose walls it works: whose files and memory it has
    parent_group: GroupName = NO_GROUP  # and those of the turn that began it
    agent_depth: int = 0  # of the agent that it works for or is: of the root turn, or of the last hop above
    number: int = 0  # of a delegation: what /status and /stop call it
    spent: TurnUsage = TurnUsage()
    attempts: int = 0
    is_warned: bool = False  # that a limit is near
    is_prompted: bool = False  # it was asked for words, since it had none
    is_set_aside: bool = False  # it was at work at too many crashes
    stopped_by: PersonId = NO_PERSON
    waits_for: str = ""  # the budget in which only open requests of others stand in its way, or SERVICE
    rests_until: datetime | None = None  # while it waits for the model's server
    failing_since: datetime | None = None  # when that began to fail; None once it has answered
    patience: float | None = None  # seconds for which that may last; None: as the settings say
    is_on_fallback: bool = False  # another model answers instead
    status: TurnStatus | None = None
    reason: str = ""
    report: str = ""
    form: str = ""  # the JSON Schema that its report is to fit; empty: any text will do
    misfit: str = ""  # why it does not, once it was asked for another; then `report` is the one that there was
    opened_at: datetime | None = None
    begun_at: datetime | None = None  # by a process that had a place for it
    ended_at: datetime | None = None

    @property
    def is_root(self) -> bool:
        return self.depth == 0

    @property
    def cache_lifetime(self) -> Literal["5m", "1h"]:
        """How long the cache is asked to hold what its requests leave there: people pause, roles seldom do."""
        return "1h" if self.is_root else "5m"

    @property
    def is_hop(self) -> bool:
        """Whether it is a group's agent that another group asks."""
        return 0 < self.depth == self.agent_depth

    @property
    def role_depth(self) -> int:
        """How many roles deep it is within its group: 0 for the lead and for a group's agent, asked or not."""
        return self.depth - self.agent_depth

    @property
    def parent(self) -> TurnId:
        """The turn whose call this is; of a root turn, nobody asks."""
        return TurnId(self.id.rsplit("/", 2)[0])

    @property
    def call(self) -> CallId:
        """The call that opened this delegation."""
        return CallId(self.id)

    def failing_seconds(self, now: datetime) -> float:
        """For how long its model's server has failed, running."""
        return (now - self.failing_since).total_seconds() if self.failing_since else 0.0

    def seconds_taken(self, now: datetime) -> float:
        """Seconds from its beginning to its end, or until now. Where it has not begun, it has waited for so long."""
        return ((self.ended_at or now) - (self.begun_at or self.opened_at or now)).total_seconds()


class CallKind(StrEnum):
    """When a call takes effect, and when it is done."""

    ROW = "row"  # both in the transaction of the reply
    WAIT = "wait"  # its effect in the transaction of the reply; it is done when another turn or a person does it
    READ = "read"  # when it is run; it may be run again
    CHANGE = "change"  # when it is run, which happens once


class CallState(StrEnum):
    PLANNED = "planned"
    STARTED = "started"  # only what changes things: if we die now, nobody knows the outcome
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    id: CallId
    tool_use_id: str  # the model's; only echoed, since servers repeat theirs
    name: str
    kind: CallKind
    arguments: dict[str, Any]
    state: CallState
    result: str | None
    is_error: bool
    media: dict[str, Any] | None = None  # the block that refers to what it has read, where that is no text

    @property
    def tool_use_key(self) -> str:
        """What the model asked for in one: several calls (`t7/4/0.0`, `t7/4/0.1`) may have come of it."""
        step, _, position = self.id.rpartition("/")
        return f"{step}/{position.partition('.')[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call of the model's API, paid for in advance. Of the last one a turn may make, no call is run."""

    id: RequestId
    max_tokens: int
    attempt: int  # the first is 1; a later one repeats a request that failed
    model: str  # who is asked: the chapter's, or another in its place
    is_doubled: bool = False  # it may write twice as much, since the one before was cut off
    limit: Limit | None = None  # which limit makes it the last
    reserved: Micros = Micros(0)  # what it may cost at worst

    @property
    def is_last(self) -> bool:
        return self.limit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStanding:
    """Where a turn stands. That is nowhere but in its rows: its last entry and its open calls. (Of one that has ended
    nothing but the turn matters.)"""

    turn: Turn
    chapter: int = 0
    seq: int = 0  # of its session's last entry
    prefix: str = ""  # the hash of the chapter's
    is_closing: bool = False  # the chapter's last reply is due: its summary
    web_level: int = 0  # how far the chapter's use of the web is capped: see bot/core/web.py
    request: Request | None = None
    pays_for_substitute: bool = False  # what is reserved for it would pay for another model's attempt too
    open_calls: tuple[Call, ...] = ()
    is_model_next: bool = False
    deadline: datetime | None = None  # of the first of its questions

    @property
    def is_open(self) -> bool:
        return self.turn.state in (TurnState.QUEUED, TurnState.RUNNING)

    @property
    def own_calls(self) -> tuple[Call, ...]:
        """The calls it must run itself."""
        return tuple(call for call in self.open_calls if call.kind is not CallKind.WAIT)

    def seconds_left(self, now: datetime) -> float | None:
        """Until it asks the model again, or the first of its questions is over; None if it does neither."""
        until = self.turn.rests_until or self.deadline
        left = max(0.0, (until - now).total_seconds()) if until else None
        return min(left, LONGEST_REST) if left is not None and self.turn.rests_until else left

    @property
    def is_waiting_to_ask(self) -> bool:
        """Until the requests of others have settled what they cost, or the model's server may be there again."""
        return self.is_model_next and self.turn.state is TurnState.RUNNING and self.request is None

    @property
    def is_waiting_for_money(self) -> bool:
        return self.is_waiting_to_ask and self.turn.rests_until is None

    @property
    def is_only_waiting(self) -> bool:
        """For others: for money or the model's server, for delegations, or for a person."""
        return self.is_waiting_to_ask or (not self.is_model_next and bool(self.open_calls) and not self.own_calls)
