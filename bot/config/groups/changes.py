"""Change groups' files for `retinue groups`: one command at a time. A new text is parsed before it replaces a file."""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
LOCK_WAIT_SECONDS, LOCK_RETRY_SECONDS = 10.0, 0.05
FrontMatterEdit = Callable[[FrontMatterEditor], str]  # returns the new text


def tenant_uid(loaded: LoadedConfig) -> int | None:
    """Return the uid of the tenant that owns the groups; it is the tenant's gid too. Return None if we are not root, or
    if the owners of the groups folder and of the config file do not show a tenant."""
    if os.geteuid() != 0 or loaded.path is None:
        return None
    folder, config = loaded.config.swarm.groups_dir.stat(), loaded.path.stat()
    return folder.st_gid if folder.st_uid == 0 != folder.st_gid == config.st_gid else None


def make_or_repair_folder(path: Path, *, mode: int, owner: tuple[int, int] | None) -> None:
    """Make a folder. If it exists and is still root's, a command was killed: set its mode and owner."""
    if not os.path.lexists(path):
        durable_files.make_folder_with_owner(path, mode=mode, owner=owner)
    elif owner and path.is_dir() and not path.is_symlink() and path.stat().st_uid == 0:
        durable_files.set_mode_and_owner(path, mode=mode, owner=owner)


@contextmanager
def lock_groups(loaded: LoadedConfig, seconds: float = LOCK_WAIT_SECONDS) -> Iterator[None]:
    """Keep other commands from changing the groups meanwhile. Make the folder of all groups if needed. Raise
    ConfigError if another command holds the lock for `seconds`, or if nothing can be written."""
    place = loaded.config.swarm.groups_dir
    try:
        place.mkdir(parents=True, exist_ok=True)
        lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            until = time.monotonic() + seconds
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel frees it when its holder dies
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise ConfigError(texts.BUSY(path=place)) from None
                    time.sleep(LOCK_RETRY_SECONDS)
            yield
        finally:
            os.close(lock)
    except OSError as error:
        path = error.filename or place
        if error.errno in DISK_FULL_ERRORS:
            raise ConfigError(texts.NO_ROOM(path=path, reason=error.strerror)) from None
        raise ConfigError(texts.CANNOT_WRITE(path=path, reason=error.strerror)) from None


def change_group_keys(file: GroupFile, edit: FrontMatterEdit, **keys: Any) -> bool:
    """Let `edit` set these keys in a group's file. Return True if it changed. Raise ConfigError if other keys would
    change too, or if the text cannot be edited."""
    if file.keys.model_copy(update=keys) == file.keys and not file.is_empty:
        return False
    text = read_markdown_file(file.path)
    try:
        front = FrontMatterEditor(text)
        wanted = edit(front)
        there = parse_group_file(file.path, file.name, wanted)
    except FrontMatterError as wrong:
        raise ConfigError(f"{file.path}: {wrong}") from None
    if there.keys != file.keys.model_copy(update=keys) or not wanted.endswith(front.closing):
        raise ConfigError(texts.CANNOT_BE_CHANGED(path=file.path))
    durable_files.replace_file(Path(os.path.realpath(file.path)), wanted)
    return True


def create_group_folder(file: GroupFile, text: str, loaded: LoadedConfig) -> None:
    """Make a new group's folder with that file. Keep what exists there. Raise ConfigError if the text has a mistake.
    For a tenant, root owns the folder and the file, which the tenant can read; the tenant owns the workspace."""
    parse_group_file(file.path, file.name, text)
    folder, path, uid = file.path.parent, file.path.parent / INSTRUCTIONS_FILE, tenant_uid(loaded)
    if uid is not None:
        make_or_repair_folder(folder, mode=0o750, owner=(0, uid))
        make_or_repair_folder(folder / WORKSPACE_FOLDER, mode=0o700, owner=(uid, uid))
        durable_files.replace_file(path, text, mode=0o640, owner=(0, uid))
    else:
        make_or_repair_folder(folder, mode=0o755, owner=None)
        make_or_repair_folder(folder / WORKSPACE_FOLDER, mode=0o700, owner=None)
        durable_files.replace_file(path, text, mode=None if path.exists() else 0o644)
