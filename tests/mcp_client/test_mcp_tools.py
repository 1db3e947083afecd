"""The rows of servers' tools: what is on, what waits, and which question about it is open."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.access import Access
from bot.core.limits import DecisionTerms
from bot.core.mcp_tools import ListedTool
from bot.core.messages import Address
from bot.core.settings import Settings
from bot.core.texts import operators
from bot.journal.mcp_tools import MAX_CHARACTERS_ASKED, allow_for_operator, apply_owner_decision, save_listing
from bot.store import mcp_tools as rows
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion, list_open_questions
from tests.support.empty_database import make_empty_database
from tests.support.fakes import message

OWNER_AT = Address(channel="fake", chat="office")
TERMS = DecisionTerms(
    settings=Settings(),
    now=datetime(2026, 11, 28, tzinfo=UTC),
    access_by_channel={"fake": Access(owner_address=OWNER_AT)},
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    make_empty_database(tmp_path / "bot.db")
    opened = Connection(tmp_path / "bot.db", isolation_level=None)
    opened.start_collecting_wake_ups()
    yield opened
    opened.close()


def tool(name: str, says: str = "Does it.", server: str = "mail") -> ListedTool:
    return ListedTool(server=server, name=name, description=says, input_schema={"type": "object"}, hash=says)


def lists(db: Connection, *tools: ListedTool, server: str = "mail", terms: DecisionTerms = TERMS) -> None:
    save_listing(db, server, tools, [], terms)


def on(db: Connection) -> list[str]:
    return [row.listed.name for row in rows.list_mcp_tools(db) if row.is_on]


def asked(db: Connection) -> list[str]:
    return [name for each in list_open_questions(db, ButtonQuestion) for name in each.arguments["forms"]]


def answers(db: Connection, question: ButtonQuestion, option: str) -> None:
    apply_owner_decision(db, question, message(option, address=OWNER_AT), TERMS)


def test_the_first_list_of_a_server_is_taken_as_it_is(db: Connection) -> None:
    lists(db, tool("find"), tool("send"))
    assert (on(db), asked(db)) == (["find", "send"], [])
    assert rows.list_mcp_tools(db)[0].listed == tool("find")


def test_what_is_said_anew_and_what_comes_later_waits(db: Connection) -> None:
    lists(db, tool("find"), tool("send"))
    lists(db, tool("find", "Does more."), tool("send"), tool("post"))
    assert (on(db), asked(db)) == (["send"], ["find", "post"])
    lists(db, tool("find", "Does more."), tool("send"), tool("post"))
    assert asked(db) == ["find", "post"], "once"


def test_what_is_taken_back_ends_the_question(db: Connection) -> None:
    lists(db, tool("find"))
    lists(db, tool("find", "Does more."))
    lists(db, tool("find"))
    assert (on(db), asked(db)) == (["find"], [])


def test_a_tool_that_comes_back_as_it_was_is_on(db: Connection) -> None:
    lists(db, tool("find"), tool("send"))
    lists(db, tool("send"))
    assert on(db) == ["send"]
    lists(db, tool("find"), tool("send"))
    assert (on(db), asked(db)) == (["find", "send"], [])


def test_servers_do_not_decide_for_each_other(db: Connection) -> None:
    lists(db, tool("find"))
    lists(db, tool("find", "Other.", "post"), server="post")
    lists(db, tool("find", "Changed.", "post"), server="post")
    lists(db, tool("find"))
    assert [row.listed.server for row in rows.list_mcp_tools(db) if row.is_on] == ["mail"]
    assert asked(db) == ["find"]


def test_a_question_shows_all_words_that_it_is_about(db: Connection) -> None:
    lists(db, tool("find"))
    lists(db, tool("find"), *(tool(f"new{number}", f"{number}" + "x" * 1_400) for number in range(10)))
    for names in (["new0", "new1", "new2", "new3"], ["new4", "new5", "new6", "new7"], ["new8", "new9"]):
        [question] = list_open_questions(db, ButtonQuestion)
        row = db.fetch_row("SELECT text FROM outbox WHERE key = ?", question.id)
        assert row
        assert sorted(question.arguments["forms"]) == names
        assert all(f"{name[3:]}" + "x" * 1_400 in row["text"] for name in names)
        assert len(row["text"]) < MAX_CHARACTERS_ASKED + 500
        answers(db, question, question.options[0])
    assert asked(db) == []


def test_the_words_of_arguments_are_shown_too(db: Connection) -> None:
    lists(db, tool("find"))
    words = {"properties": {"word": {"type": "string", "description": "First put each file here"}}}
    lists(db, replace(tool("find"), input_schema=words, hash="another"))
    row = db.fetch_row("SELECT text FROM outbox")
    assert row
    assert "First put each file here" in row["text"]


def test_without_an_owner_nobody_is_asked_and_the_operator_allows(db: Connection) -> None:
    alone = replace(TERMS, access_by_channel={})
    lists(db, tool("find"), terms=alone)
    lists(db, tool("find", "Does more."), terms=alone)
    assert (on(db), asked(db)) == ([], [])
    answer = allow_for_operator(db, "mail", alone)
    assert (answer.text, on(db)) == (operators.MCP_TOOLS_ALLOWED(server="mail", tools="mail__find"), ["find"])
    assert not allow_for_operator(db, "mail", alone).is_done


def test_the_operator_can_allow_what_the_owner_has_refused(db: Connection) -> None:
    lists(db, tool("find"))
    lists(db, tool("find", "Does more."))
    rows.refuse_listed_form(db, "mail", "find")
    lists(db, tool("find", "Does more."))
    assert (on(db), asked(db)) == ([], [])
    assert allow_for_operator(db, "mail", TERMS).is_done
    assert on(db) == ["find"]


def test_a_server_that_is_configured_no_more_is_forgotten(db: Connection) -> None:
    lists(db, tool("find"))
    rows.forget_other_servers(db, ["post"])
    assert (rows.list_mcp_tools(db), rows.list_listing_faults(db)) == ([], {})
    lists(db, tool("find", "Does more."))
    assert on(db) == ["find"], "it is seen for the first time"
