"""What tests of the search share: a bot whose lead may use every tool, and a file with all tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.store.connection import Connection
from tests.support.bench import Bench
from tests.support.empty_database import opened_empty_database
from tests.support.fakes import role


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    return bench


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    with opened_empty_database(tmp_path / "bot.db") as db:
        db.execute("PRAGMA synchronous=OFF")
        yield db
