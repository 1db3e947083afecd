"""Questions to groups: which group an agent may ask, and how its prompt describes those groups."""

from collections.abc import Iterable
from dataclasses import replace

from bot.core.errors import ToolError
from bot.core.group import Group, Groups
from bot.core.reports import escape_mark
from bot.core.turn import Turn
from bot.delegation import texts
from bot.tools import Tool

GROUP_ARGUMENT = {"type": "string", "description": "another group's agent, in place of role"}
LONGEST_GROUP_NAME = 80  # characters of a name that the error repeats


def groups_prompt(groups: Iterable[Group]) -> str:
    """Return the groups' names and descriptions as the prefix holds them."""
    told = {each.name: escape_mark(" ".join(each.agent.description.split()), "groups") for each in groups}
    lines = [f"- {name}: {description}".rstrip(": ") for name, description in told.items()]
    return "\n".join(["<groups>", texts.YOUR_GROUPS, *lines, "</groups>"])


def with_group_argument(tool: Tool) -> Tool:
    """Return `delegate` with the group argument, for agents that may ask a group. No other agent pays for the words."""
    schema, several = tool.input_schema, tool.input_schema["properties"]["tasks"]
    fields = {"group": {"type": "string"}, **several["items"]["properties"]}
    task = {**several["items"], "properties": fields, "required": ["task"]}
    properties = {"group": GROUP_ARGUMENT, **schema["properties"], "tasks": {**several, "items": task}}
    return replace(tool, input_schema={**schema, "properties": properties})


def find_askable_group(groups: Groups, turn: Turn, name: str) -> Group:
    """Return the group that a turn wants to ask. Only the turn's own group decides, not the turns above it.

    Raise ToolError if that group may not ask it. The error says why, and which groups it may ask.
    """
    asking, found = groups.find_group(turn.group), groups.find_group(name)
    if asking is None:
        raise ToolError(texts.YOUR_GROUP_OUT_OF_ORDER)
    if found is asking or (found and found in groups.groups_askable_by(asking.name)):
        return found
    own, may = asking.name, join_group_names(groups.groups_askable_by(asking.name)) or texts.NO_OTHER_GROUP
    if found is None and groups.is_asking_allowed(asking, name):
        raise ToolError(texts.GROUP_OUT_OF_ORDER(group=name, asking=own, groups=may))
    if found is None:
        raise ToolError(texts.NO_SUCH_GROUP(group=name[:LONGEST_GROUP_NAME], asking=own, groups=may))
    if found.is_main:
        raise ToolError(texts.MAY_NOT_ASK_MAIN(group=found.name, asking=own, groups=may))
    raise ToolError(texts.MAY_NOT_ASK(group=found.name, asking=own, groups=may))


def join_group_names(groups: Iterable[Group]) -> str:
    return ", ".join(each.name for each in groups)
