"""Write files that exist either whole or not at all, and that only the right owner can read at any time."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import IO

OWNER_ONLY_FILE_MODE = 0o600  # for the owner alone
Owner = tuple[int, int]  # uid and gid


def write_new_file(path: Path, content: str | bytes, *, mode: int, owner: Owner | None = None) -> None:
    """Write a new file; it is on the disk when this returns. `owner` None: the user of this process."""
    with create_private_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        if owner:
            os.fchown(file.fileno(), *owner)
        if mode != OWNER_ONLY_FILE_MODE:  # some disks know no modes
            os.fchmod(file.fileno(), mode)  # the umask must not change the mode
        os.fsync(file.fileno())


def temporary_path_beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def write_temporary_file_beside(path: Path, content: str | bytes, *, mode: int, owner: Owner | None = None) -> Path:
    """Write a hidden file beside `path`, and return its path. The caller renames it to `path`, or deletes it."""
    draft = temporary_path_beside(path)
    draft.unlink(missing_ok=True)  # a killed process may have left it
    try:
        write_new_file(draft, content, mode=mode, owner=owner)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


def replace_file(path: Path, content: str | bytes, *, mode: int | None = None, owner: Owner | None = None) -> None:
    """Replace a file. If `mode` or `owner` is None, the new file keeps the old file's, if there is one. Nobody else may
    have write access to its folder. The owner is set only if we are root."""
    if path.exists():
        was = path.stat()
        mode = stat.S_IMODE(was.st_mode) if mode is None else mode
        owner = owner or (was.st_uid, was.st_gid)
    mode = OWNER_ONLY_FILE_MODE if mode is None else mode
    draft = write_temporary_file_beside(path, content, mode=mode, owner=owner if os.geteuid() == 0 else None)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)  # if it could not be renamed
    fsync_folder(path.parent)


def partial_file_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


@contextmanager
def open_for_atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Yield a new file for its owner alone. When the body ends, sync it and rename it to `path`; if the body raises,
    delete it. Raise BlockingIOError if another process is writing to the same path. The caller syncs the folder."""
    part = partial_file_path(path)
    if is_file_locked(part):
        raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK), str(part))
    part.unlink(missing_ok=True)
    with create_private_file(part) as file:
        try:
            with suppress(OSError):  # the disk may not support locks
                flock(file, LOCK_EX)
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.rename(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def is_file_locked(path: Path) -> bool:
    """Return True if a live process holds the lock on the file. A killed process holds none."""
    with suppress(OSError):  # the caller opens the file next and reports the error
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            flock(number, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(number)
    return False


def create_private_file(path: Path) -> IO[bytes]:
    """Open a new file to write to. Only its owner can read it. Raise FileExistsError if the name is taken."""
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, OWNER_ONLY_FILE_MODE), "wb")


def set_mode_and_owner(path: Path, *, mode: int, owner: Owner) -> bool:
    """Set a file's mode and owner. Return True if they were different. Nobody else may have write access there."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        was = os.fstat(file)
        if is_other := (stat.S_IMODE(was.st_mode), was.st_uid, was.st_gid) != (mode, *owner):
            os.fchown(file, *owner)
            os.fchmod(file, mode)
        return is_other
    finally:
        os.close(file)


def make_folder_with_owner(folder: Path, *, mode: int, owner: Owner | None = None) -> None:
    folder.mkdir(mode=0o700)
    if owner:
        os.chown(folder, *owner)
    folder.chmod(mode)


def make_missing_folders(folder: Path) -> None:
    """Make the folder and its missing parents. Everybody may read them; only we may write. The umask is ignored."""
    for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        with suppress(FileExistsError):  # by another command, just now
            make_folder_with_owner(each, mode=0o755)


def fsync_folder(folder: Path) -> None:
    """Sync a folder, so that the names in it are on the disk. Some disks cannot do that; there, do nothing."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(file)
