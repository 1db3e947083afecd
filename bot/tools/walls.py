"""The tools of a workspace, where each group has its own: whose turn it is decides which folder a call works in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bot.errors import ToolError
from bot.group import GroupsNow
from bot.media import Media
from bot.messages import GroupName
from bot.tools import Arguments, Run, Tool, ToolContext

Make = Callable[[Path], Sequence[Tool]]  # the tools that work in a folder


def walled(make: Make, workspace: Path, groups: GroupsNow) -> list[Tool]:
    """The tools of the lead's workspace; what a group's turn calls is run by those of the group's."""
    walls = Walls(make, groups)
    return [replace(tool, run=walls.around(tool)) for tool in make(workspace)]


class Walls:
    def __init__(self, make: Make, groups: GroupsNow) -> None:
        self._make = make
        self._groups = groups
        self._made: dict[Path, Mapping[str, Tool]] = {}  # once for each folder: who changes a file there shuts it

    def around(self, tool: Tool) -> Run:
        async def run(context: ToolContext, arguments: Arguments) -> str | Media:
            group = context.turn.group
            return await (self.inside(group)[tool.name] if group else tool).run(context, arguments)

        return run

    def inside(self, name: GroupName) -> Mapping[str, Tool]:
        group = self._groups().named(name)
        if group is None:
            raise ToolError(f"the group {name} is no longer in order, so its files cannot be reached: tell the person")
        if group.workspace not in self._made:
            self._made[group.workspace] = {tool.name: tool for tool in self._make(group.workspace)}
        return self._made[group.workspace]
