"""The files of all groups, as the commands use them: read all together, changed one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

from bot.cli.groups import texts
from bot.config import LoadedConfig
from bot.config.channel_access import owner_chats
from bot.config.groups import LoadedGroups, assemble_groups, changes, read_groups
from bot.config.groups.changes import Edit
from bot.config.groups.file import INSTRUCTIONS_FILE, GroupFile, parse_group_file
from bot.config.groups.file import read_group_file as read_file
from bot.config.roles import load_roles
from bot.config.roles.file import nearest_name
from bot.core.errors import ConfigError
from bot.core.printable import escape_unprintable
from bot.core.program_names import retinue_command


class GroupRegistry:
    """All groups of one bot. Raise ConfigError if the roles or the folder of all groups cannot be read."""

    def __init__(self, loaded: LoadedConfig) -> None:
        self.loaded = loaded
        self.roles = load_roles(loaded.config, loaded.origin).keys()
        self.owners_at = owner_chats(loaded.config)
        self.found_groups = self.read_all()

    def read_all(self) -> LoadedGroups:
        return read_groups(self.loaded, self.roles, self.owners_at)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the groups against changes by other commands, and read them again. Raise ConfigError if that fails."""
        with changes.lock_groups(self.loaded):
            self.found_groups = self.read_all()
            yield

    def find_folder(self, name: str) -> GroupFile:
        """Return the folder with this name, registered or not. Raise click's error (exit status 1) if there is none."""
        found = self.found_groups.find_folder(name)
        if found is None:
            names = [folder.name for folder in self.found_groups.folders]
            if not names:
                raise group_command_error(texts.NO_GROUP_YET(group=repr(name), command=retinue_command("groups add")))
            raise group_command_error(texts.NO_SUCH_GROUP(group=repr(name), nearest=nearest_name(name, names)))
        return found

    @property
    def main(self) -> GroupFile | None:
        return next((folder for folder in self.found_groups.folders if folder.is_main), None)

    def read_changeable_file(self, folder: GroupFile) -> GroupFile:
        """Read the file of a folder again, to change it. Raise ConfigError if the file has a fault."""
        file = read_file(folder.path)
        if file.fault:
            raise ConfigError(texts.MEND_FIRST(fault=file.fault))
        return file

    def change_keys(self, folder: GroupFile, edit: Edit, **keys: Any) -> bool:
        """Set keys in a file. Return True if that changed something.

        Raise ConfigError if the change would put a fault into any group.
        """
        file = self.read_changeable_file(folder)
        self.check_change(replace(file, front=file.front.model_copy(update=keys)))
        return changes.change_group_keys(file, edit, **keys)

    def check_change(self, wanted: GroupFile) -> None:
        """Raise ConfigError if this file would cause a fault that is not there now."""
        others = [read_file(folder.path) for folder in self.found_groups.folders if folder.path != wanted.path]
        files = sorted([*others, wanted], key=lambda file: file.path)
        faults = assemble_groups(files, self.loaded, self.roles, self.owners_at).faults
        if new := [line for line in faults if line not in self.found_groups.faults]:
            raise ConfigError(texts.WOULD_BE_A_FAULT(fault=new[0]))

    def make_group(self, name: str, text: str) -> None:
        """Make the folder of a new group. Raise ConfigError if the new file would cause a fault."""
        path = self.loaded.config.swarm.groups_dir / name / INSTRUCTIONS_FILE
        self.check_change(parse_group_file(path, name, text))
        changes.create_group(read_file(path), text, changes.Ownership.for_config(self.loaded))


def group_command_error(text: str) -> click.ClickException:
    return click.ClickException(escape_unprintable(text))
