"""Migrations are frozen: a database of each step comes out as a fresh one, and what was open in it goes on."""

import asyncio
import json
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import PersonId
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.sources import Flags, flags_of
from bot.core.texts import model
from bot.store.chat_reader import migrate_database
from bot.store.connection import Connection
from bot.store.migrations import STEPS
from bot.store.migrations_of_0_3 import drop_what_settings_decide
from bot.store.schema import (
    migrate,
    table_definitions,
    table_definitions_made_by_steps,
)
from tests.support.backup_bot import connection
from tests.support.bench import Bench
from tests.support.fakes import reply
from tests.support.old_databases import NAMES, step_of, unpack
from tests.support.patience import PATIENCE

LANDED = {*range(1, 8), 12}  # steps: those when they were frozen, and the last of each release since
STATUSES_OF_ALL = "SELECT DISTINCT status FROM turns"
STATUSES = f"{STATUSES_OF_ALL} WHERE address = ?"
MADE_AT = datetime(2026, 11, 22, 21, 10, tzinfo=UTC)  # soon after the newest was


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
        assert table_definitions(db) == table_definitions_made_by_steps(STEPS[: step_of(name)])


@pytest.mark.parametrize("name", NAMES)
def test_a_database_comes_out_of_migrating_like_a_fresh_one(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path)
    assert migrate_database(path) == (step_of(name), len(STEPS))
    with closing(connection(path)) as db, closing(fresh(tmp_path)) as new:
        assert master(db) == master(new)
        assert db.fetch_rows("PRAGMA foreign_key_check") == []


class Later:
    """The time goes on from soon after the databases were made: what was open then still has its deadline."""

    def __init__(self) -> None:
        self.away = datetime.now(UTC) - MADE_AT

    def __call__(self) -> datetime:
        return datetime.now(UTC) - self.away


class Answers(Model):
    """A model that says in which chat it was asked; a role says that it found something."""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
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
    background = bench.rows("SELECT status FROM turns WHERE background AND root = id")
    assert background == [("completed",)]


async def test_a_turn_that_was_being_set_aside_is_set_aside(bench: Bench) -> None:
    unpack("step7-set-aside", bench.data)
    async with bench.run(now=Later(), model=Answers()):
        await is_settled(bench)
    assert bench.rows("SELECT status, attempts FROM turns") == [("failed", 3)]
    assert bench.rows("SELECT state FROM inbox") == [("aside",)]


def test_what_only_the_settings_say_is_no_row_any_more(tmp_path: Path) -> None:
    with closing(fresh(tmp_path)) as db:
        for number, person in enumerate(("owner", "telegram:7")):
            db.execute(f"INSERT INTO linked_accounts VALUES ('telegram', {number}, '{person}', '', 'telegram:9', '')")
        for group, decided_at in (("-5", "'1'"), ("-6", "'2'")):
            row = f"'telegram', '{group}', NULL, '', '', '1', 'everybody', {decided_at}, NULL"
            db.execute(f"INSERT INTO group_starts VALUES ({row})")
        drop_what_settings_decide(db)
        assert [row["person"] for row in db.fetch_rows("SELECT person FROM linked_accounts")] == ["telegram:7"]
        decided = db.fetch_rows("SELECT group_chat FROM group_starts WHERE decision = 'everybody'")
        assert [row["group_chat"] for row in decided] == ["-6"]


def test_a_conversation_from_before_counts_as_one_that_has_read_private_things(tmp_path: Path) -> None:
    path = unpack("step12", tmp_path)
    migrate_database(path)
    with closing(connection(path)) as db:
        [sources] = {row["sources"] for row in db.fetch_rows("SELECT sources FROM sessions")}
        assert flags_of(frozenset(json.loads(sources)), PersonId("Ann")) == Flags(untrusted=False, private=True)
