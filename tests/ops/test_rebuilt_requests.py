"""Requests that are built again from rows: equal to what Claude was sent, or with what differs and why."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.core.turn import TurnId
from bot.ops.rebuilt_requests import RebuiltRequest, rebuild_requests_of_turn
from bot.store import turns
from bot.store.connection import open_database_file
from tests.stand_ins.claude import Thinking, ToolUse, reply
from tests.support.claude_bot import Talk, open_talk


@pytest.fixture
async def talked(tmp_path: Path) -> AsyncIterator[Talk]:
    """A turn of two requests: the lead reads something, and answers."""
    async with open_talk(tmp_path) as talk:
        talk.server.script.say(reply(Thinking(), "I look", ToolUse("read", {"path": "a"})), "It says so.")
        async with talk.run():
            await talk.ask("what does it say?")
        yield talk


def rebuilt_or_none(talk: Talk) -> list[RebuiltRequest | None]:
    with closing(open_database_file(talk.bench.data / "bot.db", "ro")) as db:
        return [request for _, request in rebuild_requests_of_turn(db, turns.get_turn(db, TurnId("t1")))]


def rebuilt(talk: Talk) -> list[RebuiltRequest]:
    return [each for each in rebuilt_or_none(talk) if each]


def change(talk: Talk, sql: str) -> None:
    """Change rows, as if another version of the program read them."""
    with closing(sqlite3.connect(talk.bench.data / "bot.db", isolation_level=None)) as db:
        db.execute(sql)


def differing(talk: Talk) -> list[tuple[str | int, ...]]:
    return [each.differing_parts for each in rebuilt(talk)]


async def test_a_request_is_built_again_as_it_was_sent(talked: Talk) -> None:
    found = rebuilt(talked)
    assert [each.body for each in found] == [request.body for request in talked.server.requests]
    assert all(each.is_as_sent and not each.has_lost_media for each in found)


async def test_it_names_the_message_that_differs(talked: Talk) -> None:
    with_other_words = "json_set(body, '$[1].text', 'other words')"
    change(talked, f"UPDATE entries SET body = {with_other_words} WHERE seq = 2")
    assert differing(talked) == [(), (3,)]  # after a message that sets the effort
    change(talked, f"UPDATE entries SET body = {with_other_words} WHERE seq = 1")
    assert differing(talked) == [(1,), (1, 3)]


async def test_it_names_system_tools_and_options_that_differ(talked: Talk) -> None:
    change(talked, "UPDATE prefixes SET body = json_set(body, '$.system', 'You are another.')")
    assert differing(talked) == [("system",)] * 2
    change(talked, "UPDATE prefixes SET body = json_remove(body, '$.tools[0]')")
    assert differing(talked) == [("system", "tools")] * 2
    change(talked, "UPDATE requests SET max_tokens = 1")
    assert differing(talked) == [("system", "tools", "options")] * 2


async def test_an_entry_that_is_gone_counts_as_a_difference(talked: Talk) -> None:
    change(talked, "DELETE FROM entries WHERE seq = 3")
    assert differing(talked) == [(), (4, 5)]
    change(talked, "DELETE FROM entries")
    assert rebuilt(talked) == []


async def test_of_what_no_row_keeps_nothing_is_built(talked: Talk) -> None:
    change(talked, "UPDATE requests SET sent = NULL WHERE id = 1")
    assert [request is None for request in rebuilt_or_none(talked)] == [True, False]


async def test_without_a_digest_nothing_is_called_equal(talked: Talk) -> None:
    change(talked, "UPDATE requests SET sent = json_remove(sent, '$.digest', '$.parts')")
    assert [(each.is_comparable, each.is_as_sent, each.differing_parts) for each in rebuilt(talked)] == [
        (False, False, ())
    ] * 2
