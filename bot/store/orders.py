"""Orders: what another process asks of the one that runs. It writes a row; `PRAGMA data_version` tells of it."""

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from bot.errors import ConfigError
from bot.store import texts
from bot.store.connection import Connection
from bot.store.writer import code_of, damaged, is_damage, is_of_the_disk
from bot.texts import operators

log = logging.getLogger(__name__)

Obey = Callable[[Connection, dict[str, str]], str]


def give(path: Path, name: str, now: datetime, **arguments: str) -> int:
    """Ask for something, from another process than the one that is to do it; gives the order's number.

    Raises StoreDamaged, or ConfigError where the file is not there or takes nothing.
    """
    with opened(path, "rw") as db, db:
        row = db.execute(
            "INSERT INTO orders (name, arguments, given_at) VALUES (?, ?, ?) RETURNING id",
            (name, json.dumps(arguments), now.isoformat()),
        ).fetchone()
        return int(row[0])


def answer(path: Path, id: int) -> str | None:
    """What became of an order; None while nobody has obeyed it. Raises as `give` does."""
    with opened(path, "ro") as db:
        row = db.execute("SELECT answer FROM orders WHERE id = ?", (id,)).fetchone()
    return row[0] if row else None


@contextmanager
def opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """The file beside the process that has it open; one that is not there is not made."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=5)) as db:
            yield db
    except sqlite3.DatabaseError as error:
        if is_damage(error) or code_of(error) == sqlite3.SQLITE_ERROR:  # the tables are gone
            raise damaged(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from error


def obey_all(db: Connection, known: dict[str, Obey]) -> None:
    """Do what is asked for, in order, and write down what was done."""
    for row in db.all("SELECT * FROM orders WHERE answer IS NULL ORDER BY id"):
        obey = known.get(row["name"])
        db.execute("UPDATE orders SET answer = ? WHERE id = ?", (obeyed(db, row, obey), row["id"]))


def obeyed(db: Connection, row: sqlite3.Row, obey: Obey | None) -> str:
    """Gives what was done; an order that cannot be obeyed must not keep the bot from starting."""
    if obey is None:
        return texts.UNKNOWN_ORDER(order=row["name"])
    db.execute("SAVEPOINT obeying")
    try:
        return obey(db, json.loads(row["arguments"]))
    except Exception as error:
        if is_of_the_disk(error) or is_damage(error) or not db.in_transaction:
            raise
        log.exception(texts.ORDER_FAILED(number=row["id"], order=row["name"]))
        db.execute("ROLLBACK TO obeying")
        return texts.FAILED(reason=error)
