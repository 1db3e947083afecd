"""Who may ask which group, and what an agent is told of those that it may ask."""

from collections.abc import Iterable
from dataclasses import replace

from bot.delegation import texts
from bot.errors import ToolError
from bot.group import Group, Groups
from bot.prefix import ToolSchema
from bot.reports import unclosed
from bot.tools import Tool
from bot.turn import Turn

GROUP = {"type": "string", "description": "another group's agent, in place of role"}
LONGEST = 80  # characters of a name that are repeated


def told_of(groups: Iterable[Group]) -> str:
    """Names and descriptions, as they stand in a prefix."""
    told = {each.name: unclosed(" ".join(each.agent.description.split()), "groups") for each in groups}
    lines = [f"- {name}: {description}".rstrip(": ") for name, description in told.items()]
    return "\n".join(["<groups>", texts.YOUR_GROUPS, *lines, "</groups>"])


def taking_groups(tool: Tool) -> Tool:
    """`delegate` as it is shown to who may ask a group. Nobody else pays for the words."""
    schema, several = tool.input_schema, tool.input_schema["properties"]["tasks"]
    task = {**with_group(several["items"], {"type": "string"}), "required": ["task"]}
    properties = {**schema["properties"], "tasks": {**several, "items": task}}
    return replace(tool, input_schema=with_group({**schema, "properties": properties}, GROUP))


def with_group(schema: ToolSchema, group: ToolSchema) -> ToolSchema:
    return {**schema, "properties": {"group": group, **schema["properties"]}}


def asked(groups: Groups, turn: Turn, name: str) -> Group:
    """The group that a turn asks for, judged by the group it is in itself, and by nobody above; raises ToolError where
    that may not ask it, and says why and whom it may."""
    asking, found = groups.named(turn.group), groups.named(name)
    if asking is None:
        raise ToolError(texts.YOUR_GROUP_OUT_OF_ORDER)
    if found is asking or (found and found in groups.asked_by(asking.name)):
        return found
    own, may = asking.name, named_of(groups.asked_by(asking.name)) or texts.NO_OTHER_GROUP
    if found is None and groups.grants(asking, name):
        raise ToolError(texts.GROUP_OUT_OF_ORDER(group=name, asking=own, groups=may))
    if found is None:
        raise ToolError(texts.NO_SUCH_GROUP(group=name[:LONGEST], asking=own, groups=may))
    if found.is_main:
        raise ToolError(texts.MAY_NOT_ASK_MAIN(group=found.name, asking=own, groups=may))
    raise ToolError(texts.MAY_NOT_ASK(group=found.name, asking=own, groups=may))


def named_of(groups: Iterable[Group]) -> str:
    return ", ".join(each.name for each in groups)
