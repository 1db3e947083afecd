"""Migrations are frozen: a database of each step comes out as a fresh one, and what was open in it goes on."""

import asyncio
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import ConfigError
from bot.core.model import Model, ModelReply, ModelRequest, ShowText
from bot.core.texts import model
from bot.store import Store
from bot.store.chat_reader import find_odd_tables, migrate_database
from bot.store.connection import Connection
from bot.store.migrations import STEPS
from bot.store.schema import (
    definitions_by_steps,
    development_version_error,
    list_changed_tables,
    migrate,
    table_definitions,
)
from tests.support.backup_bot import connection
from tests.support.bench import Bench
from tests.support.fakes import reply
from tests.support.old_databases import NAMES, step_of, unpack
from tests.support.patience import PATIENCE
from tests.support.shell import Shell

LANDED = {*range(1, 8), 12}  # steps: those when they were frozen, and the last of each release since
STATUSES_OF_ALL = "SELECT DISTINCT status FROM turns"
STATUSES = f"{STATUSES_OF_ALL} WHERE address = ?"
MADE_AT = datetime(2026, 11, 22, 21, 10, tzinfo=UTC)  # soon after the newest was

# What tables of development's other states were like, which called themselves a step that has landed.
OTHER_STATES = {
    "an index missing": (3, "DROP INDEX inbox_old", ["inbox_old"]),
    "a column missing": (4, "ALTER TABLE chapters DROP COLUMN next", ["chapters"]),
    "a column more": (2, "ALTER TABLE chats ADD COLUMN more TEXT", ["chats"]),
    "a table missing": (7, "DROP TABLE lanes", ["lanes"]),
}


def master(db: Connection) -> set[tuple[str, str, str]]:
    return {(row["type"], row["name"], row["sql"]) for row in db.fetch_rows("SELECT * FROM sqlite_master")}


def fresh(folder: Path) -> Connection:
    db = connection(folder / "fresh.db")
    migrate(db)
    return db


def test_each_step_that_has_landed_has_a_database() -> None:
    assert {step_of(name) for name in NAMES} >= LANDED


@pytest.mark.parametrize("name", NAMES)
def test_a_step_makes_the_tables_that_it_made_when_it_landed(name: str, tmp_path: Path) -> None:
    with closing(connection(unpack(name, tmp_path))) as db:
        assert db.fetch_number("PRAGMA user_version") == step_of(name)
        assert table_definitions(db) == definitions_by_steps(STEPS[: step_of(name)])


