"""The `delegate` tool: hand a part of the work to another role, or continue an ended delegation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.core import reports
from bot.core.acts import Critical, Effect, Effects, Part
from bot.core.errors import ToolError
from bot.core.limits import LIMITS_BY_DELEGATE_ARGUMENT
from bot.core.prompt_prefix import PromptPrefix
from bot.core.reply_plan import DELEGATE_TOOL_NAME, OpenDelegation
from bot.core.rights import Right
from bot.core.speaker_labels import without_ad_hoc_prefix
from bot.core.texts import model
from bot.core.turn import CallKind, Turn, TurnId, TurnState
from bot.delegation import report_schema, texts
from bot.delegation.arguments import (
    flag_or_false,
    names_or_none,
    positive_number_or_none,
    require_text,
    text_or_empty,
    whole_number_or_none,
)
from bot.delegation.delegation_oversight import require_delegation, role_name_in_error
from bot.delegation.optional_arguments import MAX_DEPTH_ARGUMENT
from bot.delegation.rules import (
    DelegationRules,
    LimitOverrides,
    ToolSelection,
)
from bot.store import sessions
from bot.store.connection import Connection, ReadTransactionRunner
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.parameters import (
    closed_object_schema,
    integer_schema,
    reject_unknown_arguments,
    string_list_schema,
    string_schema,
)
from bot.tools.skills import find_skill

TASKS_ARGUMENT = "tasks"
EMPTY_VALUES: tuple[object, ...] = (None, False, "", [], {})  # what models write for arguments that they leave out
TASK_ARGUMENT_SCHEMAS: dict[str, dict[str, Any]] = {
    "role": string_schema("a listed role, or a new specialist's name if those may be made up"),
    "task": string_schema("one objective: what is to be done, and what the report must hold"),
    "context": string_schema("all that it must know: purpose, facts, paths, boundaries"),
    "output_format": string_schema("in words, or a JSON Schema as text, which is checked"),
    "tools": string_list_schema("only these of its tools; all if left out"),
    "max_iterations": integer_schema("steps, each a reply and its calls; if left out, as the role has"),
    "max_tokens": integer_schema("in all; if left out, as the role has"),
    "timeout_seconds": integer_schema("of work; if left out, as the role has"),
    MAX_DEPTH_ARGUMENT: integer_schema("levels of delegation below it"),
    "background": {"type": "boolean", "description": "do not wait; the report comes later as a message"},
    "context_from": string_list_schema("ids of ended delegations whose reports it gets"),
    "continue_from": string_schema("id of an ended delegation that goes on, with what it knows"),
}
DELEGATE_ARGUMENTS = (*TASK_ARGUMENT_SCHEMAS, TASKS_ARGUMENT)
GROUP_ARGUMENT = "group"
SKILL_ARGUMENT = "skill"  # its value names only what the operator has written
UNCRITICAL_ARGUMENTS = frozenset({"background", SKILL_ARGUMENT})


def delegate_argument_schemas(*, is_deep: bool) -> dict[str, dict[str, Any]]:
    """Return the schemas of the arguments. Nobody pays for `max_depth` where only the lead delegates."""
    own = {name: schema for name, schema in TASK_ARGUMENT_SCHEMAS.items() if is_deep or name != MAX_DEPTH_ARGUMENT}
    undescribed = {  # of one of several tasks; the schemas above already describe the fields
        name: {key: value for key, value in schema.items() if key != "description"} for name, schema in own.items()
    }
    tasks = {
        "type": "array",
        "items": closed_object_schema(undescribed, "role", "task"),
        "description": "several delegations, each with the fields above; give nothing else",
    }
    return {**own, TASKS_ARGUMENT: tasks}


def build_delegate_tool(rules: DelegationRules, read: ReadTransactionRunner) -> Tool:
    return Tool(
        name=DELEGATE_TOOL_NAME,
        description=(
            "Have another role do a part of the work, and get its report back. Use it for bulk reading and for large "
            "independent parts; not for what a few calls of your own will do, nor to have your work checked. Give role "
            "and task, or `tasks` alone for several; calls in one reply run side by side. The role sees nothing of "
            "this conversation, so `context` must hold what it needs. `background` is for work that nobody waits for; "
            "`continue_from` for a further task, or the rest of one, to a role that has ended."
        ),
        input_schema=closed_object_schema(delegate_argument_schemas(is_deep=rules.settings.swarm.max_depth > 1)),
        may_take_long_text=True,
        kind=CallKind.WAIT,
        # What a report brings is noted from its own conversation.
        effects=frozenset({Effect.SPENDS, Effect.SENDS_OUT}),
        is_query=True,  # to another group: its answer comes back
        is_own_work=True,
        critical_arguments={
            name: Critical(Part.WHO if name == GROUP_ARGUMENT else Part.TEXT)
            for name in {GROUP_ARGUMENT, *DELEGATE_ARGUMENTS} - UNCRITICAL_ARGUMENTS
        },
        uncritical_arguments=UNCRITICAL_ARGUMENTS,
        find_effects=find_effects_of_delegating,
        needed_right=Right.DELEGATE,
        plan_rows=DelegationPlanner(rules, read).plan_delegation,
        split_arguments=split_arguments_by_task,
        denial_reason=rules.delegation_denial_reason,
        has_strict_schema=True,
    )


async def find_effects_of_delegating(context: ToolContext, arguments: Arguments) -> Effects:
    """Return the effects of a delegation: a question to another group leaves the own group's walls."""
    is_to_group = arguments.get(GROUP_ARGUMENT) not in EMPTY_VALUES
    return frozenset({Effect.SPENDS, *([Effect.SENDS_OUT] if is_to_group else [])})


