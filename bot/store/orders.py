"""Orders from another process to the running one, which sees by `PRAGMA data_version` that a row was written."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from bot.store.connection import Connection, open_database_file
from bot.store.file_errors import translate_all_file_errors
from bot.store.row_mapping import dataclass_from_row


class OrderAnswer(NamedTuple):
    """What became of an order: a line for the operator, and whether it was carried out."""

    text: str
    is_done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    id: int
    name: str
    arguments: str  # JSON: parsed only when the order is carried out, since another program may have written it


def write_order(path: Path, name: str, now: datetime, **arguments: str) -> int:
    """Write an order for the running process, from another process. Return the order's number. Raise StoreDamaged if
    the file is damaged. Raise ConfigError if the file is missing or cannot be written."""
    with open_database_for_orders(path, "rw") as db:
        db.insert_if_new("orders", name=name, arguments=arguments, given_at=now)
        return db.fetch_number("SELECT last_insert_rowid()")


def read_order_answer(path: Path, id: int) -> OrderAnswer | None:
    """Return the answer to an order; None while it is not carried out. Raise the same errors as `write_order`."""
    with open_database_for_orders(path, "ro") as db:
        row = db.fetch_row("SELECT answer FROM orders WHERE id = ?", id)
    if row is None or row["answer"] is None:
        return None
    try:
        return OrderAnswer(*json.loads(row["answer"]))
    except (ValueError, TypeError):  # a bot of an earlier version wrote the line alone
        return OrderAnswer(row["answer"])


@contextmanager
def open_database_for_orders(path: Path, mode: Literal["ro", "rw"]) -> Iterator[Connection]:
    with translate_all_file_errors(path), closing(open_database_file(path, mode)) as db:
        yield db


def list_waiting_orders(db: Connection) -> list[Order]:
    """Return the orders that have no answer, oldest first."""
    rows = db.fetch_rows("SELECT * FROM orders WHERE answer IS NULL ORDER BY id")
    return [dataclass_from_row(Order, row) for row in rows]


def save_order_answer(db: Connection, order: Order, answer: OrderAnswer) -> None:
    db.execute("UPDATE orders SET answer = ? WHERE id = ?", (json.dumps(answer), order.id))
