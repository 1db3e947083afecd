"""The workspace: one folder that no path and no link can leave. Its files are read and replaced whole."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import IO

from bot.core.errors import ToolError
from bot.tools import path_sandbox, texts
from bot.tools.path_sandbox import FOLDER_OPEN_FLAGS, OpenBeneath, open_folder_by_walking
from bot.tools.protected_names import reject_protected_file, reject_protected_name

TEMPORARY_FILE_PREFIX = ".retinue-draft-"  # names of files that are still being written
FILE_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY  # opening never blocks, not even a pipe


class Workspace:
    """The folder that the tools work in. Errors are OSErrors with an errno; EXDEV means that the path leads out."""

    def __init__(self, root: Path, beneath: OpenBeneath | None = None) -> None:
        self.root = root.absolute()
        self.open_beneath = beneath or path_sandbox.best_folder_opener()

    def relative_path(self, path: str) -> str:
        """Return the path relative to the root: a model that knows where the workspace is may name whole paths. Raise
        OSError (ENAMETOOLONG) if it has too many folders or a null character."""
        if "\0" in path or path.count("/") > path_sandbox.MAX_FOLDERS_IN_PATH:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        for root in (self.root, self.root.resolve()):
            if PurePath(path).is_relative_to(root):
                return str(PurePath(path).relative_to(root))
        return path

    @contextmanager
    def open_folder(self, path: str, beneath: OpenBeneath | None = None) -> Iterator[int]:
        """Yield an opened folder, and close it when the block ends. `beneath` replaces the workspace's own opener."""
        try:
            root = os.open(self.root, FOLDER_OPEN_FLAGS)
        except OSError as error:
            raise ToolError(texts.WORKSPACE_CLOSED(reason=error.strerror)) from None
        try:
            folder = (beneath or self.open_beneath)(root, path)
        finally:
            os.close(root)
        try:
            yield folder
        finally:
            os.close(folder)

    @contextmanager
    def open_file_location(self, path: str) -> Iterator[FileLocation]:
        """Yield the location of a file, which may not exist, after following links to their end."""
        with self.follow_links_to_file(path, self.open_folder) as (folder, name):
            yield FileLocation(folder, name)

    @contextmanager
    def open_writable_file_location(self, path: str, *, make: bool = False) -> Iterator[WritableFileLocation]:
        """Yield the location of a file to write, after following links. Make missing folders if `make`. Raise
        ToolError if a name on the way is protected. The path is walked, because the kernel does not tell the names."""

        def folder(path: str) -> AbstractContextManager[int]:
            names = path_sandbox.split_relative_path(path)
            for above, name in zip(("", *names), names, strict=False):
                reject_protected_name(above, name)  # before any folder is made
            return self.open_folder(path, partial(open_writable_folder, make=make))

        with self.follow_links_to_file(path, folder, reject_protected_file) as (found, name):
            yield WritableFileLocation(found, name)

    @contextmanager
    def follow_links_to_file(
        self, path: str, enter: Callable[[str], AbstractContextManager[int]], check: Callable[[str], None] | None = None
    ) -> Iterator[tuple[int, str]]:
        for _ in range(path_sandbox.MAX_LINKS_IN_PATH):
            above, slash, name = path.rpartition("/")
            if slash and not above:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
            if name in ("", ".", ".."):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
            if check:
                check(name)
            with enter(above or ".") as found:
                target = path_sandbox.link_target(found, name)
                if target is None:
                    yield found, name
                    return
            path = target if target.startswith("/") else f"{above or '.'}/{target}"
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))

    @contextmanager
    def list_entries(self, path: str) -> Iterator[list[os.DirEntry[str]]]:
        """Yield a folder's entries, sorted by name, without drafts."""
        with self.open_folder(path) as folder:
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
            try:
                with os.scandir(readable) as found:
                    entries = [entry for entry in found if not entry.name.startswith(TEMPORARY_FILE_PREFIX)]
                    yield sorted(entries, key=lambda entry: entry.name)
            finally:
                os.close(readable)


