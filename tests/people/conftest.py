"""What tests of people as rows have: a file with all tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store.connection import Connection
from tests.support.empty_database import opened_empty_database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    with opened_empty_database(tmp_path / "bot.db") as db:
        yield db
