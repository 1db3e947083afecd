"""How far the rows are, in four numbers: where they are the same, nothing was taken in and nothing sent in between."""

from dataclasses import dataclass
from pathlib import Path

from bot.store.chat_reader import read_database
from bot.store.connection import Connection
from bot.store.schema import is_of_this_version

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
    return read_database(path, count_row_marks, RowMarks(step=0), at_any_step=True)


def count_row_marks(db: Connection) -> RowMarks:
    step = db.fetch_number("PRAGMA user_version")
    if not is_of_this_version(db):
        return RowMarks(step=step)
    return RowMarks(
        step=step,
        received=db.fetch_number("SELECT coalesce(max(seq), 0) FROM inbox"),
        said=db.fetch_number("SELECT coalesce(max(seq), 0) FROM outbox"),
        unsent=db.fetch_number(COUNT_UNSENT_SQL) + db.fetch_number(COUNT_SENDING_SQL),
    )
