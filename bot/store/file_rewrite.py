"""Write the whole file anew after somebody was forgotten.

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
    db.insert_if_new("file_rewrites", reason=FORGOTTEN_TOPIC)
    db.add_wake_up(FORGOTTEN_TOPIC)


def is_rewrite_needed(db: Connection) -> bool:
    return db.has_rows("SELECT 1 FROM file_rewrites")


def note_file_rewritten(db: Connection) -> None:
    db.execute("DELETE FROM file_rewrites")


def rewrite_file(db: Connection, path: Path) -> None:
    """Write the file anew, in one transaction: with a temporary file beside it, and through SQLite's log. Raise OSError
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
