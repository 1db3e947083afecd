"""A plan: what the reply planner decides about a model's reply. The journal writes it in one transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core.content_blocks import Block
from bot.core.limits import Limits
from bot.core.messages import NO_GROUP, GroupName, RoleName
from bot.core.prices import Usage
from bot.core.prompt_prefix import PromptPrefix
from bot.core.sources import Sources
from bot.core.turn import CallId, CallKind, RequestId, SessionId, TurnId, TurnOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRole:
    """What a turn of a role needs to be opened: the role with today's config and prompt."""

    role: RoleName
    prefix: PromptPrefix
    tools: frozenset[str]
    limits: Limits
    group: GroupName = NO_GROUP  # the group whose files and memory it uses


@dataclass(frozen=True, slots=True, kw_only=True)
class PostUpdate:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPerson:
    text: str
    options: tuple[str, ...]
    default: str | None
    deadline: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDelegation:
    """Open a turn of another role or of another group's agent: below this turn, or beside it in the background."""

    resolved_role: ResolvedRole
    task: str
    background: bool
    form: str = ""  # the JSON Schema that its report must fit; empty: any text
    session: SessionId | None = None  # the sub-session that it continues; None: a new one
    is_hop: bool = False  # it is a group's agent, not a role


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelDelegation:
    """End a delegation. The call is done when the delegation has ended; the result is what it has found so far."""

    delegation: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveMemory:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetMemory:
    memory: int


RowsToWrite = PostUpdate | AskPerson | OpenDelegation | CancelDelegation | SaveMemory | ForgetMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    id: CallId
    tool_use_id: str
    name: str
    kind: CallKind
    arguments: dict[str, Any]
    rows_to_write: RowsToWrite | None = None
    refusal: str | None = None  # why the call is not run
    is_repeatable: bool = False  # it may run again, even if its outcome is unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPlan:
    """A reply: its entry, and then calls, the end of the turn, or the end of its chapter."""

    turn: TurnId
    request: RequestId
    usage: Usage
    worked_seconds: float  # seconds of work that no row counts yet
    seq: int
    content: list[Block]
    calls: tuple[PlannedCall, ...]
    update_text: str  # the lead's text beside its calls; often empty
    status: TurnOutcome
    reason: str  # why the status is not COMPLETED
    report: str
    may_earlier_update_answer: bool = False  # an update posted after the person's last message may be the answer
    follow_up_request: str = ""  # otherwise the request to the model for an answer, or for another form
    misfit: str = ""  # why the report does not fit its form
    is_paused_by_server: bool = False  # the server paused: the reply is sent back unchanged
    has_server_tool_uses: bool = False  # the server has run its own tools for it
    has_call_cut_off: bool = False  # a call was cut off: drop the reply, and ask again with more room
    sources: Sources = frozenset()  # what it has read on the server, and what its calls will read
    is_summary: bool = False  # the summary of a chapter; the next chapter begins with it
