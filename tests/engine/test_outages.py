"""A model's server that is away or too busy: turns wait for it without a place, across restarts, and then give up, or
another model answers."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.errors import RetryableModelFailure
from bot.core.limits import Timings
from bot.core.messages import Address, OutboundKind, PersonId, RoleName, role_display_name
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import people_models
from bot.core.turn import LONGEST_RETRY_WAIT_SECONDS, SessionId, Turn, TurnId, TurnStanding, TurnState
from tests.engine.test_model_health import TOLD
from tests.stand_ins.claude import Fault
from tests.support.bench import Bench
from tests.support.claude_bot import Talk, talk
from tests.support.delegation_calls import NOW, says
from tests.support.engine_options import TURN_LIMITS, engine_options
from tests.support.fakes import Pause, delegates
from tests.support.patience import PATIENCE
from tests.support.troubles import wait_for_row

__all__ = ["talk"]

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
FAULT = "the server is overloaded"
RESTS = "SELECT waits_for, rests_until IS NOT NULL, failing_since IS NOT NULL FROM turns WHERE state = 'running'"


def busy(seconds: float) -> Callable[[], Awaitable[ModelReply]]:
    async def step() -> ModelReply:
        raise RetryableModelFailure(FAULT, seconds, FAULT)

    return step


async def until(bench: Bench, sql: str, found: list[tuple[object, ...]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(sqlite3.OperationalError):  # there are no tables yet
                if bench.rows(sql) == found:
                    return
            await asyncio.sleep(0.01)


async def test_a_turn_resumes_with_the_server_and_its_person_reads_one_line(bench: Bench) -> None:
    bench.model.says("lead", busy(0.02), busy(0.02), "at last")
    async with bench.run(**engine_options(announced_wait_seconds=0.01)):
        assert await says(bench, "hello") == "at last"
    assert bench.select("text, is_quiet", "outbox", "kind = 'notice'") == [
        (people_models.TRYING_AGAIN(reason=role_display_name(FAULT)), 1)
    ]
    assert bench.rows("SELECT failing_since, rests_until, waits_for FROM turns") == [(None, None, "")]
    outages = [request.outage for request in bench.model.seen]
    assert outages[0].lasted_seconds == 0
    assert 0.02 <= outages[1].lasted_seconds < outages[2].lasted_seconds
    assert outages[2].patience_left_seconds == pytest.approx(
        Timings().outage_patience_seconds - outages[2].lasted_seconds
    )


async def test_a_waiting_turn_reserves_nothing_and_uses_none_of_its_time(bench: Bench) -> None:
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
    assert second.outage.lasted_seconds >= 1.0
    [(made,)] = bench.rows("SELECT ended_at FROM turns")
    assert made >= due
    assert bench.rows("SELECT state FROM requests ORDER BY id") == [("settled",), ("settled",)]


def test_a_clock_that_was_set_back_makes_no_turn_rest_for_hours() -> None:
    turn = Turn(
        id=TurnId("t1"),
        root=TurnId("t1"),
        session=SessionId("s"),
        address=Address(channel="fake", chat="room"),
        person=PersonId("Ann"),
        asker="Ann",
        role=RoleName("lead"),
        tools=frozenset(),
        limits=TURN_LIMITS,
        depth=0,
        background=False,
        state=TurnState.RUNNING,
        rests_until=NOW + timedelta(hours=5),
    )
    assert TurnStanding(turn=turn).seconds_until_wake(NOW) == LONGEST_RETRY_WAIT_SECONDS
    assert TurnStanding(turn=replace(turn, rests_until=NOW + timedelta(seconds=9))).seconds_until_wake(NOW) == 9


async def test_a_waiting_role_leaves_its_slot_to_another(bench: Bench) -> None:
    analyst = Pause("analysed")
    bench.model.says("lead", delegates("researcher", "analyst"), "both")
    bench.model.says("researcher", busy(1.0), "found")
    bench.model.says("analyst", analyst)
    async with bench.run(**engine_options(swarm__max_concurrent=1)):
        bench.chat.hears("go")
        async with asyncio.timeout(PATIENCE):
            await analyst.reached.wait()
        assert bench.select("role, waits_for", "turns", "depth = 1", order="rowid") == [
            ("researcher", "service"),
            ("analyst", ""),
        ]
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "both"


async def test_a_turn_that_waits_can_be_stopped_and_keeps_what_it_has_written(bench: Bench) -> None:
    async def half(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        show("Half an answer")
        raise RetryableModelFailure(FAULT, 600, FAULT)

    bench.model.says("lead", half, "again")
    async with bench.run():
        bench.chat.hears("go")
        await until(bench, RESTS, [("service", 1, 1)])
        bench.chat.hears("/stop")
        await bench.chat.said(REPLY)
        assert await says(bench, "again") == "again"
    assert bench.select("text", "outbox", "kind = 'update'") == [("Half an answer",)]


async def test_a_turn_and_its_roles_wait_as_long_as_their_message(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", "found")
    async with bench.run():
        bench.chat.hears("go", patience=7.0)
        assert await bench.chat.said(REPLY) == "done"
    assert bench.select("patience", "turns", order="rowid") == [(7.0,), (7.0,)]
    assert [round(request.outage.patience_left_seconds) for request in bench.model.seen] == [7, 7, 7]


async def test_the_owner_hears_of_a_long_outage_and_not_of_a_short_one(talk: Talk) -> None:
    faults = "SELECT fault != '' FROM channels WHERE name LIKE 'model %'"
    talk.server.faults.append(*[Fault.OVERLOADED] * 4)
    async with talk.run():
        await talk.ask("hello")
        assert talk.bench.rows(faults) == []
    talk.server.faults.always(Fault.OVERLOADED)
    async with talk.run(**engine_options(outage_alert_seconds=0.2)):
        talk.bench.chat.hears("hello")
        await until(talk.bench, faults, [(1,)])
        talk.server.faults.always(None)
        await talk.bench.chat.said(REPLY)
        assert talk.bench.rows(faults) == []


async def test_the_board_says_working_once_a_role_goes_on(bench: Bench) -> None:
    researcher = Pause("found")
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", busy(0.3), researcher)
    async with bench.run():
        bench.chat.hears("go")
        async with asyncio.timeout(5):
            await researcher.reached.wait()
        await wait_for_row(bench, "outbox", "text LIKE '%s part · since %'", kind="board", state="sent")
        researcher.go_on.set()
        await bench.chat.said(REPLY)


async def test_the_owner_is_told_once_of_an_outage_in_several_words(talk: Talk) -> None:
    talk.server.faults.append(*[Fault.OVERLOADED, Fault.API_ERROR, Fault.UNAVAILABLE] * 3)
    async with talk.run(access=TOLD, **engine_options(outage_alert_seconds=0.0)):
        await talk.ask("hello")
    rung = talk.bench.rows("SELECT text FROM outbox WHERE kind = 'notice' AND NOT is_quiet")
    assert len(rung) == 1, rung


async def test_one_who_does_not_wait_rings_no_owner_for_one_busy_moment(talk: Talk) -> None:
    talk.server.faults.append(Fault.OVERLOADED)
    async with talk.run(access=TOLD):
        talk.bench.chat.hears("hello", patience=0.0)
        await talk.bench.chat.said()
        rung = talk.bench.rows("SELECT text FROM outbox WHERE kind = 'notice' AND NOT is_quiet")
        faults = talk.bench.rows("SELECT fault FROM channels WHERE name LIKE 'model %'")
    assert (rung, faults) == ([], [])
