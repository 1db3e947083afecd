"""A turn: one run of a role, from its task to its report; and its progress. Ids are paths. A root turn is `t7`. The
calls of its fourth entry are `t7/4/0`, `t7/4/1`, …. A direct turn, which a person's message to a role has opened, is
named like a root turn. A call that opens a delegation or a question shares its id with it.
So the id of everything below a turn begins with the turn's id. If one tool use of the model asks for several
delegations, each is a call: `t7/4/0.0`, `t7/4/0.1`, …."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Any, Literal, NewType

from bot.core.limits import LimitKind, Limits
from bot.core.messages import NO_GROUP, Address, GroupName, MessageId, PersonId, RoleName
from bot.core.prices import Micros
from bot.core.rights import EVERY_RIGHT, Rights

TurnId = NewType("TurnId", str)
CallId = NewType("CallId", str)
RequestId = NewType("RequestId", int)
SessionId = NewType("SessionId", str)
NO_PERSON = PersonId("")
OPERATOR = PersonId("the operator")  # in `stopped_by`: nobody in a chat has stopped the turn
LONGEST_RETRY_WAIT_SECONDS = 3600.0  # seconds; if the clock is set back, no turn waits longer
CACHE_LIFETIMES = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}
REPORT_MESSAGE_ID_PREFIX = "report:"  # of the message with a delegation's report; the rest is the delegation's id
SCHEDULE_MESSAGE_ID_PREFIX = "schedule:"  # of the message that begins a run of a schedule, whose number follows
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
    root: TurnId  # the turn whose money and board it shares; itself, if it began as a root turn or in the background
    session: SessionId
    address: Address
    person: PersonId
    asker: str  # the person's name
    role: RoleName
    tools: frozenset[str]
    limits: Limits
    depth: int
    background: bool  # no call waits for it: its report comes as a message
    state: TurnState
    rights: Rights = EVERY_RIGHT  # its person's rights; it may do nothing else
    group: GroupName = NO_GROUP  # the group whose files and memory it uses
    is_private: bool = False  # nobody but its person reads its conversation
    parent_group: GroupName = NO_GROUP  # the group of the turn that opened it
    max_depth: int | None = None  # the greatest depth within its group below it; None: what the operator allows
    agent_depth: int = 0  # the depth of its agent's turn: the root turn, or the last hop at or above it
    number: int = 0  # a delegation's number in /status and /stop
    spent: TurnUsage = TurnUsage()
    attempts: int = 0
    is_warned: bool = False  # the model was told that a limit is near
    is_prompted: bool = False  # the model was asked for an answer, because it gave none
    is_set_aside: bool = False  # it was running at too many crashes
    language: str = ""  # in which it speaks to people; empty: the operator's
    schedule: int = 0  # the number of the schedule that it is a run of; 0: of none
    is_report_held: bool = False  # its report opens no turn: it waits for the person's next message
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
    def is_detached(self) -> bool:
        """Return True if its parent waited for it until a message came: then it went on in the background."""
        return self.background and self.root != self.id

    @property
    def is_direct(self) -> bool:
        """Return True if no call has opened it: a person has written to a role that had ended, and it works again."""
        return not self.is_root and "/" not in self.id

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
        """Return the turn that called this one. It must be neither a root turn nor a direct one."""
        return TurnId(self.id.rsplit("/", 2)[0])

    @property
    def step_prefix(self) -> str:
        """Return how the ids of all delegations of the same reply begin: `t7/4/` for `t7/4/0.1`."""
        return self.id.rpartition("/")[0] + "/"

    @property
    def opening_call_id(self) -> CallId:
        return CallId(self.id)

    def is_within(self, top: TurnId) -> bool:
        """Return True if it is that turn, or is below it."""
        return self.id == top or self.id.startswith(f"{top}/")

    def seconds_of_model_failure(self, now: datetime) -> float:
        return (now - self.failing_since).total_seconds() if self.failing_since else 0.0

    def seconds_taken(self, now: datetime) -> float:
        """Return the seconds from its start to its end or to `now`. Before its start, count from its opening."""
        return ((self.ended_at or now) - (self.begun_at or self.opened_at or now)).total_seconds()


def delegation_of_report(message: MessageId) -> TurnId | None:
    """Return the id of the background delegation whose report this message is; None if a person wrote it."""
    is_report = message.startswith(REPORT_MESSAGE_ID_PREFIX)
    return TurnId(message.removeprefix(REPORT_MESSAGE_ID_PREFIX)) if is_report else None


class CallKind(StrEnum):
    ROW = "row"  # takes effect and is done in the transaction of the reply
    WAIT = "wait"  # takes effect in the transaction of the reply; another turn or a person completes it
    READ = "read"  # takes effect when it runs; it may run again
    CHANGE = "change"  # takes effect when it runs; it runs once


class CallApproval(StrEnum):
    """Whether a person was asked about a call, and has agreed to it."""

    NONE = ""
    GRANTED = "granted"
    USED = "used"  # the call has begun


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
    approval: CallApproval = CallApproval.NONE

    @property
    def may_have_run(self) -> bool:
        """Return True for an open call that has begun: it is marked as started, or a person's yes to it is used up."""
        return self.state is CallState.STARTED or self.approval is CallApproval.USED

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
    uncached_tokens: int = 0  # tokens of its prompt that no cache held when it was paid for

    @property
    def is_last(self) -> bool:
        return self.limit is not None


