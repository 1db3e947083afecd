"""Who may ask which group, and what an agent is told of those that it may ask."""

from collections.abc import Iterable
from dataclasses import replace

from bot.errors import ToolError
from bot.group import Group, Groups
from bot.prefix import ToolSchema
from bot.reports import unclosed
from bot.tools import Tool
from bot.turn import Turn

GROUP = {"type": "string", "description": "another group's agent, in place of role"}
ASKABLE = "You can ask the agents of these groups (delegate, 'group'). Each has files and a memory of its own:"
GROUPLESS = "only a group may ask a group, and this chat is none's: do without"
BARRED = "your role says whom it delegates to, and a group is none of those: do without"
AS_GROUP = "name it as 'group', if you may ask it"
IS_ROLE = "{} is a role, and no group: name it as 'role'"
LONGEST = 80  # characters of a name that are repeated
GONE = "your group is no longer in order, so it can ask nobody: do without"


def told_of(groups: Iterable[Group]) -> str:
    """Names and descriptions, as they stand in a prefix."""
    told = {each.name: unclosed(" ".join(each.agent.description.split()), "groups") for each in groups}
    lines = [f"- {name}: {description}".rstrip(": ") for name, description in told.items()]
    return "\n".join(["<groups>", ASKABLE, *lines, "</groups>"])


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
        raise ToolError(GONE)
    if found is asking or (found and found in groups.asked_by(asking.name)):
        return found
    may = f"{asking.name} may ask {named_of(groups.asked_by(asking.name)) or 'no other group'}"
    if found is None and groups.grants(asking, name):
        raise ToolError(f"the group {name!r} is not there now, or not in order: tell the person; {may}")
    if found is None:
        raise ToolError(f"there is no group {name[:LONGEST]!r}; {may}")
    why = "it is main, which no other group may" if found.is_main else f"it is not in {asking.name}'s allow_delegation"
    raise ToolError(f"{asking.name} may not ask {found.name}: {why}; {may}")


def named_of(groups: Iterable[Group]) -> str:
    return ", ".join(each.name for each in groups)
