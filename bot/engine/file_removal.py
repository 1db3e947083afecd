"""Delete the files that people sent once they are no longer to be kept. Rows say which, so a start goes on with it."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from bot.core.errors import ToolError
from bot.core.incoming_files import FileId
from bot.core.limits import GetCurrentTerms
from bot.core.texts import logs
from bot.journal.bus import Bus
from bot.journal.openings import RoleResolver
from bot.store import Store
from bot.store import incoming_files as rows
from bot.store.connection import FILES_REMOVED_TOPIC
from bot.store.incoming_files import KeptPlace
from bot.tools.inbox_folder import delete_from_workspace
from bot.tools.workspace_scope import folder_of_scope

FILES_DELETED_AT_ONCE = 100
RETRY_SECONDS = 600.0  # after files that could not be deleted

log = logging.getLogger(__name__)


class FileRemoval:
    def __init__(self, store: Store, bus: Bus, resolver: RoleResolver, terms: GetCurrentTerms) -> None:
        self.store = store
        self.bus = bus
        self.resolver = resolver
        self.terms = terms

    async def run(self) -> None:
        with self.bus.subscribe(FILES_REMOVED_TOPIC) as changed:
            while True:
                changed.take_names_and_clear()
                are_left = False
                while leaving := await self.store.read(rows.list_files_to_delete, FILES_DELETED_AT_ONCE):
                    deleted = await asyncio.to_thread(self.delete_files, leaving)
                    await self.store.write(rows.note_files_deleted, deleted)
                    if are_left := len(deleted) < len(leaving):
                        break
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_SECONDS if are_left else None):
                        await changed.wait()

    def delete_files(self, leaving: Sequence[KeptPlace]) -> list[FileId]:
        """Delete files. Return those that are gone, also because their whole folder is."""
        deleted, groups = list[FileId](), self.resolver.last_loaded_groups()
        workspace = self.terms().resolved_settings.writable_workspace
        for place in leaving:
            folder = folder_of_scope(place.scope, workspace, place.address, groups)
            try:
                if folder and folder.is_dir():
                    delete_from_workspace(folder, [place.path, *([place.text_path] if place.text_path else [])])
                deleted.append(place.id)
            except (OSError, ToolError) as error:
                log.warning(logs.FILES_NOT_DELETED, folder, error)
        return deleted
