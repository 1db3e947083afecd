"""Move the folders of guests' chats: if a chat gets a new name, its files move too.

Every start, and every later move, makes the folders match the rows, which say which chats have moved. So the next
start repairs a crash in between, and a repeated move finds nothing left to do."""

import asyncio
import errno
import logging
import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from bot.core.limits import GetCurrentTerms
from bot.core.texts import logs
from bot.journal.bus import Bus
from bot.store import Store, chats
from bot.store.connection import CHAT_MOVED_TOPIC
from bot.tools.workspace_scope import chat_folder

log = logging.getLogger(__name__)


class ChatFolderMover:
    def __init__(self, store: Store, bus: Bus, terms: GetCurrentTerms) -> None:
        self.store = store
        self.bus = bus
        self.terms = terms

    async def run(self) -> None:
        with self.bus.subscribe(CHAT_MOVED_TOPIC) as changed:
            while True:
                changed.take_names_and_clear()
                workspace = self.terms().resolved_settings.writable_workspace
                if workspace and (moves := await self.store.read(chats.list_chat_moves)):
                    folders = [(chat_folder(workspace, old), chat_folder(workspace, new)) for old, new in moves]
                    await asyncio.to_thread(move_chat_folders, folders)
                await changed.wait()


def move_chat_folders(folders: list[tuple[Path, Path]]) -> None:
    for old, new in folders:
        try:
            if old.is_dir() and not old.is_symlink():
                rename_or_merge_folder(old, new)
        except OSError as error:  # the next start tries again
            log.error(logs.FILES_OF_MOVED_CHAT, old, error.strerror)


def rename_or_merge_folder(old: Path, new: Path) -> None:
    """Rename a folder, or move its files into the new one if that exists. A file whose name is taken gets a number."""
    try:
        os.rename(old, new)
        return
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    stays: OSError | None = None
    for entry in list(os.scandir(old)):
        target = new / entry.name
        try:
            if entry.is_dir(follow_symlinks=False) and target.is_dir() and not target.is_symlink():
                rename_or_merge_folder(Path(entry.path), target)
            else:
                move_to_free_name(entry, target)
        except OSError as error:  # one failed entry must not stop the others
            stays = error
    if stays:
        raise stays
    old.rmdir()


def move_to_free_name(entry: os.DirEntry[str], target: Path) -> None:
    """Move one file or folder to the first free name. Skip a name that is taken meanwhile."""
    for number in count(1):
        path = target.with_stem(f"{target.stem}-{number}") if number > 1 else target
        if os.path.lexists(path):
            continue
        with suppress(FileExistsError):
            if entry.is_dir(follow_symlinks=False):
                os.rename(entry.path, path)
            else:
                move_file_without_replacing(entry.path, path)
            return


def move_file_without_replacing(old: str, new: Path) -> None:
    """Rename a file. Raise FileExistsError if the new name is taken by now. A file system without hard links cannot
    tell that, so the other file is replaced there."""
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
            raise
        os.rename(old, new)
        return
    os.unlink(old)
