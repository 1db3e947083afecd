"""Notice changes in the operator's role files while the bot runs, and report what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.config.file_watcher import SECONDS, FileWatcher
from bot.config.roles import texts
from bot.core.errors import ConfigError
from bot.core.messages import RoleName
from bot.core.role import Role

RolesByName = Mapping[RoleName, Role]
FilesState = frozenset[tuple[object, ...]]


class RoleWatch(FileWatcher):
    """The current roles. If any file has changed, a look reads all of them again and replaces them together.

    While one of them has a mistake, all stay as they were.

    """

    def __init__(self, folder: Path, read: Callable[[], RolesByName], seconds: float = SECONDS) -> None:
        """Read them; raise ConfigError where one is wrong."""
        super().__init__("roles", seconds)
        self.folder, self.read = folder, read
        self.last_state = role_files_state(folder)
        self.roles_by_name = read()

    def current_roles(self) -> RolesByName:
        return self.roles_by_name

    def check_files(self) -> None:
        before = role_files_state(self.folder)
        if before == self.last_state:
            self.log_faults(frozenset())  # what was wrong is there again as it was
            return
        try:
            found = self.read()
        except ConfigError as error:
            self.log_faults(frozenset(texts.ROLES_STAY(fault=line) for line in error.lines))
            return
        if role_files_state(self.folder) == before:  # else somebody is writing just now: the next look reads it whole
            self.last_state, self.roles_by_name = before, found
            self.log_faults(frozenset())


def role_files_state(folder: Path) -> FilesState:
    """What tells one state of the files from another, without reading them."""
    try:
        found = [(entry.name, entry.stat()) for entry in os.scandir(folder) if entry.name.lower().endswith(".md")]
    except OSError as error:
        return frozenset({(error.errno,)})
    return frozenset((name, known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns) for name, known in found)
