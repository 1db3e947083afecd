"""The bot that is audited: its settings, roles, groups and folders, read once for all checks."""

import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from bot.config import Config, LoadedConfig
from bot.config.channel_access import owner_chats
from bot.config.groups import LoadedGroups, read_groups
from bot.config.roles import load_roles
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.messages import RoleName
from bot.core.program_names import PROJECT_FOLDER
from bot.core.request_reading.lexicon import LEXICON_FOLDER_NAME
from bot.core.role import Role
from bot.ops.audit import texts
from bot.ops.audit.ownership import Users
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection

MAX_WALKED_PATHS = 5_000  # of one workspace
TENANT_RECORD_FILE = "tenant.json"  # a folder with it is a tenant's

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    text: str
    remedy: str
    apply_fix: Callable[[], None] | None = None  # what `doctor --fix` does; may raise OSError; never deletes


@dataclass(kw_only=True)
class AuditedBot:
    """One bot. The fields after `loaded` are of this machine."""

    loaded: LoadedConfig
    program_folder: Path = PROJECT_FOLDER
    units_folder: Path = Path("/etc/systemd/system")
    mounts_file: Path = Path("/proc/self/mountinfo")
    now: float = field(default_factory=time.time)
    user: int | None = None  # who runs the bot; None: the owner of the data folder, or of this process

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def database(self) -> Path:
        return self.config.data_dir / "bot.db"

    @property
    def folder(self) -> Path:
        """Return the folder of the config file; without one, the folder of the roles' folder."""
        return self.loaded.path.parent if self.loaded.path else self.config.swarm.roles_dir.parent

    @cached_property
    def tenant_record(self) -> dict[str, Any]:
        """Return the record of the tenant whose folder this is; empty if it is none's."""
        try:
            record = json.loads((self.folder / TENANT_RECORD_FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    @cached_property
    def bot_user(self) -> int:
        if self.user is not None:
            return self.user
        if isinstance(uid := self.tenant_record.get("uid"), int):
            return uid
        data = self.config.data_dir
        return data.stat().st_uid if os.path.isdir(data) else os.geteuid()

    @cached_property
    def trusted_users(self) -> Users:
        """Return who may do everything anyway: root, the bot's user, and who runs this check."""
        return frozenset({0, os.geteuid(), self.bot_user})

    @cached_property
    def secret_folders(self) -> list[Path]:
        return [folder for _, folder in self.loaded.secret_folders if os.path.isdir(folder)]

    @cached_property
    def operator_folders(self) -> dict[str, Path]:
        """Return the folders of files that say what the bot does, by the key of their setting."""
        swarm = self.config.swarm
        folders = {"swarm.roles_dir": swarm.roles_dir, "swarm.groups_dir": swarm.groups_dir}
        own_tools = {"tools_dir": self.config.tools_dir} if self.config.tools_dir else {}
        texts = {"languages_dir": self.config.languages_dir, "skills_dir": self.config.skills_dir}
        return {**folders, **texts, **own_tools}

    @property
    def language_folders(self) -> list[Path]:
        """Return the folders of languages, and of the words for acts in them."""
        return [self.config.languages_dir, self.config.languages_dir / LEXICON_FOLDER_NAME]

    @cached_property
    def roles_or_fault(self) -> tuple[dict[RoleName, Role], str]:
        """Return the roles, and why they cannot be read; there are none then."""
        try:
            return load_roles(self.config, self.loaded.config_file_named_in_errors), ""
        except ConfigError as error:
            return {}, str(error)

    @property
    def roles(self) -> dict[RoleName, Role]:
        return self.roles_or_fault[0]

    @cached_property
    def groups(self) -> LoadedGroups | None:
        """Return the groups; None if their folder cannot be read."""
        try:
            return read_groups(self.loaded, self.roles, owner_chats(self.config))
        except ConfigError:
            return None

    @cached_property
    def workspaces(self) -> dict[str, Path]:
        """Return every workspace by what to call it, also those of groups that are off because of a fault."""
        files = self.groups.group_files if self.groups else ()
        of_groups = {texts.WORKSPACE_OF_GROUP(group=file.name): file.workspace for file in files if file.is_registered}
        return {texts.WORKSPACE: self.config.workspace, **of_groups}

    @cached_property
    def paths_in_workspaces(self) -> dict[str, list[os.DirEntry[str]]]:
        """Return what lies in each workspace, at most MAX_WALKED_PATHS of each."""
        return {name: list(walk_folder(folder)) for name, folder in self.workspaces.items()}

    def read_rows(self, work: Callable[[Connection], R], nothing: R) -> R:
        """Return what `work` finds in the rows; `nothing` if there are none, or if `doctor` finds their file faulty."""
        try:
            return query_database_file(self.database, work, nothing)
        except (StoreDamaged, ConfigError):
            return nothing


def walk_folder(folder: Path, most: int = MAX_WALKED_PATHS) -> Iterator[os.DirEntry[str]]:
    """Yield what lies below a folder, the upper levels first, without following links."""
    below, left = [str(folder)], most
    for place in below:
        for entry in entries_of_folder(place):
            left -= 1
            if left < 0:
                return
            yield entry
            if entry.is_dir(follow_symlinks=False):
                below.append(entry.path)


def entries_of_folder(folder: str | Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, sorted by name, of very many only some; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, MAX_WALKED_PATHS + 1), key=lambda entry: entry.name)
    except OSError:
        return []


def plain_files(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that lie directly in these folders; of a link, the link."""
    for folder in folders:
        yield from (Path(entry.path) for entry in entries_of_folder(folder) if os.path.isfile(entry.path))


def read_beginning(path: Path, most: int) -> bytes:
    """Return how a file begins; nothing if it is none, or cannot be read. (To open a pipe would block.)"""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read(most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return b""
