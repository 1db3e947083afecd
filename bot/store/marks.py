"""How far the rows are, in four numbers: where they are the same, nothing was taken in and nothing sent in between."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.store.connection import Connection
from bot.store.schema import is_of_this_version
from bot.store.writer import code_of, damaged, is_damage
from bot.texts import operators

UNSENT = "SELECT count(*) FROM outbox WHERE state IN ('queued', 'unknown')"
SENDING = "SELECT count(*) FROM outbox WHERE state = 'sending'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """All but the step are None where the rows are of an earlier one."""

    step: int  # of the migrations; 0: there is no database yet
    received: int | None = None  # the number of the newest message
    said: int | None = None  # the same of what was said
    unsent: int | None = None  # how much of that is still to be sent, or on its way


def marks(path: Path) -> Marks:
    """Raises StoreDamaged, or ConfigError where the file cannot be opened or is from a newer version."""
    if not path.exists():
        return Marks(step=0)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, factory=Connection)) as db:
            db.row_factory = sqlite3.Row
            db.execute("BEGIN")
            step = db.count("PRAGMA user_version")
            return read(db, step) if is_of_this_version(db) else Marks(step=step)
    except sqlite3.DatabaseError as error:
        if is_damage(error) or code_of(error) == sqlite3.SQLITE_ERROR:  # the tables are gone
            raise damaged(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from None


def read(db: Connection, step: int) -> Marks:
    newest = (db.count(f"SELECT coalesce(max(seq), 0) FROM {table}") for table in ("inbox", "outbox"))
    received, said = newest
    return Marks(step=step, received=received, said=said, unsent=db.count(UNSENT) + db.count(SENDING))
