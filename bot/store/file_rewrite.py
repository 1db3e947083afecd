"""Rewrite the whole file after somebody was forgotten.

SQLite overwrites deleted rows (`secure_delete`). But when it moves a row from one page to another, a copy of the row
may be left between the rows of the first page, and nothing overwrites that copy when the row is deleted.
"""

import errno
import os
import shutil
from pathlib import Path

from bot.store.connection import FORGOTTEN_TOPIC, Connection
from bot.store.database_copy import MIN_FREE_BYTES_AFTER_COPY


def note_words_forgotten(db: Connection) -> None:
    """Have what is left of deleted rows in the file and in SQLite's log overwritten soon."""
    db.execute("INSERT INTO file_rewrites DEFAULT VALUES")
    db.add_wake_up(FORGOTTEN_TOPIC)


def newest_forgetting(db: Connection) -> int:
    """Return the number of the newest forgetting for which the file was not rewritten yet; 0 if there is none."""
    return db.fetch_number("SELECT ifnull(max(id), 0) FROM file_rewrites")


def note_file_rewritten(db: Connection, newest: int) -> None:
    """Note that the file was rewritten after this forgetting. What was forgotten meanwhile needs another rewrite."""
    db.execute("DELETE FROM file_rewrites WHERE id <= ?", (newest,))


def rewrite_file(db: Connection, path: Path) -> None:
    """Rewrite the file, in one transaction: with a temporary file beside it, and through SQLite's log. Raise OSError
    if the disk has no room for both."""
    needed = 2 * path.stat().st_size + MIN_FREE_BYTES_AFTER_COPY
    if shutil.disk_usage(path.parent).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.environ["SQLITE_TMPDIR"] = str(path.parent)
    db.execute("PRAGMA temp_store=FILE")  # the memory may have no room for a copy
    try:
        db.execute("VACUUM")
    finally:
        db.execute("PRAGMA temp_store=MEMORY")
