"""Change groups' files as `retinue groups` does: one command at a time, each file whole, and read before it counts."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.config import LoadedConfig
from bot.config.groups import texts
from bot.config.groups.file import INSTRUCTIONS_FILE, WORKSPACE_FOLDER, GroupFile, parse_group_file
from bot.config.groups.frontmatter_editor import FrontMatterEditor
from bot.config.roles.file import read_markdown_file
from bot.config.roles.frontmatter import FrontMatterError
from bot.core import durable_files
from bot.core.errors import ConfigError

DISK_FULL_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
WAIT_SECONDS, PAUSE_SECONDS = 10.0, 0.05
Edit = Callable[[FrontMatterEditor], str]  # returns the new text


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose new files are, where the groups are a tenant's: the operator's, and its group may read them; but the
    workspace is its own."""

    tenant_uid: int | None  # its uid, and its group's; None: all is whoever's writes it

    @classmethod
    def for_config(cls, loaded: LoadedConfig) -> Ownership:
        """Return whose files are new. Only root can give, and only if a tenant's config lies beside its groups."""
        if os.geteuid() != 0 or loaded.path is None:
            return cls(None)
        folder, config = loaded.config.swarm.groups_dir.stat(), loaded.path.stat()
        return cls(folder.st_gid if folder.st_uid == 0 != folder.st_gid == config.st_gid else None)

    def make_folder(self, path: Path) -> None:
        self.make_or_give(path, mode=0o755 if self.tenant_uid is None else 0o750, owner=0)

    def make_workspace(self, path: Path) -> None:
        self.make_or_give(path, mode=0o700, owner=self.tenant_uid)

    def make_or_give(self, path: Path, *, mode: int, owner: int | None) -> None:
        whose = None if self.tenant_uid is None or owner is None else (owner, self.tenant_uid)
        if not os.path.lexists(path):
            durable_files.make_folder_with_owner(path, mode=mode, owner=whose)
        elif whose and path.is_dir() and not path.is_symlink() and path.stat().st_uid == 0:
            durable_files.set_mode_and_owner(
                path, mode=mode, owner=whose
            )  # root's own, or of a command that was killed before it gave it

    def write_group_file(self, path: Path, text: str) -> None:
        """Write a whole file where there is none, or an empty one."""
        if self.tenant_uid is not None:
            durable_files.replace_file(path, text, mode=0o640, owner=(0, self.tenant_uid))
        else:
            durable_files.replace_file(path, text, mode=None if path.exists() else 0o644)


@contextmanager
def lock_groups(loaded: LoadedConfig, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Let no other command change the groups meanwhile. Make the folder of all groups if it is not there.

    Raise ConfigError if another command holds the lock for `seconds`, or if nothing can be written.
    """
    place = loaded.config.swarm.groups_dir
    try:
        place.mkdir(parents=True, exist_ok=True)
        lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            until = time.monotonic() + seconds
            while not try_lock(lock):
                if time.monotonic() > until:
                    raise ConfigError(texts.BUSY(path=place))
                time.sleep(PAUSE_SECONDS)
            yield
        finally:
            os.close(lock)
    except OSError as error:
        path = error.filename or place
        if error.errno in DISK_FULL_ERRORS:
            raise ConfigError(texts.NO_ROOM(path=path, reason=error.strerror)) from None
        raise ConfigError(texts.CANNOT_WRITE(path=path, reason=error.strerror)) from None


def try_lock(lock: int) -> bool:
    """Take the lock if it is free, and return True if so. The kernel frees it when its holder dies."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def change_group_keys(file: GroupFile, edit: Edit, **keys: Any) -> bool:
    """Set these keys in a group's file. Return True if it changed. If ConfigError is raised, the file is unchanged.

    What is written is read again first: nothing else may have changed.
    """
    if file.front.model_copy(update=keys) == file.front and not file.is_empty:
        return False
    text = read_markdown_file(file.path)
    try:
        front = FrontMatterEditor(text)
        wanted = edit(front)
        there = parse_group_file(file.path, file.name, wanted)
    except FrontMatterError as wrong:
        raise ConfigError(f"{file.path}: {wrong}") from None
    if there.front != file.front.model_copy(update=keys) or not wanted.endswith(front.closing):
        raise ConfigError(texts.CANNOT_BE_CHANGED(path=file.path))
    durable_files.replace_file(Path(os.path.realpath(file.path)), wanted)
    return True


def create_group(file: GroupFile, text: str, ownership: Ownership) -> None:
    """Make a new group's folder with that file. What is there stays. Raise ConfigError if the text has a mistake."""
    parse_group_file(file.path, file.name, text)
    ownership.make_folder(file.path.parent)
    ownership.make_workspace(file.path.parent / WORKSPACE_FOLDER)
    ownership.write_group_file(file.path.with_name(INSTRUCTIONS_FILE), text)
