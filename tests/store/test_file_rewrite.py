"""After somebody was forgotten the file is written anew, since SQLite leaves copies of rows that it has moved."""

import asyncio
import os
import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.limits import DecisionTerms
from bot.core.settings import Settings
from bot.journal import tenant_memories
from bot.journal.deletion import delete_conversation
from bot.store import Store, memories
from bot.store.connection import Connection
from bot.store.file_rewrite import newest_forgetting, note_file_rewritten, note_words_forgotten, rewrite_file
from bot.store.text_search.scopes import EVERYBODY
from tests.support.bench import Bench
from tests.support.patience import PATIENCE

WORD = b"walnut"


def write_and_clear(db: Connection) -> None:
    """Write rows, let them grow so that they move from page to page, and empty them."""
    chance = random.Random(0)
    db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    db.executemany("INSERT INTO notes VALUES (?, ?)", [(id, "walnut " * chance.randint(20, 60)) for id in range(40)])
    grown = [("walnut " * chance.randint(40, 120), id) for id in range(40)]
    db.executemany("UPDATE notes SET text = ? WHERE id = ?", grown)
    db.execute("UPDATE notes SET text = ''")


async def test_what_sqlite_leaves_between_rows_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    async with Store.open(path) as store:
        await store.write(write_and_clear)
        assert await store.empty_log()
        assert WORD in path.read_bytes(), "otherwise nothing has to be rewritten"
        await store.write(note_words_forgotten)
        await store.rewrite_file_if_needed()
        assert await store.empty_log()
        assert WORD not in path.read_bytes()
        assert not await store.read(newest_forgetting)
    assert os.listdir(tmp_path) == ["bot.db"]


async def test_nothing_is_rewritten_if_nothing_was_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    async with Store.open(path) as store:
        await store.write(write_and_clear)
        await store.rewrite_file_if_needed()
        assert await store.empty_log()
        assert WORD in path.read_bytes()


async def test_what_is_forgotten_while_the_file_is_rewritten_needs_another(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "bot.db") as store:
        await store.write(note_words_forgotten)
        newest = await store.read(newest_forgetting)
        await store.write(note_words_forgotten)
        await store.write(note_file_rewritten, newest)
        assert await store.read(newest_forgetting) > newest


async def test_a_bot_rewrites_the_file_that_a_killed_one_has_left(bench: Bench) -> None:
    path = bench.data / "bot.db"
    async with Store.open(path) as store:
        await store.write(write_and_clear)
        await store.write(note_words_forgotten)
    assert WORD in path.read_bytes()
    async with bench.run():
        await wait_until_none(bench)
    assert WORD not in path.read_bytes()


async def test_a_forgotten_memory_and_a_deleted_conversation_have_the_file_rewritten(bench: Bench) -> None:
    bench.model.says("lead", "hello")
    async with bench.run():
        await wait_until_none(bench)
        bench.chat.hears("hi")
        assert await bench.chat.said() == "hello"
    terms = DecisionTerms(settings=Settings(), now=datetime.now(UTC))
    [(session,)] = bench.select("id", "sessions")
    async with Store.open(bench.data / "bot.db") as store:
        id = await store.write(tenant_memories.save_for_everybody, "the code is 7", terms)
        assert id.is_done
        [(number,)] = bench.select("id", "memories")
        assert not await store.read(newest_forgetting)
        assert await store.write(memories.forget_memory, EVERYBODY, number)
        assert (first := await store.read(newest_forgetting))
        assert (await store.write(delete_conversation, session, terms)).is_done
        assert await store.read(newest_forgetting) > first


async def wait_until_none(bench: Bench) -> None:
    """Wait until the file was rewritten for all that was forgotten."""
    async with asyncio.timeout(PATIENCE):
        while bench.count("file_rewrites"):  # noqa: ASYNC110 -- it is a row
            await asyncio.sleep(0.01)


async def test_rows_keep_their_order_and_their_numbers(tmp_path: Path) -> None:
    """Some tables are read in the order in which their rows came, which SQLite's own numbers of rows tell."""
    path = tmp_path / "bot.db"
    async with Store.open(path) as store:
        await store.write(note_words_forgotten)
    with sqlite3.connect(path) as db:
        tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%'"
        for name, sql in db.execute(f"{tables} AND name NOT LIKE 'sqlite%' AND sql NOT LIKE 'CREATE VIRTUAL%'"):
            has_index = db.execute(f"PRAGMA index_list({name})").fetchall()
            assert has_index or "INTEGER PRIMARY KEY" in sql, f"VACUUM may number the rows of {name} anew"


def test_a_disk_without_room_for_a_second_file_is_an_error(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.touch()
    os.truncate(large, 1 << 43)  # a file with a hole: it takes nothing
    with closing(Connection(tmp_path / "bot.db")) as db, pytest.raises(OSError, match="No space left"):
        rewrite_file(db, large)
