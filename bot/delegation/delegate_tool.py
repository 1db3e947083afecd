"""The `delegate` tool: hand a part of the work to another role, or continue an ended delegation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.core import reports
from bot.core.errors import ToolError
from bot.core.limits import LIMIT_ARGUMENTS
from bot.core.reply_plan import OpenDelegation, ResolvedRole
from bot.core.rights import Right
from bot.core.speaker_labels import without_ad_hoc
from bot.core.texts import model
from bot.core.turn import CallKind, SessionId, Turn, TurnState
from bot.delegation import report_schema, texts
from bot.delegation.arguments import optional_flag, optional_names, optional_number, optional_text, require_text
from bot.delegation.delegation_lookup import load_last_prefix, require_delegation
from bot.delegation.rules import DELEGATE_TOOL, DelegationRules, LimitFields, ToolNames
from bot.store.connection import ReadRows
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.parameters import reject_unknown_names

TEXT_SCHEMA = {"type": "string"}
NUMBER_SCHEMA = {"type": "integer"}
TASKS_ARGUMENT = "tasks"
EMPTY_ARGUMENTS: tuple[object, ...] = (None, False, "", [], {})  # what models write for what they leave out
TASK_FIELDS: dict[str, dict[str, Any]] = {
    "role": {
        **TEXT_SCHEMA,
        "description": "one of the roles listed, or a new specialist's name if those may be made up",
    },
    "task": {**TEXT_SCHEMA, "description": "one objective: what is to be done, and what the report must hold"},
    "context": {**TEXT_SCHEMA, "description": "all that it must know: purpose, facts, names, paths, boundaries"},
    "output_format": {**TEXT_SCHEMA, "description": "of the report: words, or a JSON Schema as text, which is checked"},
    "tools": {"type": "array", "items": TEXT_SCHEMA, "description": "only these of the role's tools; all if left out"},
    "max_iterations": {
        **NUMBER_SCHEMA,
        "description": "steps, each a reply and its calls; the role's limit if left out",
    },
    "max_tokens": {**NUMBER_SCHEMA, "description": "tokens it may use in all; the role's limit if left out"},
    "timeout_seconds": {**NUMBER_SCHEMA, "description": "seconds of work; the role's limit if left out"},
    "background": {"type": "boolean", "description": "true: do not wait; the report comes later, as a message"},
    "continue_from": {**TEXT_SCHEMA, "description": "id of an ended delegation that goes on, with what it knows"},
}
TASK_SCHEMA = {  # one of several tasks; the schema above it already describes the fields
    "type": "object",
    "properties": {
        name: {key: schema[key] for key in schema if key != "description"} for name, schema in TASK_FIELDS.items()
    },
    "required": ["role", "task"],
    "additionalProperties": False,
}
DELEGATE_PROPERTIES = {
    **TASK_FIELDS,
    TASKS_ARGUMENT: {
        "type": "array",
        "items": TASK_SCHEMA,
        "description": "several delegations at once, each with the fields above; then give nothing else",
    },
}


def build_delegate_tool(rules: DelegationRules, read: ReadRows) -> Tool:
    return Tool(
        name=DELEGATE_TOOL,
        description=(
            "Have another role do a part of the work, and get its report back. Use it for bulk reading and for large "
            "independent parts; not for what a few calls of your own will do, nor to have your work checked. Give role "
            "and task, or `tasks` alone for several; calls in one reply run side by side. The role sees nothing of "
            "this conversation, so `context` must hold what it needs. `background` is for work that nobody waits for; "
            "`continue_from` for a further task, or the rest of one, to a role that has ended."
        ),
        input_schema={"type": "object", "properties": DELEGATE_PROPERTIES, "additionalProperties": False},
        takes_long_text=True,
        kind=CallKind.WAIT,
        effects=frozenset(),
        needs=Right.DELEGATE,
        plan=DelegationPlanner(rules, read).plan,
        split=split_tasks,
        denial=rules.delegation_denial,
        is_strict=True,
    )


def split_tasks(arguments: Arguments) -> Sequence[Arguments]:
    """Return the calls that a call with `tasks` stands for. A wrong call stays whole; its plan says what is wrong."""
    tasks = arguments.get(TASKS_ARGUMENT)
    given = {name for name, value in arguments.items() if value not in EMPTY_ARGUMENTS}
    is_right = isinstance(tasks, list) and given == {TASKS_ARGUMENT} and all(isinstance(each, dict) for each in tasks)
    return tasks if tasks and is_right else (arguments,)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationOptions:
    """The options of a call besides role and task. Each is valid by itself."""

    tools: ToolNames
    figures: LimitFields
    background: bool
    output_format: str | dict[str, Any] | None

    @classmethod
    def parse(cls, turn: Turn, arguments: Arguments) -> "DelegationOptions":
        names = ["group", *DELEGATE_PROPERTIES] if turn.group else [*DELEGATE_PROPERTIES]
        reject_unknown_names(arguments, DELEGATE_TOOL, names)
        optional_text(arguments, "context")
        output_format = arguments.get("output_format")
        if not isinstance(output_format, str | dict | None):
            raise ToolError(texts.NOT_AN_OUTPUT_FORMAT)
        background = optional_flag(arguments, "background")
        if background and not turn.is_root:
            raise ToolError(texts.BACKGROUND_BELOW)
        tools = optional_names(arguments, "tools")
        limits = {field: optional_number(arguments, name) for name, field in LIMIT_ARGUMENTS.items()}
        figures = {field: limit for field, limit in limits.items() if limit is not None}
        return cls(tools=tools, figures=figures, background=background, output_format=output_format)


class DelegationPlanner:
    def __init__(self, rules: DelegationRules, read: ReadRows) -> None:
        self.rules = rules
        self.read = read

    async def plan(self, context: ToolContext, arguments: Arguments) -> OpenDelegation:
        """Plan a delegation. Raise ToolError for the first fault, always in the same order, with what is valid.

        Each question to a group is a new delegation: it names neither `role` nor `continue_from`.
        """
        turn, rules = context.turn, self.rules
        if denial := rules.delegation_denial(turn):
            raise ToolError(denial)
        if arguments.get(TASKS_ARGUMENT):
            raise ToolError(texts.TASKS_STAND_ALONE)
        earlier, group = optional_text(arguments, "continue_from").strip(), optional_text(arguments, "group").strip()
        if group and not turn.group:
            raise ToolError(texts.CHAT_OF_NO_GROUP)
        for other in ("role", "continue_from") if group else ():
            if optional_text(arguments, other).strip():
                raise ToolError(texts.GROUP_AND_ANOTHER(argument=other))
        name = optional_text(arguments, "role").strip()
        if not (name or earlier or group):
            raise ToolError(rules.missing_role_text(turn))
        task = require_text(arguments, "task", texts.NO_TASK)
        wishes = DelegationOptions.parse(turn, arguments)
        if context.delegations_opened >= (most := rules.settings.swarm.max_per_step):
            raise ToolError(model.TOO_MANY_DELEGATIONS(most=most))
        session = None
        if group:
            casting = rules.resolve_hop(rules.find_group(turn, group), turn.rights, wishes.tools, wishes.figures)
        elif earlier:
            casting, session = await self.continue_delegation(turn, earlier, name, wishes)
        else:
            casting = rules.resolve_child(turn, rules.find_role(turn, name), wishes.tools, wishes.figures)
        form = await parse_output_format(wishes.output_format)
        background, is_hop = wishes.background, bool(group)
        return OpenDelegation(
            resolved_role=casting, task=task, background=background, form=form, session=session, is_hop=is_hop
        )

    async def continue_delegation(
        self, turn: Turn, id: str, role: str, wishes: DelegationOptions
    ) -> tuple[ResolvedRole, SessionId]:
        """Continue an ended delegation with its own role. Return the resolved role and the session.

        Raise ToolError if the delegation is unknown, still runs, was a question to a group, or has another role.
        """
        earlier = (await require_delegation(self.read, turn, id)).turn
        if earlier.is_hop:
            raise ToolError(texts.IS_A_QUESTION(group=earlier.role))
        if earlier.state is not TurnState.ENDED:
            raise ToolError(model.DELEGATION_AT_WORK(delegation=earlier.id))
        if without_ad_hoc(role).casefold() not in ("", without_ad_hoc(earlier.role).casefold()):
            raise ToolError(texts.IS_ANOTHER_ROLES(delegation=earlier.id, role=earlier.role))
        prefix = await self.read(load_last_prefix, earlier)
        return self.rules.resolve_again(turn, earlier, prefix, wishes.tools, wishes.figures), earlier.session


async def parse_output_format(output_format: str | dict[str, Any] | None) -> str:
    """Return the JSON Schema that the report must fit, as JSON. Raise ToolError if it is not a valid schema.

    Return an empty text if any report will do, or if words describe it.
    """
    schema = reports.schema_of_form(output_format)
    if not schema:
        return ""
    try:
        flaw = await report_schema.find_schema_flaw(schema)
    except report_schema.NoVerdict as why:
        flaw = str(why)
    if flaw:
        raise ToolError(texts.NOT_A_SCHEMA(flaw=flaw))
    return schema
