"""Delete the files that people sent once they are no longer to be kept. Rows say which, so a start goes on with it."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from bot.core.errors import ToolError
from bot.core.group import Groups
from bot.core.incoming_files import FileId
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Address, GroupName
from bot.core.texts import logs
from bot.journal.bus import Bus
from bot.journal.openings import RoleResolver
from bot.store import Store, chats
from bot.store import incoming_files as rows
from bot.store.connection import FILES_REMOVED_TOPIC
from bot.store.incoming_files import KeptPlace
from bot.tools.inbox_folder import delete_from_workspace
from bot.tools.workspace_scope import CHAT_SCOPE, GROUP_SCOPE_PREFIX, chat_folder

FILES_DELETED_AT_ONCE = 100
RETRY_SECONDS = 600.0  # after files that could not be deleted

log = logging.getLogger(__name__)


class FolderOutOfReach(Exception):
    """Nobody can say now whether a file is still there: its folder may come back."""


class FileRemoval:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        resolver: RoleResolver,
        terms: GetCurrentTerms,
        is_being_fetched: Callable[[FileId], bool],
    ) -> None:
        self.is_being_fetched = is_being_fetched
        self.store = store
        self.bus = bus
        self.resolver = resolver
        self.terms = terms

    async def run(self) -> None:
        with self.bus.subscribe(FILES_REMOVED_TOPIC) as changed:
            while True:
                changed.take_names_and_clear()
                are_left = await self.delete_all_within_reach()
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_SECONDS if are_left else None):
                        await changed.wait()

    async def delete_all_within_reach(self) -> bool:
        """Delete the files that are to go. Return True if some could not be deleted."""
        last, are_left = FileId(""), False
        while leaving := await self.store.read(rows.list_files_to_delete, last, FILES_DELETED_AT_ONCE):
            moves = await self.store.read(chats.list_chat_moves)
            deleted = await asyncio.to_thread(self.delete_files, leaving, moves)
            await self.store.write(rows.note_files_deleted, deleted)
            last, are_left = leaving[-1].id, are_left or len(deleted) < len(leaving)
        return are_left

    def delete_files(self, leaving: Sequence[KeptPlace], moves: Sequence[tuple[Address, Address]]) -> list[FileId]:
        """Delete files. Return those that are gone, also because their whole folder is."""
        deleted, failures, groups = list[FileId](), list[Exception](), self.resolver.last_loaded_groups()
        workspace = self.terms().resolved_settings.writable_workspace
        for place in leaving:
            if self.is_being_fetched(place.id):
                continue
            try:
                if folder := find_folder_of_file(place, workspace, groups, moves):
                    delete_from_workspace(folder, [place.path, *([place.text_path] if place.text_path else [])])
                deleted.append(place.id)
            except (OSError, ToolError, FolderOutOfReach) as error:
                failures.append(error)
        if failures:
            log.warning(logs.FILES_NOT_DELETED, len(failures), failures[-1])
        return deleted


def find_folder_of_file(
    place: KeptPlace, workspace: Path | None, groups: Groups, moves: Sequence[tuple[Address, Address]]
) -> Path | None:
    """Return the folder that a file lies in; None if it is gone for good. Raise FolderOutOfReach if the group has a
    fault, if a whole workspace is not there, or if the folder of a chat that has moved is still to be moved."""
    if place.scope.startswith(GROUP_SCOPE_PREFIX):
        name = GroupName(place.scope.removeprefix(GROUP_SCOPE_PREFIX))
        if not groups.has_group_named(name):
            return None
        group = groups.find_working_group(name)
        workspace = group.workspace if group else None
    if workspace is None or not workspace.is_dir():
        raise FolderOutOfReach(logs.NO_WORKSPACE_NOW)
    if place.scope != CHAT_SCOPE:
        return workspace
    chat = place.address.whole_chat
    if any(new == chat and chat_folder(workspace, old).is_dir() for old, new in moves):
        raise FolderOutOfReach(logs.FOLDER_TO_BE_MOVED)
    folder = chat_folder(workspace, chat)
    return folder if folder.is_dir() else None
