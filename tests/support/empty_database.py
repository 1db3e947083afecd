"""A file with all tables and no rows. Most tests begin with it: the steps that make the tables take their time."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from bot.store.connection import WRITER_PRAGMAS, Connection
from bot.store.schema import migrate


@cache
def empty_database() -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=Connection)) as db:
        migrate(db)
        made = db.serialize()
    return made[:18] + b"\x02\x02" + made[20:]  # as one that is written with a log


def make_empty_database(path: Path) -> None:
    """Write the file, unless there is one, as a bot would: only its owner may read it."""
    if path.parent.is_dir() and not path.exists():
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(empty_database())


@contextmanager
def opened_empty_database(path: Path) -> Iterator[Connection]:
    make_empty_database(path)
    with closing(sqlite3.connect(path, isolation_level=None, factory=Connection)) as db:
        db.executescript(WRITER_PRAGMAS)
        db.start_collecting_wake_ups()
        yield db
