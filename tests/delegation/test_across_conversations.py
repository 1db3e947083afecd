"""A delegation that one conversation began and a later one went on with: it is the first one's, in every word."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cli.sessions import session_reader
from bot.core.limits import DecisionTerms
from bot.core.role import LEAD_ROLE_NAME
from bot.core.settings import Settings
from bot.core.turn import SessionId
from bot.journal import deletion
from bot.store import Store
from bot.store.orders import OrderAnswer
from tests.support.bench import ROLES, WORKERS, Bench
from tests.support.delegation_calls import NOW, says
from tests.support.fakes import delegates, reply, uses

RESEARCHER = WORKERS[0]
TURNS = "SELECT * FROM turns"


@pytest.fixture
async def conversations(bench: Bench) -> tuple[SessionId, SessionId]:
    """The earlier begins a delegation in the background, the later, after /new, goes on with it."""
    bench.roles[LEAD_ROLE_NAME] = replace(ROLES[LEAD_ROLE_NAME], tools=frozenset({"delegate", "list_delegations"}))
    again = reply(uses("delegate", task="look again", continue_from="t1/2/0"))
    bench.model.says("lead", delegates(RESEARCHER, background=True), "begun", "found", again, "found more")
    bench.model.says(RESEARCHER, "the first report", "the second report")
    async with bench.run():
        assert await says(bench, "go") == "begun"
        assert await bench.chat.said() == "found"
        bench.chat.hears("/new")
        await bench.chat.said()
        assert await says(bench, "look again") == "found more"
    [(earlier,), (later,)] = bench.rows("SELECT id FROM sessions WHERE parent IS NULL ORDER BY rowid")
    return SessionId(earlier), SessionId(later)


async def deleted(data: Path, session: SessionId) -> OrderAnswer:
    async with Store.open(data / "bot.db") as store:
        return await store.write(deletion.delete_conversation, session, DecisionTerms(settings=Settings(), now=NOW))


async def test_a_later_conversation_is_deleted_only_after_the_one_it_continues(
    bench: Bench, conversations: tuple[SessionId, SessionId]
) -> None:
    earlier, later = conversations
    before = bench.rows(TURNS), bench.rows("SELECT * FROM entries")
    refused = await deleted(bench.data, later)
    assert (refused.is_done, later in refused.text, earlier in refused.text) == (False, True, True)
    assert (bench.rows(TURNS), bench.rows("SELECT * FROM entries")) == before
    assert (await deleted(bench.data, earlier)).is_done
    left = bench.rows("SELECT body FROM entries WHERE session LIKE 't%'")
    assert "report" not in str(left)
    assert (await deleted(bench.data, later)).is_done
    assert bench.rows(TURNS) == []
    assert bench.rows("PRAGMA foreign_key_check") == []


async def test_a_prefix_stays_as_long_as_it_is_of_a_chapter_or_of_one_to_come(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with bench.run():
        await says(bench, "go")
        await says(bench, "go", chat="another")
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:
        db.execute("INSERT INTO prefixes VALUES ('old', ''), ('new', ''), ('newer', '')")
        db.execute("UPDATE chapters SET prefix = 'old', next = 'new' WHERE session LIKE 'fake:room%'")
        db.execute("UPDATE chapters SET prefix = 'new', next = 'newer' WHERE session LIKE 'fake:another%'")
        [(room,), (another,)] = db.execute("SELECT id FROM sessions ORDER BY rowid").fetchall()
    kept = "SELECT hash FROM prefixes WHERE hash IN ('old', 'new', 'newer') ORDER BY hash"
    await deleted(bench.data, another)  # the room's next chapter is to begin with what this one has
    assert bench.rows(kept) == [("new",), ("old",)]
    await deleted(bench.data, room)
    assert bench.rows(kept) == []


async def test_printed_each_part_of_it_names_its_role(bench: Bench, conversations: tuple[SessionId, SessionId]) -> None:
    for session in conversations:
        text = session_reader.session_as_markdown(bench.data, session)
        assert "second report" in text
        headings = [line.split(". ")[1] for line in text.splitlines() if line.startswith("### ")]
        assert {each.removeprefix("to ").partition(":")[0] for each in headings} == {"Lead", "Researcher"}
