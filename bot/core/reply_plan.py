"""A plan: what the reply planner decides about a model's reply. The journal writes it in one transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core.acts import Act
from bot.core.content_blocks import Block
from bot.core.limits import Limits
from bot.core.messages import NO_GROUP, Address, GroupName, RoleName
from bot.core.outgoing_files import OutgoingFile
from bot.core.prices import Usage
from bot.core.prompt_prefix import PromptPrefix
from bot.core.scope_kinds import ScopeKind
from bot.core.sent_request import SentRequest
from bot.core.sources import Sources
from bot.core.turn import CallId, CallKind, RequestId, SessionId, TurnId, TurnOutcome

POST_UPDATE_TOOL_NAME = "message"  # only delegations have it: the lead speaks by its text
FORWARD_REPORT_TOOL_NAME = "forward_report"
DELEGATE_TOOL_NAME = "delegate"
SEND_FILE_TOOL_NAME = "send_file"
SEND_MESSAGE_TOOL_NAME = "send_message"


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
    max_depth: int | None = None  # as in `Turn`
    handed_reports: tuple[TurnId, ...] = ()  # the ended delegations whose reports it reads


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelDelegation:
    """End a delegation. The call is done when the delegation has ended; the result is what it has found so far."""

    delegation: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SteerDelegation:
    """Hand words to a delegation at work, which reads them before its next step."""

    delegation: TurnId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardReport:
    """Post the report of an ended delegation in the chat, word for word."""

    delegation: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SendFiles:
    """Post files in the chat, with a caption. They are checked and copied."""

    files: tuple[OutgoingFile, ...]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SendMessage:
    """Post a text in another chat of the turn's person."""

    address: Address
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveMemory:
    text: str
    scope: ScopeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetMemory:
    memory: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeSchedule:
    """Make a schedule. The tool has read its times and its condition, and found them right."""

    once: datetime | None
    start: datetime
    repeat: str
    zone: str  # as in `Schedule`
    is_zone_known: bool  # the person has set it
    is_reminder: bool
    text: str
    is_silent: bool
    tools: frozenset[str] = frozenset()
    condition: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSchedule:
    schedule: int
    change: str  # pause | resume | delete


ScheduleRows = MakeSchedule | ChangeSchedule
DelegationRows = OpenDelegation | CancelDelegation | SteerDelegation | ForwardReport
RowsToWrite = (
    PostUpdate | SendFiles | SendMessage | AskPerson | DelegationRows | SaveMemory | ForgetMemory | ScheduleRows
)


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
    act: Act | None = None  # what it does, as the gate judges it; None: nothing that the gate asks about


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCalls:
    """Run its calls."""

    seq: int  # the number of its entry, which the ids of the calls contain
    calls: tuple[PlannedCall, ...]
    text: str  # beside the calls; often empty
    sources: Sources  # what its calls will read


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTurn:
    """End the turn with this report."""

    status: TurnOutcome
    reason: str  # why the status is not COMPLETED, or why the report does not fit its form
    report: str  # empty if the model found no words


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForWords:
    """Ask the model once for an answer, because it gave none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForCorrection:
    """Ask the model once for another report, because this one does not fit its form."""

    report: str
    flaw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWithUpdate:
    """The lead has no words. An update posted after the person's last message is its answer, if there is one."""

    otherwise: AskForWords | EndTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The server paused: send the reply back unchanged, and the server continues it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """A call was cut off: drop the reply, and ask again with more room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The reply is the summary of its chapter. The next chapter begins with it."""

    text: str


ReplyOutcome = RunCalls | EndTurn | AskForWords | AskForCorrection | AnswerWithUpdate | Paused | CutOff | Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPlan:
    """A reply: what it cost, its entry, and what comes next."""

    turn: TurnId
    request: RequestId
    usage: Usage
    content: list[Block]
    sources: Sources  # what it has read on the server
    read_sites: frozenset[str] = frozenset()  # the sites of these pages
    outcome: ReplyOutcome
    sent: SentRequest | None = None  # how its request was built