@pytest.mark.parametrize("name", NAMES)
def test_a_database_comes_out_of_migrating_like_a_fresh_one(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    assert migrate_database(path) == (step_of(name), len(STEPS))
    with closing(connection(path)) as db, closing(fresh(tmp_path)) as new:
        assert master(db) == master(new)
        assert db.fetch_rows("PRAGMA foreign_key_check") == []


@pytest.mark.parametrize(("step", "change", "names"), OTHER_STATES.values(), ids=OTHER_STATES)
def test_another_state_of_development_is_one_clear_line_and_stays_as_it_is(
    step: int, change: str, names: list[str], tmp_path: Path
) -> None:
    path = unpack(f"step{step}", tmp_path)
    with closing(connection(path)) as db:
        db.execute(change)
        before = master(db)
        assert list_changed_tables(db) == names
        with pytest.raises(ConfigError) as told:
            migrate(db)
        assert str(told.value) == str(development_version_error(names))
        assert (master(db), db.fetch_number("PRAGMA user_version")) == (before, step)


async def test_a_start_and_doctor_refuse_such_a_state_with_that_line(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    shell.data.mkdir()
    with closing(connection(unpack("step2", shell.data))) as db:
        db.execute("ALTER TABLE chats ADD COLUMN more TEXT")
    line = str(development_version_error(["chats"]))
    with pytest.raises(ConfigError) as told:
        async with Store.open(shell.data / "bot.db"):
            pass
    assert str(told.value) == line
    assert line in (await shell.retinue("doctor")).out


async def test_doctor_compares_the_tables(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    shell.data.mkdir()
    path = unpack("step7", shell.data)
    assert find_odd_tables(path) == ([], [])
    migrate_database(path)
    assert "ok       tables: " in (await shell.retinue("doctor")).out
    with closing(connection(path)) as db:
        db.execute("CREATE TABLE _replicated (id)")
    assert find_odd_tables(path) == ([], ["_replicated"])
    assert "warning  tables: _replicated in " in (await shell.retinue("doctor")).out
    with closing(connection(path)) as db:
        db.execute("DROP INDEX turns_open")
    assert f"wrong    database: {development_version_error(['turns_open'])}" in (await shell.retinue("doctor")).out


class Later:
    """The time goes on from soon after the databases were made: what was open then still has its deadline."""

    def __init__(self) -> None:
        self.away = datetime.now(UTC) - MADE_AT

    def __call__(self) -> datetime:
        return datetime.now(UTC) - self.away


class Answers(Model):
    """A model that says in which chat it was asked; a role says that it found something."""

    async def reply(self, request: ModelRequest, show: ShowText) -> ModelReply:
        chat = re.search(r"Chat: fake (\w+)\.", str([entry.content for entry in request.transcript]))
        return reply(text_block(f"Answered in {chat[1]}." if chat else "Found."))


async def is_settled(bench: Bench) -> None:
    """Wait until nothing is open any more, and all that was said is shown."""
    open_ones = (
        "SELECT id FROM turns WHERE state != 'ended'"
        " UNION ALL SELECT key FROM inbox WHERE state IN ('received', 'taken')"
        " UNION ALL SELECT key FROM outbox WHERE state NOT IN ('sent', 'failed') UNION ALL"
        " SELECT 'not migrated' WHERE (SELECT user_version FROM pragma_user_version) < ?"
    )
    async with asyncio.timeout(PATIENCE):
        while bench.rows(open_ones, len(STEPS)):  # noqa: ASYNC110 - no one event tells of all this
            await asyncio.sleep(0.02)


def replies(bench: Bench) -> dict[str, str]:
    """What was answered, by chat."""
    rows = bench.rows("SELECT address, text FROM outbox WHERE kind = 'reply' ORDER BY seq")
    return {address.partition(":")[2]: text for address, text in rows}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "step7-set-aside"])
async def test_open_work_of_an_earlier_version_goes_on(bench: Bench, name: str) -> None:
    unpack(name, bench.data)
    bench.chat.is_anchoring = True
    async with bench.run(now=Later(), model=Answers()):
        bench.chat.hears("2", chat="asked", id="new-blue")
        await bench.chat.is_taken_in()
        await is_settled(bench)
    open_chats = {address.partition(":")[2] for (address,) in bench.rows("SELECT address FROM inbox")} - {
        "done",
        "stopped",
    }
    assert {"asked", "work"} <= open_chats
    assert {chat: replies(bench)[chat] for chat in open_chats} == {chat: f"Answered in {chat}." for chat in open_chats}
    assert bench.rows("SELECT answer FROM questions WHERE address = 'fake:asked'") == [("blue",)]
    assert bench.rows(STATUSES, "fake:stopped") in ([], [("cancelled",)])
    assert "failed" not in str(bench.rows(STATUSES_OF_ALL))


async def test_unknown_and_stopped_work_of_step_seven_is_settled_in_the_newest(bench: Bench) -> None:
    unpack("step7", bench.data)
    bench.chat.is_anchoring = True
    async with bench.run(now=Later(), model=Answers()):
        bench.chat.hears("blue", chat="asked", id="new-blue")
        await bench.chat.is_taken_in()
        await is_settled(bench)
    [(result, is_error)] = bench.rows("SELECT result, is_error FROM calls WHERE name = 'change'")
    assert (result, is_error) == (model.CALL_INTERRUPTED, 1)
    assert bench.changed == []
    crowd = bench.rows("SELECT id FROM turns WHERE role = 'researcher' AND address = 'fake:crowd'")
    assert len(crowd) == 6
    assert bench.rows(STATUSES, "fake:crowd") == [("completed",)]
    background = bench.rows("SELECT status FROM turns WHERE background")
    assert background == [("completed",)]


async def test_a_turn_that_was_being_set_aside_is_set_aside(bench: Bench) -> None:
    unpack("step7-set-aside", bench.data)
    async with bench.run(now=Later(), model=Answers()):
        await is_settled(bench)
    assert bench.rows("SELECT status, attempts FROM turns") == [("failed", 3)]
    assert bench.rows("SELECT state FROM inbox") == [("aside",)]
