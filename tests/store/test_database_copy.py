"""The copy of the database that a back-up is made of: whole, of one moment, and nobody waits for it."""

import os
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.store import database_copy, texts
from bot.store.database_copy import MIN_FREE_BYTES_AFTER_COPY, make_temporary_database_copy
from tests.support.backup_bot import apart, connection, folder_of, saved
from tests.support.wording import like

ORDER = "INSERT INTO orders (name, arguments, given_at) VALUES ('stop', ?, '')"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bot")


def test_nobody_who_writes_waits_for_a_copy_and_the_copy_ends(place: Path) -> None:
    path = place / "data" / "bot.db"
    with closing(connection(path)) as db:
        db.execute("CREATE TABLE ballast (body BLOB)")
        db.execute("INSERT INTO ballast SELECT zeroblob(1000000) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))")
        waits: list[float] = []

        def told(left: int, of: int) -> None:
            begun = time.monotonic()
            db.execute(ORDER, ("{}",))
            waits.append(time.monotonic() - begun)

        with make_temporary_database_copy(path, told) as copy:
            there = place / "copy.db"
            there.write_bytes(copy.file.read())
        written = db.fetch_number("SELECT count(*) FROM orders")
    with closing(connection(there)) as db:
        assert db.fetch_number("SELECT count(*) FROM orders") == 0  # it is of the moment in which it began
        assert db.fetch_rows("PRAGMA quick_check")[0][0] == "ok"
    assert written == len(waits) >= 8
    assert max(waits) < 1


def test_while_the_archive_is_written_the_log_is_emptied_as_ever(place: Path) -> None:
    path = place / "data" / "bot.db"
    with closing(connection(path)) as db, make_temporary_database_copy(path, lambda left, of: None):
        for _ in range(50):
            db.execute(ORDER, ("x" * 10_000,))
        is_busy, *_ = db.fetch_rows("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        assert not is_busy
        assert Path(f"{path}-wal").stat().st_size == 0


def test_a_copy_that_another_sweeps_away_as_it_begins_is_no_empty_one(place: Path, tmp_path: Path) -> None:
    def sweep(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sqlite3.connect" and database_copy.COPY_NAME_PREFIX in str(arguments[0]):
            database_copy.remove_unfinished_copies(place / "data")

    def swept() -> None:
        sys.addaudithook(sweep)
        with pytest.raises(ConfigError, match="cannot copy"):
            saved(place, tmp_path / "it.tar.gz")

    assert apart(swept) == 0
    assert not list((place / "data").glob(".copy*"))


def test_the_next_copy_removes_the_rest_of_a_killed_one(place: Path, tmp_path: Path) -> None:
    (place / "data" / ".copy-abc").write_text("")
    saved(place, tmp_path / "it.tar.gz")
    assert not list((place / "data").glob(".copy*"))


def test_no_copy_is_made_if_it_would_fill_the_disk(place: Path, tmp_path: Path) -> None:
    path = place / "data" / "bot.db"
    room = os.statvfs(place)
    os.truncate(
        place / "data" / "bot.db", room.f_bavail * room.f_frsize - MIN_FREE_BYTES_AFTER_COPY // 2
    )  # a file with a hole
    with pytest.raises(ConfigError, match=like(texts.NO_ROOM_FOR_COPY, spare=100)):
        saved(place, tmp_path / "it.tar.gz")
    path.unlink()
