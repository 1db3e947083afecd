"""How far the rows are, in four numbers: where they are the same, nothing was taken in and nothing sent in between."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.core.errors import ConfigError
from bot.core.texts import operators
from bot.store.connection import Connection
from bot.store.schema import is_of_this_version
from bot.store.writer import file_damaged_error, is_damage, sqlite_error_code

COUNT_UNSENT_SQL = "SELECT count(*) FROM outbox WHERE state IN ('queued', 'unknown')"
COUNT_SENDING_SQL = "SELECT count(*) FROM outbox WHERE state = 'sending'"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMarks:
    """The marks of a database. All except `step` are None if the rows are of an earlier step."""

    step: int  # of the migrations; 0: there is no database yet
    received: int | None = None  # the number of the newest message
    said: int | None = None  # the same of what was said
    unsent: int | None = None  # how much of that is still to be sent, or on its way


def load_row_marks(path: Path) -> RowMarks:
    """Return the marks. Raise StoreDamaged, or ConfigError if the file cannot be opened or is from a newer version."""
    if not path.exists():
        return RowMarks(step=0)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, factory=Connection)) as db:
            db.row_factory = sqlite3.Row
            db.execute("BEGIN")
            step = db.fetch_number("PRAGMA user_version")
            return count_row_marks(db, step) if is_of_this_version(db) else RowMarks(step=step)
    except sqlite3.DatabaseError as error:
        if is_damage(error) or sqlite_error_code(error) == sqlite3.SQLITE_ERROR:  # the tables are gone
            raise file_damaged_error(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from None


def count_row_marks(db: Connection, step: int) -> RowMarks:
    newest = (db.fetch_number(f"SELECT coalesce(max(seq), 0) FROM {table}") for table in ("inbox", "outbox"))
    received, said = newest
    return RowMarks(
        step=step,
        received=received,
        said=said,
        unsent=db.fetch_number(COUNT_UNSENT_SQL) + db.fetch_number(COUNT_SENDING_SQL),
    )
