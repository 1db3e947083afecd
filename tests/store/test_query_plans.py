"""Every query finds its rows by an index, at a start and at a sweep too: no table that only grows is read whole."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from bot.core.errors import RetryableModelFailure
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people
from bot.delegation.rules import DELEGATION_TOOL_NAMES
from bot.tools.conversations import CONVERSATION_TOOL_NAMES
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, failing, reply, uses
from tests.support.memory_bot import forget, get, save, search
from tests.support.stores import Tally, shape

GROWING = {
    *("inbox", "turns", "calls", "entries", "outbox", "requests", "questions", "sessions", "chapters", "spending"),
    *("memories", "memory_words", "said", "said_words", "media", "incoming_files"),
}


async def everything(bench: Bench, tally: Tally) -> None:
    """A conversation in which all that a turn can do is done once."""

    async def busy() -> ModelReply:
        raise RetryableModelFailure("overloaded", seconds=0)

    pause, lost, chat = Pause(), Pause(), bench.chat
    bench.roles[LEAD_ROLE_NAME] = replace(
        bench.roles[LEAD_ROLE_NAME], tools=(bench.roles[LEAD_ROLE_NAME].tools or frozenset()) | DELEGATION_TOOL_NAMES
    )
    ask = uses("ask_person", question="which?", options=["red", "blue"])
    bench.roles[LEAD_ROLE_NAME] = replace(
        bench.roles[LEAD_ROLE_NAME],
        tools=(bench.roles[LEAD_ROLE_NAME].tools or frozenset()) | MEMORY_TOOL_NAMES | CONVERSATION_TOOL_NAMES,
    )
    remembers = (
        reply(save("the mat is red"), save("no"), forget(2)),
        reply(search("mat"), search(), get(1), uses("conversation_search", query="mat Ann")),
    )
    bench.model.says(
        "lead", busy, reply(uses("read"), uses("change")), delegates("researcher", "analyst"), "to Bob", "found"
    )
    bench.model.says("researcher", reply(uses("message", text="looking"), ask), reply(uses("read")), "red, then")
    bench.model.says("analyst", failing)
    async with bench.run(store=tally.store()):
        chat.hears("go")
        await chat.part(OutboundKind.QUESTION)
        chat.hears("me too", by="Bob")
        chat.hears("me as well", by="Bob", reply_to="no question")
        chat.hears("/status")
        chat.hears("1")
        replies = [await chat.said(OutboundKind.REPLY) for _ in range(3)]
        assert replies == [people.ROLES_GO_ON(), "to Bob", "found"]

        bench.model.says("lead", delegates("writer"), "never", "it was stopped")
        bench.model.says("writer", pause)
        chat.hears("write")
        await pause.reached.wait()
        chat.hears("hurry")
        chat.hears("/stop writer")
        assert [await chat.said(OutboundKind.REPLY) for _ in range(2)] == ["never", "it was stopped"]

        bench.model.says("lead", delegates("writer", background=True), "it has begun", "it is written")
        bench.model.says("writer", "written")
        chat.hears("write, slowly")
        assert [await chat.said(OutboundKind.REPLY) for _ in range(2)] == ["it has begun", "it is written"]
        bench.model.says("lead", *remembers, "it is noted")
        chat.hears("remember it")
        assert await chat.said(OutboundKind.REPLY) == "it is noted"
        for command in ("/usage", "/new", "/stop"):
            chat.hears(command)
            await chat.part(OutboundKind.NOTICE)

        await delegations(bench)
        bench.model.says("lead", lost, "back again")
        chat.hears("go on")
        await lost.reached.wait()
        bench.crashes()
    async with bench.run(store=tally.store(), **engine_options(swarm__max_concurrent=1)):
        assert await chat.said(OutboundKind.REPLY) == "back again"


async def delegations(bench: Bench) -> None:
    """Look after one in the background, and go on with it when it is cancelled."""
    pause, model = Pause(), bench.model
    model.says("lead", delegates("writer", background=True), "it has begun")
    model.says("writer", pause, "it", '{"written": true}')
    bench.chat.hears("write, slowly")
    assert await bench.chat.said(OutboundKind.REPLY) == "it has begun"
    await pause.reached.wait()
    [(id,)] = bench.rows("SELECT id FROM turns WHERE state != 'ended' AND background")
    looks = [uses("list_delegations"), uses("get_delegation", id=id), uses("get_delegation", id=id, transcript=True)]
    again = {"task": "write", "continue_from": id, "output_format": {"type": "object"}}
    model.says("lead", reply(*looks), reply(uses("cancel_delegation", id=id)))
    model.says("lead", reply(uses("delegate", tasks=[again, again])), "written")
    bench.chat.hears("how is it?")
    assert await bench.chat.said(OutboundKind.REPLY) == "written"


def scans(db: sqlite3.Connection, statement: str) -> Iterator[str]:
    """What a statement reads from end to end, except for an index that holds only what is open."""
    partial = [
        name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%) WHERE %'")
    ]
    for *_, step in db.execute(f"EXPLAIN QUERY PLAN {statement}"):
        if re.match(r"SCAN \w+ VIRTUAL TABLE INDEX \d+:[M=]", step):
            continue  # FTS5 finds the words (M), or the row (=)
        found = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", step)
        if found and found[1] in GROWING and found[2] not in partial:
            yield step


@pytest.mark.fast
async def test_every_query_has_its_index(bench: Bench) -> None:
    tally = Tally()
    await everything(bench, tally)
    shapes = {shape(statement): statement for statement in tally.statements}
    queries = {shape: query for shape, query in shapes.items() if query.startswith(("SELECT", "UPDATE", "DELETE"))}
    assert len(queries) > 60
    with closing(sqlite3.connect(bench.data / "bot.db")) as db:
        found = {shape: list(scans(db, query)) for shape, query in queries.items()}
    assert {shape: steps for shape, steps in found.items() if steps} == {}
