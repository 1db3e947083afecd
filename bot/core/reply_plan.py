"""A plan: what the reply planner makes of a model's reply. The journal writes it in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core.content_blocks import Block
from bot.core.limits import Limits
from bot.core.messages import NO_GROUP, GroupName, RoleName
from bot.core.prices import Usage
from bot.core.prompt_prefix import Prefix
from bot.core.sources import Sources
from bot.core.turn import CallId, CallKind, RequestId, SessionId, TurnId, TurnStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRole:
    """What a turn of a role is opened with: the role as it is played now."""

    role: RoleName
    prefix: Prefix
    tools: frozenset[str]
    limits: Limits
    group: GroupName = NO_GROUP  # whose walls it works within


@dataclass(frozen=True, slots=True, kw_only=True)
class PostUpdate:
    """Say something in the chat, as the role."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPerson:
    """Put a question to the turn's person."""

    text: str
    options: tuple[str, ...]
    default: str | None
    deadline: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDelegation:
    """Open a turn of another role, or of another group's agent, below this one, or beside it, in the background."""

    resolved_role: ResolvedRole
    task: str
    background: bool
    form: str = ""  # the JSON Schema that its report is to fit; empty: any text will do
    session: SessionId | None = None  # the sub-session that it goes on with; None: one of its own
    is_hop: bool = False  # it is a group's agent, and no role below this turn


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelDelegation:
    """End a delegation that is at work; the call is done when that has ended, with what it has."""

    delegation: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveMemory:
    """Remember a text in the turn's chat."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetMemory:
    """Delete what the turn's chat remembers under a number."""

    memory: int


PlannedRows = PostUpdate | AskPerson | OpenDelegation | CancelDelegation | SaveMemory | ForgetMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    id: CallId
    tool_use_id: str
    name: str
    kind: CallKind
    arguments: dict[str, Any]
    rows: PlannedRows | None = None
    refusal: str | None = None  # why it will not be run
    is_repeatable: bool = False  # it may be run again though it may have been run


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPlan:
    """A reply: its entry, and either calls, or the turn's end, or the end of its chapter."""

    turn: TurnId
    request: RequestId
    usage: Usage
    worked: float  # seconds since the turn's clock was last written down
    seq: int
    content: list[Block]
    calls: tuple[PlannedCall, ...]
    update: str  # what the lead says beside its calls; often nothing
    status: TurnStatus
    reason: str  # why it is no completion
    report: str
    is_wordless: bool = False  # what the turn has said since its person last wrote is the answer, if it has
    follow_up: str = ""  # else what the model is asked for instead: words where there were none, or another form
    misfit: str = ""  # why another form is asked for
    is_paused: bool = False  # it goes on: sent back as it is
    was_served: bool = False  # the server has run tools of its own for it
    is_cut: bool = False  # a call in it was cut off: nothing of it is kept, and it is asked for again, with more room
    sources: Sources = frozenset()  # what it has read on the server, and what its calls are to read
    is_summary: bool = False  # of a chapter; the next begins with it
