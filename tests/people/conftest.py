"""What tests of people as rows have: a file with all tables."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.connection import WRITER_PRAGMAS, Connection
from bot.store.schema import migrate


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    with closing(sqlite3.connect(tmp_path / "bot.db", isolation_level=None, factory=Connection)) as db:
        db.executescript(WRITER_PRAGMAS)
        migrate(db)
        db.start_collecting_wake_ups()
        yield db
