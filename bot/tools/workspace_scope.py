"""Choose the folder that a tool call works in. Each group has a folder of its own. In chats that the lead answers, the
owner works in the workspace. Everybody else works in a folder of the chat, which is hidden in the workspace."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from bot.core.acts import Effects
from bot.core.errors import ToolError
from bot.core.group import GetCurrentGroups, Groups
from bot.core.images_and_pdfs import Media
from bot.core.messages import Address, GroupName
from bot.core.rights import EVERY_RIGHT, Right, Rights
from bot.core.turn import Turn
from bot.tools import Arguments, CallResult, Tool, ToolContext, texts

CHATS_FOLDER = ".chats"  # the folder in the workspace that holds the guests' folders
# Which folder holds a file that somebody has sent, as a row says it: a chat may move, and a folder too
WORKSPACE_SCOPE, CHAT_SCOPE, GROUP_SCOPE_PREFIX = "workspace", "chat", "group:"
MakeFolderTools = Callable[[Path], Sequence[Tool]]  # takes a folder, returns the tools that work in it


def make_scoped_tools(make: MakeFolderTools, workspace: Path, groups: GetCurrentGroups) -> list[Tool]:
    """Return the lead's tools. A call for a group or a guest runs in the folder of the group or chat."""
    scope = FolderScopedTools(make, workspace, groups)
    tools = scope.tools_of_folder(workspace)
    return [
        replace(
            tool,
            run=partial(scope.run_in_folder_of_turn, name),
            find_effects=tool.find_effects and partial(scope.find_effects_in_folder_of_turn, name),
        )
        for name, tool in tools.items()
    ]


def workspace_or_chat_folder(workspace: Path, address: Address, rights: Rights) -> Path:
    """Return the folder for a person in a chat that the lead answers: the workspace for the owner, and for people with
    all the owner's rights; the chat's folder for everybody else."""
    return workspace if rights == EVERY_RIGHT else chat_folder(workspace, address)


def file_scope(rights: Rights, group: str) -> str:
    """Return which folder holds the files of somebody with these rights, where this group's agent answers, or the lead
    if there is no group. It is empty for people who may not read files. `folder_of_scope` finds the folder."""
    if Right.READ_FILES not in rights:
        return ""
    return f"{GROUP_SCOPE_PREFIX}{group}" if group else WORKSPACE_SCOPE if rights == EVERY_RIGHT else CHAT_SCOPE


def folder_of_scope(scope: str, workspace: Path | None, address: Address, groups: Groups) -> Path | None:
    """Return the folder that a scope names for a chat; None if it has none now."""
    if scope.startswith(GROUP_SCOPE_PREFIX):
        group = groups.find_working_group(GroupName(scope.removeprefix(GROUP_SCOPE_PREFIX)))
        return group.workspace if group else None
    if workspace is None or not scope:
        return None
    return workspace if scope == WORKSPACE_SCOPE else chat_folder(workspace, address)


def chat_folder(workspace: Path, address: Address) -> Path:
    return workspace / CHATS_FOLDER / f"{address.channel}-{quote(address.chat, safe='')}"


class FolderScopedTools:
    def __init__(self, make: MakeFolderTools, workspace: Path, groups: GetCurrentGroups) -> None:
        self._make = make
        self._workspace = workspace
        self._groups = groups
        self._made: dict[Path, Mapping[str, Tool]] = {}  # once for each folder: its tools share the lock for changes

    async def run_in_folder_of_turn(
        self, name: str, context: ToolContext, arguments: Arguments
    ) -> str | Media | CallResult:
        return await self.tools_of_folder(self.find_or_make_turn_folder(context.turn))[name].run(context, arguments)

    async def find_effects_in_folder_of_turn(self, name: str, context: ToolContext, arguments: Arguments) -> Effects:
        tool = self.tools_of_folder(self.find_or_make_turn_folder(context.turn))[name]
        return await tool.effects_of_call(context, arguments)

    def find_or_make_turn_folder(self, turn: Turn) -> Path:
        """Return a turn's folder. Raise ToolError if its group has an error or the chat's folder cannot be made."""
        if turn.group:
            group = self._groups().find_working_group(turn.group)
            if group is None:
                raise ToolError(texts.GROUP_OUT_OF_ORDER(group=turn.group))
            return group.workspace
        folder = workspace_or_chat_folder(self._workspace, turn.address, turn.rights)
        if folder != self._workspace:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise ToolError(texts.CHAT_FOLDER_NOT_MADE(reason=error.strerror)) from None
        return folder

    def tools_of_folder(self, folder: Path) -> Mapping[str, Tool]:
        if folder not in self._made:
            self._made[folder] = {tool.name: tool for tool in self._make(folder)}
        return self._made[folder]
