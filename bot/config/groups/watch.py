"""Notice changes in the groups' files while the bot runs, no matter who made them, and report what was found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from bot.config.file_watcher import SECONDS, FileWatcher
from bot.config.groups import LoadedGroups, texts
from bot.config.groups.file import INSTRUCTIONS_FILE, WORKSPACE_FOLDER
from bot.core.errors import ConfigError
from bot.core.group import Groups

MAX_TRIES = 3  # to read makes workspaces, and so changes what is seen

Read = Callable[[], LoadedGroups]  # raises ConfigError
FilesState = frozenset[tuple[object, ...]]


class GroupWatch(FileWatcher):
    """The current groups. If any file has changed, a look reads all of them again and replaces them together.

    If the folder of all groups cannot be read, the groups stay as they were. Nothing here ends the bot.

    """

    def __init__(self, folder: Path, read: Read, seconds: float = SECONDS) -> None:
        """Read the groups. Raise ConfigError if the folder of all groups cannot be read."""
        super().__init__("groups", seconds)
        self.folder, self.read = folder, read
        self.last_state = group_files_state(folder)
        self.found_groups = read()
        self.log_faults(frozenset(self.found_groups.faults))

    def current_groups(self) -> Groups:
        return self.found_groups.groups

    def check_files(self) -> None:
        """Only what was still while it was read is taken up; what somebody is writing just now, at the next look."""
        for _ in range(MAX_TRIES):
            before = group_files_state(self.folder)
            if before == self.last_state:
                self.log_faults(frozenset(self.found_groups.faults))  # what could not be read is there again as it was
                return
            try:
                found = self.read()
                if self.found_groups.folders and not self.folder.exists():  # a mount that is away takes no group away
                    raise ConfigError(texts.GROUPS_FOLDER_GONE(path=self.folder))
            except ConfigError as error:
                self.log_faults(frozenset({*self.found_groups.faults, texts.GROUPS_STAY(fault=error)}))
                return
            if group_files_state(self.folder) == before:
                self.last_state = before
                self.found_groups = replace(found, groups=found.groups.carry_over_addresses(self.found_groups.groups))
                self.log_faults(frozenset(found.faults))


def group_files_state(folder: Path) -> FilesState:
    """What tells one state of the files from another, without reading them."""
    try:
        return frozenset(each for entry in os.scandir(folder) for each in entry_states(entry))
    except OSError as error:
        return frozenset({(error.errno,)})


def entry_states(entry: os.DirEntry[str]) -> Iterator[tuple[object, ...]]:
    """Of a file whether it is another one, or has changed; of a workspace only whether it is another."""
    for name in (INSTRUCTIONS_FILE, WORKSPACE_FOLDER):
        try:
            known = os.stat(os.path.join(entry.path, name))
        except OSError as error:
            yield entry.name, name, error.errno
        else:
            what = (known.st_dev, known.st_ino, known.st_mode)
            changed = (known.st_size, known.st_mtime_ns, known.st_ctime_ns) if name == INSTRUCTIONS_FILE else ()
            yield entry.name, name, *what, *changed