class NextStep(Enum):
    """What an open turn does next."""

    BEGIN = auto()  # this process has not started it
    ASK_MODEL = auto()
    RUN_CALLS = auto()
    WRITE_RESULTS = auto()  # all calls of its step are done
    WAIT_FOR_CALLS = auto()  # delegations or a person complete them
    WAIT_FOR_MONEY = auto()  # open requests of others hold it
    WAIT_FOR_SERVER = auto()  # the model's server is away or too busy

    @property
    def is_wait(self) -> bool:
        return self in (NextStep.WAIT_FOR_CALLS, NextStep.WAIT_FOR_MONEY, NextStep.WAIT_FOR_SERVER)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStanding:
    """The progress of a turn, by its last entry and its open calls. If the turn has ended, only `turn` is set."""

    turn: Turn
    chapter: int = 0
    last_entry_seq: int = 0  # the number of its session's last entry
    prefix_hash: str = ""  # the hash of the chapter's prefix
    prompt_tokens: int = 0  # of its next request, estimated
    is_summary_next: bool = False  # the next reply is the chapter's summary, its last
    web_level: int = 0  # an index of WEB_USE_LEVELS in bot/core/web.py
    withheld_tools: frozenset[str] = frozenset()  # tools of the model's server for which a person must be asked
    has_withheld_tools: bool = False  # now, or before a person has agreed
    open_request: PaidModelRequest | None = None
    pays_for_substitute: bool = False  # the money reserved for `open_request` also pays for a substitute
    open_calls: tuple[Call, ...] = ()
    is_model_next: bool = False
    question_deadline: datetime | None = None  # of its question that ends first
    may_message_interrupt: bool = False  # it waits for delegations, and a person's message waits there

    @property
    def next_step(self) -> NextStep | None:
        """Return what the turn does next; None if it has ended, or its end is decided."""
        is_queued = self.turn.state is TurnState.QUEUED
        if not is_queued and self.turn.state is not TurnState.RUNNING:
            return None
        if self.open_calls and not self.calls_without_waits and not self.is_model_next:
            return NextStep.WAIT_FOR_CALLS  # also if it is queued: it begins when it has work of its own
        if is_queued:
            return NextStep.BEGIN
        if not self.is_model_next:
            return NextStep.RUN_CALLS if self.open_calls else NextStep.WRITE_RESULTS
        if self.open_request:
            return NextStep.ASK_MODEL
        return NextStep.WAIT_FOR_SERVER if self.turn.rests_until else NextStep.WAIT_FOR_MONEY

    @property
    def calls_without_waits(self) -> tuple[Call, ...]:
        return tuple(call for call in self.open_calls if call.kind is not CallKind.WAIT)

    def seconds_until_wake(self, now: datetime) -> float | None:
        """Return the seconds until it asks the model again or its first question ends; None if neither is due."""
        until = self.turn.rests_until or self.question_deadline
        left = max(0.0, (until - now).total_seconds()) if until else None
        return min(left, LONGEST_RETRY_WAIT_SECONDS) if left is not None and self.turn.rests_until else left