def split_arguments_by_task(arguments: Arguments) -> Sequence[Arguments]:
    """Split a call with `tasks` into one call for each task. A wrong call stays whole; its plan says what is wrong."""
    tasks = arguments.get(TASKS_ARGUMENT)
    given = {name for name, value in arguments.items() if value not in EMPTY_VALUES}
    is_right = isinstance(tasks, list) and given == {TASKS_ARGUMENT} and all(isinstance(each, dict) for each in tasks)
    return tasks if tasks and is_right else (arguments,)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationOptions:
    """The options of a call besides role and task. Each is valid by itself."""

    tools: ToolSelection
    limits: LimitOverrides
    max_depth: int | None
    is_background: bool
    output_format: str | dict[str, Any] | None

    @classmethod
    def parse(cls, turn: Turn, arguments: Arguments, *, has_groups: bool, has_skills: bool) -> "DelegationOptions":
        names = [*([GROUP_ARGUMENT] if has_groups else []), *DELEGATE_ARGUMENTS]
        names += [SKILL_ARGUMENT] if has_skills else []
        reject_unknown_arguments(arguments, DELEGATE_TOOL_NAME, names)
        text_or_empty(arguments, "context")
        output_format = arguments.get("output_format")
        if not isinstance(output_format, str | dict | None):
            raise ToolError(texts.NOT_AN_OUTPUT_FORMAT)
        background = flag_or_false(arguments, "background")
        if background and not turn.is_root:
            raise ToolError(texts.BACKGROUND_BELOW)
        if background and turn.schedule:  # its report would open a turn with other tools and money
            raise ToolError(texts.BACKGROUND_IN_RUN)
        tools = names_or_none(arguments, "tools")
        given = {field: positive_number_or_none(arguments, name) for name, field in LIMITS_BY_DELEGATE_ARGUMENT.items()}
        limits = {field: limit for field, limit in given.items() if limit is not None}
        depth = whole_number_or_none(arguments, MAX_DEPTH_ARGUMENT)
        return cls(tools=tools, limits=limits, max_depth=depth, is_background=background, output_format=output_format)


