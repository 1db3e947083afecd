"""What a transaction promises."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.store import Store
from bot.store.connection import TURNS_CHANGED_TOPIC, Connection
from bot.store.signals import WakeUpSignal
from tests.support.patience import PATIENCE


class Impatient(Store):
    disk_retry_seconds = 0.01
    commits = 0

    @classmethod
    def commit(cls, db: Connection) -> None:
        cls.commits += 1
        super().commit(db)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Impatient.open(tmp_path / "bot.db") as store:
        await store.write(lambda db: db.execute("CREATE TABLE things (name TEXT)") and None)
        Impatient.commits = 0
        yield store


@pytest.fixture
def turns_changed(store: Store) -> Iterator[WakeUpSignal]:
    with store.signals.listen(TURNS_CHANGED_TOPIC) as signal:
        yield signal


def add(db: Connection, name: str) -> None:
    db.execute("INSERT INTO things (name) VALUES (?)", (name,))
    db.add_wake_up(TURNS_CHANGED_TOPIC, name)


def add_and_fail(db: Connection, name: str) -> None:
    add(db, name)
    raise LookupError(name)


def names(db: Connection) -> list[str]:
    return [row["name"] for row in db.fetch_rows("SELECT name FROM things")]


async def test_waiting_writes_go_into_one_commit(store: Store) -> None:
    await asyncio.gather(*(store.write(add, str(number)) for number in range(20)))
    assert len(await store.read(names)) == 20
    assert Impatient.commits <= 2  # the first may have set out alone


async def test_a_transaction_that_fails_is_undone_alone_and_its_caller_hears_why(store: Store) -> None:
    results = await asyncio.gather(
        store.write(add, "a"), store.write(add_and_fail, "b"), store.write(add, "c"), return_exceptions=True
    )
    assert isinstance(results[1], LookupError)
    assert await store.read(names) == ["a", "c"]


async def test_a_write_completes_and_wakes_its_readers_for_a_cancelled_caller(
    store: Store, turns_changed: WakeUpSignal
) -> None:
    async with asyncio.TaskGroup() as callers:
        caller = callers.create_task(store.write(add, "a"))
        caller.add_done_callback(lambda _: None)
        await asyncio.sleep(0)  # let it hand its transaction in
        caller.cancel()
    await store.write(lambda db: None)
    assert await store.read(names) == ["a"]
    assert turns_changed.take_names_and_clear() == {TURNS_CHANGED_TOPIC: {"a"}}


async def test_a_full_disk_is_waited_out_and_nothing_is_dropped(store: Store) -> None:
    tries = []

    def add_much(db: Connection) -> None:
        tries.append("once more")
        if len(tries) == 4:  # somebody has made room
            db.execute("PRAGMA max_page_count = 1000000")
        add(db, "x" * 100_000)

    await store.write(lambda db: db.execute(f"PRAGMA max_page_count = {db.fetch_number('PRAGMA page_count')}") and None)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(store.write(add_much), store.write(add, "y"))
    assert sorted(len(name) for name in await store.read(names)) == [1, 100_000]
    assert len(tries) == 4


async def test_a_lock_of_another_process_is_waited_out(tmp_path: Path) -> None:
    is_refused, path = asyncio.Event(), tmp_path / "bot.db"
    async with Impatient.open(path, lambda why: is_refused.set() if why else None) as store:
        await store.write(lambda db: db.execute("CREATE TABLE things (name TEXT)") and None)
        await store.write(lambda db: db.execute("PRAGMA busy_timeout = 0") and None)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(PATIENCE):
                adding = asyncio.create_task(store.write(add, "a"))
                await is_refused.wait()
                assert not adding.done()
                other.execute("ROLLBACK")
                await adding
        assert await store.read(names) == ["a"]


async def test_an_error_of_the_database_is_told_to_its_caller(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await store.write(lambda db: db.fetch_number("SELECT count(*) FROM nowhere"))
