"""The tools of a workspace: whose turn it is decides which folder a call works in.

Each group has a folder of its own. Where the lead answers, the owner has the workspace, and everybody else a folder of
the chat, which lies in the workspace, hidden.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from bot.core.errors import ToolError
from bot.core.group import GroupsNow
from bot.core.media import Media
from bot.core.messages import Address, GroupName
from bot.core.rights import EVERY_RIGHT, Rights
from bot.core.turn import Turn
from bot.tools import Arguments, Tool, ToolContext, ToolRun, texts

CHATS = ".chats"  # the folder of the guests' folders, in the workspace
MakeTools = Callable[[Path], Sequence[Tool]]  # the tools that work in a folder


def scope_tools(make: MakeTools, workspace: Path, groups: GroupsNow) -> list[Tool]:
    """The tools of the lead's workspace; what is called for a group, or for a guest, is run by those of its folder."""
    walls = WorkspaceScope(make, workspace, groups)
    return [replace(tool, run=walls.wrap_run_in_scope(tool)) for tool in make(workspace)]


def workspace_by_rights(workspace: Path, address: Address, rights: Rights) -> Path:
    """The folder of somebody with these rights where the lead answers: of the owner, and of who may do all that the
    owner may, the workspace; of everybody else, the chat's."""
    if rights == EVERY_RIGHT:
        return workspace
    return chat_folder(workspace, address)


def chat_folder(workspace: Path, address: Address) -> Path:
    return workspace / CHATS / f"{address.channel}-{quote(address.chat, safe='')}"


class WorkspaceScope:
    def __init__(self, make: MakeTools, workspace: Path, groups: GroupsNow) -> None:
        self._make = make
        self._workspace = workspace
        self._groups = groups
        self._made: dict[Path, Mapping[str, Tool]] = {}  # once for each folder: who changes a file there shuts it

    def wrap_run_in_scope(self, tool: Tool) -> ToolRun:
        async def run(context: ToolContext, arguments: Arguments) -> str | Media:
            own = self.tools_for_turn(context.turn)
            return await (tool if own is None else own[tool.name]).run(context, arguments)

        return run

    def tools_for_turn(self, turn: Turn) -> Mapping[str, Tool] | None:
        """Those of another folder; None where the turn works in the workspace itself."""
        if turn.group:
            return self.tools_of_group(turn.group)
        folder = workspace_by_rights(self._workspace, turn.address, turn.rights)
        if folder == self._workspace:
            return None
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ToolError(texts.CHAT_FOLDER_NOT_MADE(reason=error.strerror)) from None
        return self.tools_of_folder(folder)

    def tools_of_group(self, name: GroupName) -> Mapping[str, Tool]:
        group = self._groups().find_group(name)
        if group is None:
            raise ToolError(texts.GROUP_OUT_OF_ORDER(group=name))
        return self.tools_of_folder(group.workspace)

    def tools_of_folder(self, folder: Path) -> Mapping[str, Tool]:
        if folder not in self._made:
            self._made[folder] = {tool.name: tool for tool in self._make(folder)}
        return self._made[folder]
