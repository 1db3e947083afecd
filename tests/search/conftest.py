"""What tests of the search share: a bot whose lead may use every tool, and a file with all tables."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.store.connection import WRITER_PRAGMAS, Connection
from bot.store.schema import migrate
from tests.support.bench import Bench
from tests.support.fakes import role


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    return bench


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    with closing(sqlite3.connect(tmp_path / "bot.db", isolation_level=None, factory=Connection)) as db:
        db.executescript(WRITER_PRAGMAS.replace("FULL", "OFF"))
        migrate(db)
        db.start_collecting_wake_ups()
        yield db
