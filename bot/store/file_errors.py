"""Turn SQLite's errors about the file and its disk into our own."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.core.errors import ConfigError, StoreDamaged
from bot.core.texts import operators
from bot.store import texts
from bot.store.connection import Connection

DISK_ERROR_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
DAMAGE_ERROR_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@contextmanager
def translate_damage_errors(path: Path) -> Iterator[None]:
    """Raise StoreDamaged if the file turns out to be damaged. Let other errors pass."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if is_damage_error(error):
            raise file_damaged_error(path, str(error)) from error
        raise


@contextmanager
def translate_all_file_errors(path: Path) -> Iterator[None]:
    """Raise StoreDamaged if the file is damaged or lacks its tables, ConfigError if it cannot be used."""
    try:
        yield
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error.strerror)) from None
    except sqlite3.DatabaseError as error:
        if is_damage_error(error) or sqlite_error_code(error) == sqlite3.SQLITE_ERROR:  # the tables are gone
            raise file_damaged_error(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from None


def find_file_damage(db: Connection) -> str:
    """Read the file from end to end. Return what is wrong with it, in SQLite's words; empty if it is whole."""
    found = str(db.fetch_rows("PRAGMA quick_check(1)")[0][0])
    return "" if found == "ok" else found


def file_damaged_error(path: Path, why: str) -> StoreDamaged:
    return StoreDamaged(texts.DAMAGED(path=path, reason=" ".join(why.split()), mending=texts.MEND_DAMAGE))


def is_disk_error(error: Exception) -> bool:
    return sqlite_error_code(error) in DISK_ERROR_CODES


def may_write_succeed_later(error: Exception) -> bool:
    """Return True if the disk refuses the write, or another process has locked the file for a long time."""
    return is_disk_error(error) or sqlite_error_code(error) == sqlite3.SQLITE_BUSY


def is_damage_error(error: BaseException) -> bool:
    return sqlite_error_code(error) in DAMAGE_ERROR_CODES


def sqlite_error_code(error: BaseException) -> int:
    """Return SQLite's primary error code; 0 for any other error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
