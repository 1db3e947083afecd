"""Notice changes in the files of roles and groups while the bot runs, and report what is wrong with them. A thread for
each checks the files every few seconds. An error in a check never ends the bot."""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Generic, Self, TypeVar

from bot.config.groups import LoadedGroups
from bot.config.groups import texts as groups_texts
from bot.config.groups.file import INSTRUCTIONS_FILE, WORKSPACE_FOLDER
from bot.config.roles import texts as roles_texts
from bot.core.errors import ConfigError
from bot.core.group import Groups
from bot.core.messages import RoleName
from bot.core.picture_types import PICTURE_SUFFIXES
from bot.core.role import Role
from bot.core.texts import logs

log = logging.getLogger(__name__)

CHECK_INTERVAL_SECONDS = 2.0  # between two checks
THREAD_END_TIMEOUT_SECONDS = 5.0  # for a running check to end; on a hanging file system it would never end

ROLE_FILE_SUFFIXES = (".md", *PICTURE_SUFFIXES)
FilesFingerprint = frozenset[tuple[object, ...]]
RolesByName = Mapping[RoleName, Role]
Found = TypeVar("Found")


class FileWatcher(Generic[Found]):
    """Watch a folder. If a file has changed, read all of them again. `found` stays until all can be read."""

    name: ClassVar[str]
    most_reads_per_check: ClassVar[int] = 1  # at one check

    def __init__(self, folder: Path, read: Callable[[], Found], seconds: float = CHECK_INTERVAL_SECONDS) -> None:
        self.folder, self.read, self.seconds = folder, read, seconds
        self.last_error = ""  # the unexpected error of the last check, if any
        self.logged_faults: frozenset[str] = frozenset()
        self.is_over = threading.Event()
        self.last_fingerprint = self.files_fingerprint()
        self.found = read()
        self.log_fault_changes(self.list_faults())

    def files_fingerprint(self) -> FilesFingerprint:
        """Return a value that differs if a file has changed, without reading the files."""
        raise NotImplementedError

    def describe_failed_reload(self, fault: str) -> str:
        """Return the log line for a fault that keeps `found` as it was."""
        raise NotImplementedError

    def list_faults(self) -> Iterable[str]:
        """Return the faults in `found`, which could be read nevertheless."""
        return ()

    def reread_files(self) -> Found:
        return self.read()

    def reload_if_changed(self) -> None:
        """Read the files if they have changed. If they change during each reading, leave them to the next check."""
        for _ in range(self.most_reads_per_check):
            before = self.files_fingerprint()
            if before == self.last_fingerprint:
                self.log_fault_changes(self.list_faults())  # the files are again as when they could be read
                return
            try:
                found = self.reread_files()
            except ConfigError as error:
                self.log_fault_changes([*self.list_faults(), *map(self.describe_failed_reload, error.lines)])
                return
            if self.files_fingerprint() == before:
                self.last_fingerprint, self.found = before, found
                self.log_fault_changes(self.list_faults())

    def __enter__(self) -> Self:
        self.thread = threading.Thread(target=self.run, name=self.name, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.is_over.set()
        self.thread.join(THREAD_END_TIMEOUT_SECONDS)

    def run(self) -> None:
        while not self.is_over.wait(self.seconds):
            try:
                self.reload_if_changed()
                self.last_error = ""
            except Exception as error:  # the bot continues with what it has
                if repr(error) != self.last_error:
                    log.exception(logs.LOOK_FAILED, self.name)
                self.last_error = repr(error)

    def log_fault_changes(self, faults: Iterable[str]) -> None:
        now = frozenset(faults)
        for line in sorted(now - self.logged_faults):
            log.warning(logs.FOLDER_FAULT, self.name, line)
        for line in sorted(self.logged_faults - now):
            log.info(logs.FAULT_MENDED, self.name, line)
        self.logged_faults = now


class RoleWatcher(FileWatcher[RolesByName]):
    """Hold the current roles. If one of them has a mistake, all stay as they were."""

    name = "roles"

    def last_loaded_roles(self) -> RolesByName:
        return self.found

    def describe_failed_reload(self, fault: str) -> str:
        return roles_texts.ROLES_STAY(fault=fault)

    def files_fingerprint(self) -> FilesFingerprint:
        try:
            entries = [each for each in os.scandir(self.folder) if each.name.lower().endswith(ROLE_FILE_SUFFIXES)]
            known = [(entry.name, entry.stat()) for entry in entries]
        except OSError as error:
            return frozenset({(error.errno,)})
        return frozenset((name, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for name, at in known)


class GroupWatcher(FileWatcher[LoadedGroups]):
    """Hold the current groups. If the folder of all groups cannot be read, they stay as they were."""

    name = "groups"
    most_reads_per_check = 3  # reading makes workspaces, and so changes the state

    def last_loaded_groups(self) -> Groups:
        return self.found.groups

    def describe_failed_reload(self, fault: str) -> str:
        return groups_texts.GROUPS_STAY(fault=fault)

    def list_faults(self) -> Iterable[str]:
        return self.found.faults

    def reread_files(self) -> LoadedGroups:
        found = self.read()
        if self.found.group_files and not self.folder.exists():  # keep the groups while a mount is away
            raise ConfigError(groups_texts.GROUPS_FOLDER_GONE(path=self.folder))
        return replace(found, groups=found.groups.with_lost_addresses_from(self.found.groups))

    def files_fingerprint(self) -> FilesFingerprint:
        try:
            return frozenset(state for entry in os.scandir(self.folder) for state in group_folder_fingerprints(entry))
        except OSError as error:
            return frozenset({(error.errno,)})


def group_folder_fingerprints(entry: os.DirEntry[str]) -> Iterator[tuple[object, ...]]:
    """Yield the state of a group's file and its workspace. A change inside the workspace does not change the state."""
    for name in (INSTRUCTIONS_FILE, WORKSPACE_FOLDER):
        try:
            known = os.stat(os.path.join(entry.path, name))
        except OSError as error:
            yield entry.name, name, error.errno
        else:
            what = (known.st_dev, known.st_ino, known.st_mode)
            changed = (known.st_size, known.st_mtime_ns, known.st_ctime_ns) if name == INSTRUCTIONS_FILE else ()
            yield entry.name, name, *what, *changed
