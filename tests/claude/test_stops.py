"""Stopping Claude in the midst: its connections are closed at once, and what it has written by then is charged."""

import asyncio
import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bot.core.messages import OutboundKind
from tests.stand_ins.claude import Hold, Thinking, ToolUse, reply
from tests.support.claude_bot import REPLY, Talk, talk
from tests.support.engine_options import engine_options, limits_with

__all__ = ["talk"]

ROLES = ("researcher", "analyst", "writer")


def usages(talk: Talk) -> list[dict[str, Any]]:
    """What the bot has written down of each request."""
    with closing(sqlite3.connect(talk.bench.data / "bot.db")) as db:
        return [json.loads(usage) for (usage,) in db.execute("SELECT usage FROM requests ORDER BY id")]


async def test_a_stop_in_mid_stream_closes_the_connection_and_the_chat_goes_on(talk: Talk) -> None:
    talk.server.script.say(reply(Thinking(), "I think that", Hold(asyncio.Event()), "never"), "and on")
    async with talk.run():
        talk.bench.chat.hears("go")
        while "I think that" not in (await talk.bench.chat.drafts.get()).text:
            pass
        assert await talk.ask("/stop") == "— stopped"
        await talk.server.until(lambda: not talk.server.open_connections)
        assert talk.server.requests[0].hung_up
        assert await talk.ask("and then?") == "and on"
    charged, billed = usages(talk)[0], talk.server.requests[0].billed
    assert (charged["input"], charged["cache_write_1h"]) == (billed.input, billed.write_1h)
    assert 1 <= charged["output"] <= 16_000
    talk.server.verify()


async def test_a_stop_with_three_roles_at_work_closes_all_their_connections(talk: Talk) -> None:
    calls = reply(*(ToolUse("delegate", {"role": role, "task": "look"}) for role in ROLES))
    talk.server.script.say(calls, "and on", system="the lead")
    for role in ROLES:
        talk.server.script.say(reply(Thinking(), "I begin", Hold(asyncio.Event())), system=f"the {role}")
    async with talk.run():
        talk.bench.chat.hears("go")
        await talk.server.until(lambda: sum(each.streaming.is_set() for each in talk.server.requests) == 4)
        assert len(talk.server.answering) == 3
        assert await talk.ask("/stop") == "Stopped: “go”."
        await talk.server.until(lambda: not talk.server.open_connections)
        assert await talk.ask("and then?") == "and on"
    assert [request.hung_up for request in talk.server.requests] == [False, True, True, True, False]
    talk.server.verify()


@pytest.mark.parametrize("which", ["2", "analyst"])
async def test_one_role_is_cut_in_mid_stream_and_its_text_goes_to_the_lead(talk: Talk, which: str) -> None:
    """The others run on, and the stopped one is silent within a second."""
    calls = reply(*(ToolUse("delegate", {"role": role, "task": "look"}) for role in ROLES))
    talk.server.script.say(calls, "with two and a half", system="the lead")
    others = asyncio.Event()
    for role in ROLES:
        held = asyncio.Event() if role == "analyst" else others
        talk.server.script.say(reply(Thinking(), f"{role} begins", Hold(held), " and ends"), system=f"the {role}")
    async with talk.run():
        talk.bench.chat.hears("go")
        await talk.server.until(lambda: sum(each.streaming.is_set() for each in talk.server.requests) == 4)
        await talk.server.until(lambda: len(talk.server.answering) == 3)
        begun = asyncio.get_running_loop().time()
        talk.bench.chat.hears(f"/stop {which}")
        assert await talk.bench.chat.said(OutboundKind.NOTICE) == "Stopped Analyst."
        await talk.server.until(lambda: len(talk.server.answering) == 2)
        assert asyncio.get_running_loop().time() - begun < 1
        others.set()
        assert (await talk.bench.chat.part(REPLY)).text == "with two and a half"
    assert [request.hung_up for request in talk.server.requests].count(True) == 1
    with closing(sqlite3.connect(talk.bench.data / "bot.db")) as db:
        results = [row[0] for row in db.execute("SELECT result FROM calls WHERE name = 'delegate' ORDER BY position")]
    assert [("begins" in each, "and ends" in each) for each in results] == [(True, True), (True, False), (True, True)]
    assert "cancelled" in results[1]
    talk.server.verify()


async def test_a_turn_timed_out_in_mid_stream_is_charged_by_the_streams_start(talk: Talk) -> None:
    talk.server.script.say("warm", reply(Thinking(), "I think", Hold(asyncio.Event())), "as far as I got", "and on")
    async with talk.run():
        assert await talk.ask("hello") == "warm"
    async with talk.run(**engine_options(turn=limits_with(seconds=0.5))):
        assert await talk.ask("go") == "as far as I got"
        await talk.server.until(lambda: not talk.server.answering)
        assert await talk.ask("and then?") == "and on"
    charged, billed = usages(talk)[1], talk.server.requests[1].billed
    assert billed.read > 0
    assert [charged[name] for name in ("input", "cache_read", "cache_write_1h", "cache_write_5m")] == [
        billed.input,
        billed.read,
        billed.write_1h,
        billed.write_5m,
    ]
    assert 1 <= charged["output"] <= 0.5 * 200 + 20
    talk.server.verify()


async def test_a_stop_of_the_process_in_mid_stream_loses_nothing(talk: Talk) -> None:
    talk.server.script.say(reply("I think", Hold(asyncio.Event())), "sorry for the wait")
    async with talk.run():
        talk.bench.chat.hears("hello")
        await talk.server.until(lambda: any(each.streaming.is_set() for each in talk.server.requests))
    await talk.server.until(lambda: not talk.server.open_connections)
    async with talk.run():
        assert (await talk.bench.chat.part(REPLY)).text == "sorry for the wait"
    talk.server.verify()
