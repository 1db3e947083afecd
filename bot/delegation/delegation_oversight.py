"""The tools that oversee delegations: list, read, forward, steer and cancel them."""

from datetime import datetime

from bot.core import reports
from bot.core.acts import Effect
from bot.core.errors import ToolError
from bot.core.limits import GetCurrentTerms
from bot.core.messages import RoleName, role_display_name
from bot.core.reply_plan import FORWARD_REPORT_TOOL_NAME, CancelDelegation, ForwardReport, SteerDelegation
from bot.core.rights import Right
from bot.core.speaker_labels import is_ad_hoc
from bot.core.turn import CallKind, Turn, TurnState
from bot.delegation import texts
from bot.delegation.arguments import flag_or_false, positive_number_or_none, require_text
from bot.delegation.transcript_text import transcript_pages
from bot.journal.delegations import find_visible_delegation
from bot.store import delegations, transcript
from bot.store.connection import Connection, ReadTransactionRunner
from bot.store.delegations import MAX_LISTED_DELEGATIONS, Delegation
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.parameters import closed_object_schema, reject_unknown_arguments

ID_ARGUMENT_SCHEMA = {"id": {"type": "string"}}
TRANSCRIPT_ARGUMENT_SCHEMAS = {
    "transcript": {"type": "boolean", "description": "true: all it has read and said, in place of the report"},
    "page": {"type": "integer", "description": "of the transcript; 1 if left out"},
}
STEER_ARGUMENT_SCHEMAS = {"text": {"type": "string"}}
FROM_OTHERS = frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})
MAX_QUOTED_ID_CHARACTERS = 80  # characters of an unknown id that the error repeats
MAX_SUGGESTED_IDS = 10  # ids that the error lists


def oversight_tools(read: ReadTransactionRunner, terms: GetCurrentTerms) -> list[Tool]:
    looking = DelegationOversight(read, terms)
    return [
        Tool(
            name="list_delegations",
            description=(
                "List this conversation's delegations, newest first: id, role, state, usage, task. Do not "
                "call it to wait: reports come by themselves."
            ),
            input_schema=closed_object_schema({}),
            kind=CallKind.READ,
            effects=FROM_OTHERS,  # their tasks, also of what an earlier conversation began
            needed_right=Right.DELEGATE,
            run=looking.run_list_delegations,
        ),
        Tool(
            name="get_delegation",
            description=(
                "Get one delegation's figures and its report, or that it still runs. `transcript` shows how a "
                "doubtful result came about; it is long, and comes in pages. A report that you have just been "
                "given needs no call."
            ),
            input_schema=closed_object_schema(ID_ARGUMENT_SCHEMA | TRANSCRIPT_ARGUMENT_SCHEMAS, "id"),
            kind=CallKind.READ,
            effects=FROM_OTHERS,  # its transcript holds what it has read
            needed_right=Right.DELEGATE,
            run=looking.run_get_delegation,
        ),
        Tool(
            name=FORWARD_REPORT_TOOL_NAME,
            description=(
                "Post a delegation's report in the chat, word for word and under its role's name. Do not "
                "repeat it in your answer."
            ),
            input_schema=closed_object_schema(ID_ARGUMENT_SCHEMA, "id"),
            kind=CallKind.ROW,
            effects=frozenset(),
            needed_right=Right.DELEGATE,
            plan_rows=looking.plan_forwarding,
        ),
        Tool(
            name="steer_delegation",
            description=("Tell a delegation at work what changes its task. It reads this before its next step."),
            input_schema=closed_object_schema(ID_ARGUMENT_SCHEMA | STEER_ARGUMENT_SCHEMAS, "id", "text"),
            kind=CallKind.ROW,
            effects=frozenset(),
            needed_right=Right.DELEGATE,
            plan_rows=looking.plan_steering,
        ),
        Tool(
            name="cancel_delegation",
            description=(
                "End a delegation at work, with all below it, and get what it has so far. `delegate` with "
                "continue_from can go on with it later."
            ),
            input_schema=closed_object_schema(ID_ARGUMENT_SCHEMA, "id"),
            kind=CallKind.WAIT,
            effects=frozenset(),
            needed_right=Right.DELEGATE,
            plan_rows=looking.plan_cancellation,
        ),
    ]


