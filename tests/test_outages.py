"""A model's server that is away or too busy: turns wait for it without a place, across restarts, and then give up, or
another model answers."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from bot import outage_phrases, phrases
from bot.claude import Claude
from bot.errors import ModelFailed, RequestFailed
from bot.fallback import WithFallback, name_of, with_fallback
from bot.limits import Settings
from bot.messages import OutboundKind
from bot.model import ModelReply, ModelRequest, Show
from bot.prices import PRICES
from tests.conftest import Bench
from tests.delegating import says
from tests.fakes import Pause, ScriptedModel, delegates, reply, uses
from tests.patience import PATIENCE
from tests.servers.claude import ClaudeStandIn, Fault, Thinking, ToolUse
from tests.servers.claude import reply as scripted
from tests.talking import QUICK, Talk, talk

__all__ = ["talk"]

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
FAULT = "the server is overloaded"
OTHER = "claude-haiku-5-5"
RESTS = "SELECT waits_for, rests_until IS NOT NULL, failing_since IS NOT NULL FROM turns WHERE state = 'running'"


def busy(seconds: float) -> Callable[[], Awaitable[ModelReply]]:
    async def step() -> ModelReply:
        raise RequestFailed(FAULT, seconds, FAULT)

    return step


async def until(bench: Bench, sql: str, found: list[tuple[object, ...]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(sqlite3.OperationalError):  # there are no tables yet
                if bench.rows(sql) == found:
                    return
            await asyncio.sleep(0.01)


async def test_a_turn_goes_on_when_the_server_does_and_its_person_reads_one_quiet_line(bench: Bench) -> None:
    bench.model.says("lead", busy(0.02), busy(0.02), "at last")
    async with bench.run(settings=Settings(silent_seconds=0.01)):
        assert await says(bench, "hello") == "at last"
    assert bench.rows("SELECT text, is_quiet FROM outbox WHERE kind = 'notice'") == [(outage_phrases.rests(FAULT), 1)]
    assert bench.rows("SELECT failing_since, rests_until, waits_for FROM turns") == [(None, None, "")]
    outages = [request.outage for request in bench.model.seen]
    assert outages[0].lasted == 0
    assert 0.02 <= outages[1].lasted < outages[2].lasted
    assert outages[2].left == pytest.approx(Settings().patience_seconds - outages[2].lasted)


async def test_nothing_is_reserved_while_it_waits_and_no_time_of_the_turn_is_used(bench: Bench) -> None:
    bench.model.says("lead", busy(0.5), "at last")
    async with bench.run():
        bench.chat.hears("hello")
        await until(bench, RESTS, [("service", 1, 1)])
        assert bench.rows("SELECT reserved FROM turns") == [(0,)]
        assert await bench.chat.said(REPLY) == "at last"
    assert bench.rows("SELECT seconds < 0.4 FROM turns") == [(1,)]


async def test_a_wait_outlasts_a_restart_and_so_does_what_the_outage_has_lasted(bench: Bench) -> None:
    bench.model.says("lead", busy(1.0), "at last")
    async with bench.run():
        bench.chat.hears("hello")
        await until(bench, RESTS, [("service", 1, 1)])
        bench.crashes()
    [(due,)] = bench.rows("SELECT rests_until FROM turns")
    async with bench.run():
        assert await bench.chat.said(REPLY) == "at last"
    [first, second] = bench.model.seen
    assert (first.attempt, second.attempt) == (1, 2)
    assert second.outage.lasted >= 1.0
    [(made,)] = bench.rows("SELECT ended_at FROM turns")
    assert made >= due
    assert bench.rows("SELECT state FROM requests ORDER BY id") == [("settled",), ("settled",)]


async def test_a_role_that_waits_gives_its_place_to_another(bench: Bench) -> None:
    analyst = Pause("analysed")
    bench.model.says("lead", delegates("researcher", "analyst"), "both")
    bench.model.says("researcher", busy(1.0), "found")
    bench.model.says("analyst", analyst)
    async with bench.run(settings=Settings(max_concurrent=1)):
        bench.chat.hears("go")
        async with asyncio.timeout(PATIENCE):
            await analyst.reached.wait()
        assert bench.rows("SELECT role, waits_for FROM turns WHERE depth = 1 ORDER BY rowid") == [
            ("researcher", "service"),
            ("analyst", ""),
        ]
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "both"


async def test_a_turn_that_waits_can_be_stopped_and_keeps_what_it_has_written(bench: Bench) -> None:
    async def half(request: ModelRequest, show: Show) -> ModelReply:
        show("Half an answer")
        raise RequestFailed(FAULT, 600, FAULT)

    bench.model.says("lead", half, "again")
    async with bench.run():
        bench.chat.hears("go")
        await until(bench, RESTS, [("service", 1, 1)])
        bench.chat.hears("/stop")
        await bench.chat.said(REPLY)
        assert await says(bench, "again") == "again"
    assert bench.rows("SELECT text FROM outbox WHERE kind = 'update'") == [("Half an answer",)]


async def test_what_one_message_will_wait_its_turn_does_and_so_do_its_roles(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", "found")
    async with bench.run():
        bench.chat.hears("go", patience=7.0)
        assert await bench.chat.said(REPLY) == "done"
    assert bench.rows("SELECT patience FROM turns ORDER BY rowid") == [(7.0,), (7.0,)]
    assert [round(request.outage.left) for request in bench.model.seen] == [7, 7, 7]


async def test_the_owner_is_told_of_a_server_that_stays_away_and_not_of_one_that_does_not(talk: Talk) -> None:
    faults = "SELECT fault != '' FROM channels WHERE name LIKE 'model %'"
    talk.server.faults.append(*[Fault.OVERLOADED] * 4)
    async with talk.run():
        await talk.ask("hello")
        assert talk.bench.rows(faults) == []
    talk.server.faults.always(Fault.OVERLOADED)
    async with talk.run(settings=Settings(away_seconds=0.2)):
        talk.bench.chat.hears("hello")
        await until(talk.bench, faults, [(1,)])
        talk.server.faults.always(None)
        await talk.bench.chat.said(REPLY)
        assert talk.bench.rows(faults) == []


# Another model in its place


WITH_OTHER = Settings(fallback_model=name_of(OTHER), fallback_seconds=0.05)


async def test_another_model_answers_after_some_patience_and_for_the_rest_of_the_turn(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", busy(0.1), busy(0.1), "here again")
    other.says("lead", reply(uses("read")), "in its place")
    settings = replace(WITH_OTHER, trusted_again_seconds=0)
    async with bench.run(model=WithFallback(own, other), settings=settings):
        assert await says(bench, "hello") == "in its place"
        assert await says(bench, "and now?") == "here again"
    assert [request.prefix.model for request in other.seen] == [OTHER, OTHER]
    assert bench.rows("SELECT model FROM requests ORDER BY id") == [
        ("claude-sonnet-5-5",),
        ("claude-sonnet-5-5",),
        (name_of(OTHER),),
        (name_of(OTHER),),
        ("claude-sonnet-5-5",),
    ]


async def test_what_another_model_costs_is_counted_at_its_own_price(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", failing_for_operator, "never")
    other.says("lead", "in its place")
    async with bench.run(model=WithFallback(own, other), settings=WITH_OTHER):
        await says(bench, "hello")
    [(cost,)] = bench.rows("SELECT cost FROM requests WHERE model LIKE 'fallback/%'")
    assert cost == PRICES[OTHER].card.cost(reply().usage)


async def failing_for_operator() -> ModelReply:
    raise ModelFailed(phrases.MODEL_AT_FAULT, "the key is refused")


async def test_a_fault_that_only_the_operator_can_mend_is_answered_by_another_at_once(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", failing_for_operator)
    other.says("lead", "in its place", "again in its place")
    async with bench.run(model=WithFallback(own, other), settings=WITH_OTHER):
        assert await says(bench, "hello") == "in its place"
        assert await says(bench, "more") == "again in its place"  # nobody asks the other first: it was away just now
    assert bench.rows("SELECT text, is_quiet FROM outbox WHERE kind = 'notice' AND address LIKE '%room'") == [
        (outage_phrases.OTHER_MODEL, 1)
    ]
    assert bench.rows("SELECT fault FROM channels WHERE name LIKE 'model %'") == [("the key is refused",)]


async def test_a_conversation_goes_to_another_server_and_back_thinking_and_all(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with ClaudeStandIn() as first, ClaudeStandIn() as second:
        for server in (first, second):
            server.script.rule(lambda asked: scripted(Thinking(), "answered" if asked.step else ToolUse("read")))
        own, other = (
            Claude(server.api_key, server.base_url, b"secret", is_anthropic=True, patience=QUICK)
            for server in (first, second)
        )
        settings = replace(WITH_OTHER, fallback_model=name_of("claude-sonnet-5-5"), trusted_again_seconds=0)
        async with with_fallback(own, other) as model, bench.run(model=model, settings=settings):
            for fault in (None, Fault.OVERLOADED, None):
                first.faults.always(fault)
                assert await says(bench, "look") == "answered"
    assert [status for (status,) in bench.rows("SELECT status FROM turns")] == ["completed"] * 3
    assert len([request for request in second.requests if request.billed.output]) == 2
    states = "SELECT DISTINCT turn FROM requests WHERE model LIKE 'fallback/%'"
    assert bench.rows(states) == [("t2",)]