def open_writable_folder(root: int, path: str, make: bool) -> int:
    """Open a folder for writing. If `make`, make it and all folders above it."""
    try:
        return open_folder_by_walking(root, path, reject_protected_name)
    except FileNotFoundError:
        if not make:
            raise
    above, _, name = path.rstrip("/").rpartition("/")
    folder = open_writable_folder(root, above or ".", make)
    try:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    finally:
        os.close(folder)
    return open_folder_by_walking(root, path, reject_protected_name)


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A name in an opened folder. It may have become a link since, so the functions that open it follow no links."""

    folder: int
    name: str

    def regular_file_status(self) -> os.stat_result | None:
        """Return the file's status, or None if nothing is there. Raise OSError if it is not a regular file."""
        try:
            return require_regular_file(os.stat(self.name, dir_fd=self.folder, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def open_for_reading(self) -> int:
        """Open the file for reading. Check its kind first, because a device may act on being opened."""
        require_regular_file(os.stat(self.name, dir_fd=self.folder, follow_symlinks=False))
        file = os.open(self.name, FILE_READ_FLAGS, dir_fd=self.folder)
        try:
            require_regular_file(os.fstat(file))
        except OSError:
            os.close(file)
            raise
        return file

    def read_content(self, most: int) -> tuple[bytes, os.stat_result]:
        """Return the whole file and its status. Raise EFBIG if it is larger than `most` bytes."""
        with open(self.open_for_reading(), "rb") as file:
            return read_whole_file(file, most), os.fstat(file.fileno())


class WritableFileLocation(FileLocation):
    """A location that may be written: neither its name nor any name on the way to it is protected."""

    __slots__ = ()

    def replace_content(self, content: bytes | IO[bytes], before: os.stat_result | None, draft: str = "") -> None:
        """Replace the file that was there `before`, in one step, with the same permissions. Raise ESTALE if it
        was changed since. A change at the same moment is lost: no system compares and replaces in one step. `draft`
        names what is written first; the caller then sees to it that a killed process leaves none for ever."""
        if before and not os.access(self.name, os.W_OK, dir_fd=self.folder):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        if draft:
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=self.folder)
        draft = draft or TEMPORARY_FILE_PREFIX + secrets.token_hex(8)
        try:
            self.write_temporary_file(draft, content, before)
            if file_version(self.regular_file_status()) != file_version(before):
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
            os.replace(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=self.folder)
            raise
        with suppress(OSError):  # the new file is in effect already
            folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self.folder)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def write_temporary_file(self, draft: str, content: bytes | IO[bytes], before: os.stat_result | None) -> None:
        mode = 0o600 if before else 0o666  # nobody else may read it before it has the old permissions
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=self.folder), "wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                shutil.copyfileobj(content, file)
            file.flush()
            if before:
                with suppress(PermissionError):  # only root may change a file's owner
                    os.fchown(file.fileno(), before.st_uid, before.st_gid)
                os.fchmod(file.fileno(), before.st_mode & 0o777)
            os.fsync(file.fileno())


def reject_large_file(file: IO[bytes], most: int) -> None:
    """Raise EFBIG if an opened file is larger than `most` bytes."""
    if os.fstat(file.fileno()).st_size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


def read_whole_file(file: IO[bytes], most: int) -> bytes:
    """Return an opened file from its beginning. Raise EFBIG if it is or becomes larger than `most` bytes."""
    reject_large_file(file, most)  # before it takes the memory
    file.seek(0)
    content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def require_regular_file(found: os.stat_result) -> os.stat_result:
    """Return the status. Raise EISDIR for a folder, ELOOP for a link, ENXIO for a device, pipe or socket."""
    if stat.S_ISREG(found.st_mode):
        return found
    code = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.ELOOP if stat.S_ISLNK(found.st_mode) else errno.ENXIO
    raise OSError(code, os.strerror(code))


def file_version(found: os.stat_result | None) -> tuple[int, int, int] | None:
    """Return what changes whenever a file is replaced or written; None if there is no file."""
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found else None