class DelegationOversight:
    def __init__(self, read: ReadTransactionRunner, terms: GetCurrentTerms) -> None:
        self.read = read
        self.terms = terms

    async def run_list_delegations(self, context: ToolContext, arguments: Arguments) -> str:
        reject_unknown_arguments(arguments, "list_delegations", ())
        found = await self.read(delegations.list_visible_delegations, context.turn, MAX_LISTED_DELEGATIONS + 1)
        lines = [f"{delegation_facts_line(each, self.terms().now)} · {each.task_excerpt}" for each in found]
        if len(lines) > MAX_LISTED_DELEGATIONS:
            lines[MAX_LISTED_DELEGATIONS] = texts.ONLY_THE_NEWEST(most=MAX_LISTED_DELEGATIONS)
        return "\n".join(lines) or texts.NO_DELEGATIONS

    async def run_get_delegation(self, context: ToolContext, arguments: Arguments) -> str:
        id = require_text(arguments, "id", texts.NO_ID)
        reject_unknown_arguments(arguments, "get_delegation", ID_ARGUMENT_SCHEMA | TRANSCRIPT_ARGUMENT_SCHEMAS)
        page = positive_number_or_none(arguments, "page")
        found = await require_delegation(self.read, context.turn, id)
        if not flag_or_false(arguments, "transcript"):
            if page:
                raise ToolError(texts.NO_TRANSCRIPT_NO_PAGES)
            return await self.read(describe_delegation, found, self.terms().now)
        if found.turn.group != context.turn.group:
            raise ToolError(texts.TRANSCRIPT_STAYS(group=found.turn.role))
        page = page or 1
        pages = transcript_pages(await self.read(transcript.session_entries_up_to_turn, found.turn))
        if page > len(pages):
            raise ToolError(texts.NO_SUCH_PAGE(page=page, last=len(pages)))
        heading = texts.TRANSCRIPT_PAGE(delegation=found.turn.id, page=page, pages=len(pages))
        return f"{heading}\n\n{pages[page - 1]}"

    async def plan_cancellation(self, context: ToolContext, arguments: Arguments) -> CancelDelegation:
        id = require_text(arguments, "id", texts.NO_ID)
        reject_unknown_arguments(arguments, "cancel_delegation", ID_ARGUMENT_SCHEMA)
        return CancelDelegation(delegation=(await require_delegation(self.read, context.turn, id)).turn.id)

    async def plan_forwarding(self, context: ToolContext, arguments: Arguments) -> ForwardReport:
        id = require_text(arguments, "id", texts.NO_ID)
        reject_unknown_arguments(arguments, FORWARD_REPORT_TOOL_NAME, ID_ARGUMENT_SCHEMA)
        turn = (await require_delegation(self.read, context.turn, id)).turn
        if not context.turn.is_root:
            raise ToolError(texts.FORWARDED_BELOW)
        if turn.state is not TurnState.ENDED:
            raise ToolError(texts.STILL_RUNNING)
        if not turn.report.strip():
            raise ToolError(texts.REPORT_IS_EMPTY(delegation=turn.id))
        return ForwardReport(delegation=turn.id)

    async def plan_steering(self, context: ToolContext, arguments: Arguments) -> SteerDelegation:
        id = require_text(arguments, "id", texts.NO_ID)
        reject_unknown_arguments(arguments, "steer_delegation", ID_ARGUMENT_SCHEMA | STEER_ARGUMENT_SCHEMAS)
        text = require_text(arguments, "text", texts.NO_WORDS_TO_STEER)
        turn = (await require_delegation(self.read, context.turn, id)).turn
        if turn.is_hop or turn.group != context.turn.group:
            raise ToolError(texts.NOT_STEERED(group=turn.group))
        return SteerDelegation(delegation=turn.id, text=text)


async def require_delegation(read: ReadTransactionRunner, asking: Turn, id: str) -> Delegation:
    """Return the delegation with this id. Raise ToolError if it is unknown or belongs to another conversation."""
    if found := await read(find_visible_delegation, asking, id.strip()):
        return found
    some = await read(delegations.list_visible_delegations, asking, MAX_SUGGESTED_IDS)
    known = ", ".join(
        f"{each.turn.id} ({role_display_name(role_name_in_error(each.turn.role))}, {each.state})" for each in some
    )
    id = id.strip()[:MAX_QUOTED_ID_CHARACTERS]
    raise ToolError(texts.UNKNOWN_ID(delegation=id, known=known) if known else texts.UNKNOWN_ID_OF_NONE(delegation=id))


def role_name_in_error(role: RoleName) -> str:
    """Return the name of a role as an error may repeat it. A name that a model has made up may be somebody's order, and
    nobody notes whose words an error holds."""
    return texts.NAME_MADE_UP if is_ad_hoc(role) else role


def describe_delegation(db: Connection, found: Delegation, now: datetime) -> str:
    """Describe a delegation: its figures, the delegations below it, and its report if it has ended."""
    turn, used = found.turn, delegations.load_usage_of_turn_tree(db, found.turn)
    below = delegations.list_own_delegations_below(db, turn)
    lines = [
        delegation_facts_line(found, now),
        texts.TOKENS_USED(input=used.prompt_tokens, cached=used.cache_read, output=used.output),
        texts.TASK(task=found.task_excerpt),
        *(texts.BELOW(delegation=delegation_facts_line(each, now)) for each in below),
        reports.labelled_report_text(turn) if turn.state is TurnState.ENDED else texts.STILL_RUNNING,
    ]
    return "\n".join(lines)


def delegation_facts_line(each: Delegation, now: datetime) -> str:
    facts = reports.format_delegation_facts(each.turn, each.state, each.turn.seconds_taken(now))
    return f"{role_display_name(each.turn.role)}: {facts}"
