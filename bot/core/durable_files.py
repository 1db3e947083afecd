"""Files that are there whole or not at all, for the right owner from their first byte on."""

import os
import stat
from contextlib import suppress
from pathlib import Path


def write_new_file(path: Path, text: str, *, mode: int, owner: tuple[int, int] | None = None) -> None:
    """Write a new file; it is on the disk when this returns. `owner` is (uid, gid); None is the writing process."""
    with open(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
        file.flush()
        if owner:
            os.fchown(file.fileno(), *owner)
        os.fchmod(file.fileno(), mode)  # the umask must not change the mode
        os.fsync(file.fileno())


def replace_file(path: Path, text: str, *, mode: int | None = None, owner: tuple[int, int] | None = None) -> None:
    """Replace a file. Where `mode` or `owner` is None, the new file takes the old one's if there is one.

    Only we may be able to write in its folder. The owner is set only if we are root.
    """
    if path.exists():
        was = path.stat()
        mode = stat.S_IMODE(was.st_mode) if mode is None else mode
        owner = owner or (was.st_uid, was.st_gid)
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    try:
        write_new_file(beside, text, mode=0o600 if mode is None else mode, owner=owner if os.geteuid() == 0 else None)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def set_mode_and_owner(path: Path, *, mode: int, owner: tuple[int, int]) -> bool:
    """Set a file's mode and owner. Return True if they were others. Only we may be able to write in its folder."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        was = os.fstat(file)
        if is_other := (stat.S_IMODE(was.st_mode), was.st_uid, was.st_gid) != (mode, *owner):
            os.fchown(file, *owner)
            os.fchmod(file, mode)
        return is_other
    finally:
        os.close(file)


def make_folder_with_owner(folder: Path, *, mode: int, owner: tuple[int, int] | None = None) -> None:
    """Make a new folder with this mode, and with this owner if one is named."""
    folder.mkdir(mode=0o700)
    if owner:
        os.chown(folder, *owner)
    folder.chmod(mode)


def make_missing_folders(folder: Path) -> None:
    """Make the folder and its missing parents. Everybody may read them; only we may write. The umask is ignored."""
    for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        with suppress(FileExistsError):  # by another command, just now
            make_folder_with_owner(each, mode=0o755)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that the names in it are on the disk."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