class DelegationPlanner:
    def __init__(self, rules: DelegationRules, read: ReadTransactionRunner) -> None:
        self.rules = rules
        self.read = read

    async def plan_delegation(self, context: ToolContext, arguments: Arguments) -> OpenDelegation:
        """Plan a delegation. Raise ToolError for the first fault; the order of the checks is fixed, and the error says
        what is valid. Each question to a group is a new delegation: it names neither `role` nor `continue_from`."""
        turn, rules = context.turn, self.rules
        if denial := rules.delegation_denial_reason(turn):
            raise ToolError(denial)
        if arguments.get(TASKS_ARGUMENT):
            raise ToolError(texts.TASKS_STAND_ALONE)
        earlier, group = text_or_empty(arguments, "continue_from").strip(), text_or_empty(arguments, "group").strip()
        has_groups = bool(turn.group) or rules.may_ask_any_group(turn)
        if group and not has_groups:
            raise ToolError(texts.CHAT_OF_NO_GROUP)
        skill_name = text_or_empty(arguments, SKILL_ARGUMENT).strip()
        for other in ("role", "continue_from", SKILL_ARGUMENT) if group else ():
            if text_or_empty(arguments, other).strip():
                raise ToolError(texts.GROUP_AND_ANOTHER(argument=other))
        name = text_or_empty(arguments, "role").strip()
        if not (name or earlier or group):
            raise ToolError(rules.missing_role_error_text(turn))
        task = require_text(arguments, "task", texts.NO_TASK)
        has_skills = bool(rules.skills_of_turn(turn))
        options = DelegationOptions.parse(turn, arguments, has_groups=has_groups, has_skills=has_skills)
        if skill_name and earlier:
            raise ToolError(texts.SKILL_OF_CONTINUED)
        skill = find_skill(rules.skills_of_turn(turn), skill_name) if skill_name else None
        depth = rules.deepest_level_below(turn, options.max_depth, of_group=bool(group))
        tools, limits, session = options.tools, options.limits, None
        if context.delegations_earlier_in_reply >= (most := rules.settings.swarm.max_per_step):
            raise ToolError(model.TOO_MANY_DELEGATIONS(most=most))
        if group:
            asked = rules.require_askable_group(turn, group)
            resolved = rules.resolve_asked_group_agent(asked, turn.rights, tools, limits)
        elif earlier:
            before = await self.require_ended_delegation(turn, earlier, name)
            prefix, session = await self.read(load_last_prefix_of_turn, before), before.session
            resolved = rules.resolve_continued_delegation(turn, before, prefix, tools, limits, depth)
        else:
            role = rules.find_or_make_delegable_role(turn, name)
            resolved = rules.resolve_child_role(turn, role, tools, limits, depth, skill)
        handed = await self.require_ended_delegations(turn, arguments, of_group=bool(group))
        form, background = await require_valid_report_schema(options.output_format), options.is_background
        return OpenDelegation(
            resolved_role=resolved,
            task=task,
            background=background,
            form=form,
            session=session,
            is_hop=bool(group),
            max_depth=depth,
            handed_reports=handed,
        )

    async def require_ended_delegations(
        self, turn: Turn, arguments: Arguments, *, of_group: bool
    ) -> tuple[TurnId, ...]:
        """Return the delegations whose reports a call hands on, in its order. Raise ToolError if one is unknown or
        still runs. Another group gets no reports: its question must hold what it needs."""
        names_or_none(arguments, "context_from")
        ids = reports.handed_report_ids(arguments)
        if ids and of_group:
            raise ToolError(texts.GROUP_AND_ANOTHER(argument="context_from"))
        found = [(await require_delegation(self.read, turn, id)).turn for id in ids]
        if at_work := next((each for each in found if each.state is not TurnState.ENDED), None):
            raise ToolError(texts.NO_REPORT_TO_HAND_ON(delegation=at_work.id))
        return tuple(each.id for each in found)

    async def require_ended_delegation(self, turn: Turn, id: str, role: str) -> Turn:
        """Return the ended delegation that a call continues. Raise ToolError if it is unknown, still runs, was a
        question to a group, or has another role than the call names. An empty `role` fits all."""
        earlier = (await require_delegation(self.read, turn, id)).turn
        if earlier.is_hop:
            raise ToolError(texts.IS_A_QUESTION(group=earlier.role))
        if earlier.state is not TurnState.ENDED:
            raise ToolError(model.DELEGATION_AT_WORK(delegation=earlier.id))
        if without_ad_hoc_prefix(role).casefold() not in ("", without_ad_hoc_prefix(earlier.role).casefold()):
            raise ToolError(texts.IS_ANOTHER_ROLES(delegation=earlier.id, role=role_name_in_error(earlier.role)))
        return earlier


def load_last_prefix_of_turn(db: Connection, turn: Turn) -> PromptPrefix:
    """Return the prefix for continuing a delegation: its last one, even if its session was continued since."""
    return sessions.load_prefix(db, sessions.find_last_prefix_hash_of_turn(db, turn.session, turn.id))


async def require_valid_report_schema(output_format: str | dict[str, Any] | None) -> str:
    """Return the JSON Schema that the report must fit, as JSON; empty if any report will do, or if words describe it.
    Raise ToolError if the schema is not valid."""
    schema = reports.schema_of_form(output_format)
    try:
        flaw = await report_schema.find_schema_flaw(schema) if schema else ""
    except report_schema.NoVerdict as why:
        flaw = str(why)
    if flaw:
        raise ToolError(texts.NOT_A_SCHEMA(flaw=flaw))
    return schema
