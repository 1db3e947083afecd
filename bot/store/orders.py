"""Orders from another process to the running one. It writes a row; `PRAGMA data_version` shows that there is one."""

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bot.core.errors import ConfigError
from bot.core.texts import operators
from bot.store import texts
from bot.store.connection import Connection
from bot.store.writer import file_damaged_error, is_damage, is_disk_error, sqlite_error_code

log = logging.getLogger(__name__)


class OrderAnswer(NamedTuple):
    """What became of an order: a line for the operator, and False if nothing was done."""

    text: str
    is_done: bool = True


OrderHandler = Callable[[Connection, dict[str, str]], OrderAnswer]


def give_order(path: Path, name: str, now: datetime, **arguments: str) -> int:
    """Write an order for the running process, from another process. Return the order's number.

    Raise StoreDamaged if the file is damaged. Raise ConfigError if the file is missing or cannot be written.
    """
    with open_orders_file(path, "rw") as db, db:
        row = db.execute(
            "INSERT INTO orders (name, arguments, given_at) VALUES (?, ?, ?) RETURNING id",
            (name, json.dumps(arguments), now.isoformat()),
        ).fetchone()
        return int(row[0])


def read_order_answer(path: Path, id: int) -> OrderAnswer | None:
    """Return the answer to an order; None while it is not carried out. Raise the same errors as `give_order`."""
    with open_orders_file(path, "ro") as db:
        row = db.execute("SELECT answer FROM orders WHERE id = ?", (id,)).fetchone()
    if row is None or row[0] is None:
        return None
    try:
        return OrderAnswer(*json.loads(row[0]))
    except (ValueError, TypeError):  # a bot of an earlier version wrote the line alone
        return OrderAnswer(row[0])


@contextmanager
def open_orders_file(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the file that the running process also has open. A missing file is not created."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=5)) as db:
            yield db
    except sqlite3.DatabaseError as error:
        if is_damage(error) or sqlite_error_code(error) == sqlite3.SQLITE_ERROR:  # the tables are gone
            raise file_damaged_error(path, str(error)) from error
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error)) from error


def obey_orders(db: Connection, known: dict[str, OrderHandler]) -> None:
    """Carry out the waiting orders, oldest first, and write down their answers."""
    for row in db.fetch_rows("SELECT * FROM orders WHERE answer IS NULL ORDER BY id"):
        obey = known.get(row["name"])
        db.execute("UPDATE orders SET answer = ? WHERE id = ?", (json.dumps(obey_order(db, row, obey)), row["id"]))


def obey_order(db: Connection, row: sqlite3.Row, obey: OrderHandler | None) -> OrderAnswer:
    """Carry out an order and return its answer. An order that fails must not keep the bot from starting."""
    if obey is None:
        return OrderAnswer(texts.UNKNOWN_ORDER(order=row["name"]), is_done=False)
    db.execute("SAVEPOINT obeying")
    try:
        return obey(db, json.loads(row["arguments"]))
    except Exception as error:
        if is_disk_error(error) or is_damage(error) or not db.in_transaction:
            raise
        log.exception(texts.ORDER_FAILED(number=row["id"], order=row["name"]))
        db.execute("ROLLBACK TO obeying")
        return OrderAnswer(texts.FAILED(reason=error), is_done=False)
