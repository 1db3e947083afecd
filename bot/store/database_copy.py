"""Copy the database as of one moment, while the bot goes on writing; and count what a database holds."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.core.errors import ConfigError, StoreDamaged
from bot.core.texts import operators
from bot.store import texts
from bot.store.connection import Connection, open_database_file
from bot.store.file_errors import file_damaged_error, is_damage_error, is_disk_error
from bot.store.migrations import STEPS
from bot.store.schema import newer_version_error

COPY_NAME_PREFIX = ".copy-"  # begins the name of a copy, until the name is removed a moment later
PAGES_COPIED_AT_ONCE = 256  # pages copied at a time: a megabyte, after which an interruption is noticed
MIN_FREE_BYTES_AFTER_COPY = 100_000_000  # bytes that must stay free for the bot, as `retinue health` demands


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSummary:
    """What a database holds."""

    step: int  # the migration step
    conversations: int
    messages: int
    newest: str | None  # when the newest message was kept: ISO 8601, UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseCopy:
    file: IO[bytes]  # has no name, so it is gone when the process ends; positioned at its beginning
    size_bytes: int
    summary: DatabaseSummary


@contextmanager
def make_temporary_database_copy(path: Path, told: Callable[[int, int], None]) -> Iterator[DatabaseCopy]:
    """Yield a copy of the file, made in the file's own folder. Call `told` with the pages left and the number of pages.
    The file may be of any migration step up to this version's. No writer waits for the copy: in WAL mode readers do not
    block writers. One read transaction spans the whole copy. So the copy shows one moment, and SQLite never restarts
    it. Raise StoreDamaged if the file is damaged, ConfigError if it cannot be copied."""
    remove_unfinished_copies(path.parent)
    require_room_for_copy(path)
    try:
        with open_unnamed_database_file(path.parent) as (file, target):
            # Close both before the copy is read. Reading may take hours, and an open source lets the WAL grow.
            with closing(target), closing(open_database_file(path, "ro")) as source:
                source.execute("BEGIN")
                contents = read_database_summary(source)
                source.backup(target, pages=PAGES_COPIED_AT_ONCE, progress=lambda _, left, of: told(left, of))
            file.seek(0)
            yield DatabaseCopy(file=file, size_bytes=os.fstat(file.fileno()).st_size, summary=contents)
    except sqlite3.Error as error:
        if is_damage_error(error):
            raise file_damaged_error(path, str(error)) from error
        if is_disk_error(error):
            raise ConfigError(texts.CANNOT_COPY_DISK_FULL(path=path)) from None
        raise ConfigError(texts.CANNOT_COPY(path=path, reason=error)) from None


def missing_database_error(path: Path) -> ConfigError:
    return ConfigError(texts.NO_DATABASE(path=path))


def require_room_for_copy(path: Path) -> None:
    """Raise ConfigError if a copy would leave the bot no room to write in."""
    try:
        sizes = [os.stat(f"{path}{part}").st_size for part in ("", "-wal") if os.path.exists(f"{path}{part}")]
        room = os.statvfs(path.parent)
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename, reason=error.strerror)) from None
    free = room.f_bavail * room.f_frsize
    if not sizes:
        raise missing_database_error(path)
    if sum(sizes) + MIN_FREE_BYTES_AFTER_COPY > free:
        size, spare, left = (each / 1e6 for each in (sum(sizes), MIN_FREE_BYTES_AFTER_COPY, free))
        raise ConfigError(texts.NO_ROOM_FOR_COPY(folder=path.parent, size=size, spare=spare, free=left))


@contextmanager
def open_unnamed_database_file(folder: Path) -> Iterator[tuple[IO[bytes], sqlite3.Connection]]:
    """Yield a file that no longer has a name, and a connection that writes to it. Raise ConfigError."""
    try:
        number, name = tempfile.mkstemp(prefix=COPY_NAME_PREFIX, dir=folder)
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE_IN(folder=folder, reason=error.strerror)) from None
    with open(number, "rb") as file:
        try:
            # If another copy has already removed the file, SQLite must not create it again: `file` would stay empty.
            target = sqlite3.connect(f"{Path(name).absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
            # The file does not outlive the process, so it needs no rollback and no sync. (This also opens the file.)
            target.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        finally:
            with suppress(FileNotFoundError):  # another copy may have removed it
                os.unlink(name)
        yield file, target


def remove_unfinished_copies(folder: Path) -> None:
    """Delete the files that killed copies have left, because they still had a name."""
    for path in folder.glob(f"{COPY_NAME_PREFIX}*"):
        path.unlink(missing_ok=True)


def read_database_summary(db: Connection) -> DatabaseSummary:
    """Return what a database holds. Raise ConfigError if it is from a newer version, StoreDamaged if it is not ours."""
    step = db.fetch_number("PRAGMA user_version")
    if step > len(STEPS):
        raise newer_version_error(step)
    try:
        return DatabaseSummary(
            step=step,
            conversations=db.fetch_number("SELECT count(*) FROM sessions WHERE parent IS NULL"),
            messages=db.fetch_number("SELECT count(*) FROM inbox"),
            newest=db.fetch_rows("SELECT max(kept_at) FROM inbox")[0][0],
        )
    except sqlite3.OperationalError as error:
        if "no such" not in str(error):
            raise
        raise StoreDamaged(texts.NOTHING_OF_OURS(reason=error)) from None
