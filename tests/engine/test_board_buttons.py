"""The buttons of a board: stop one, stop all, and details."""

import pytest

from bot.core.messages import BoardAction, OutboundKind
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
BOARD, ALL = "t1:board", BoardAction.STOP_ALL


def stop(number: int) -> str:
    return f"{BoardAction.STOP}.{number}"


def details(number: int) -> str:
    return f"{BoardAction.DETAILS}.{number}"


async def tap(bench: Bench, choice: str, by: str = "Ann", chat: str = "room") -> str:
    bench.chat.taps(BOARD, choice, by, chat)
    return await bench.chat.said(NOTICE)


async def begin(bench: Bench, *at_work: Pause) -> None:
    bench.chat.hears("go")
    for each in at_work:
        await each.reached.wait()


async def test_one_is_stopped_and_the_others_go_on(bench: Bench) -> None:
    one, other = Pause(), Pause("weighed")
    bench.model.says("lead", delegates("researcher", "analyst"), "done")
    bench.model.says("researcher", reply(uses("message", text="a castle is free")), one)
    bench.model.says("analyst", other)
    async with bench.run():
        await begin(bench, one, other)
        assert await tap(bench, stop(1)) == people.ROLES_STOPPED(roles="Researcher")
        await wait_for_row(bench, "turns", "number = 1", status="cancelled")
        assert await tap(bench, stop(1)) == people.NOTHING_TO_STOP()
        other.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    told = " ".join(bench.model.heard("lead"))
    assert "cancelled" in told
    assert "weighed" in told


async def test_all_are_stopped_and_the_lead_answers(bench: Bench) -> None:
    one, other = Pause(), Pause()
    bench.model.says("lead", delegates("researcher", "analyst"), "I have nothing yet")
    bench.model.says("researcher", one)
    bench.model.says("analyst", other)
    async with bench.run():
        await begin(bench, one, other)
        assert await tap(bench, ALL) == people.ROLES_STOPPED(roles="Researcher, Analyst")
        assert await bench.chat.said(REPLY) == "I have nothing yet"
        assert await tap(bench, ALL) == people.NOTHING_TO_STOP()


async def test_details_show_task_steps_and_report_folded(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", reply(uses("read", path="a.md")), "found")
    async with bench.run():
        await begin(bench)
        assert await bench.chat.said(REPLY) == "done"
        bench.chat.taps(BOARD, details(1))
        part = await bench.chat.part(NOTICE)
    assert part.message.is_folded
    lines = part.text.splitlines()
    assert lines[0].startswith("#1 Researcher, done, ")
    assert lines[1] == people.LOG_TASK(task="researcher's part")
    assert lines[-1] == people.LOG_REPORT(report="found")


async def test_details_are_not_for_others_and_a_board_is_only_known_in_its_chat(bench: Bench) -> None:
    at_work = Pause("found")
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", at_work)
    async with bench.run():
        await begin(bench, at_work)
        assert await tap(bench, details(1), by="Bob") == people.LOG_FOR_ANOTHER()
        for choice in (details(1), "dance", "dance.1", f"{BoardAction.DETAILS}.7"):
            assert await tap(bench, choice, chat="other") == people.NO_SUCH_QUESTION()
        assert await tap(bench, stop(1), chat="other") == people.NOTHING_TO_STOP()
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "done"


@pytest.mark.parametrize("choice", ["", ".", "stop", "stop.", "stop.x", "details", "details.", "2"])
async def test_an_unknown_button_changes_nothing(bench: Bench, choice: str) -> None:
    at_work = Pause("found")
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", at_work)
    async with bench.run():
        await begin(bench, at_work)
        assert await tap(bench, choice) in (people.NO_SUCH_QUESTION(), people.NOTHING_TO_STOP())
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "done"


async def test_a_stop_is_for_the_request_whose_board_is_tapped(bench: Bench) -> None:
    """Numbers are used again: the button of an old board does not stop a new request's role."""
    at_work = Pause("found too")
    bench.model.says("lead", delegates("researcher"), "done", delegates("researcher"), "done too")
    bench.model.says("researcher", "found", at_work)
    async with bench.run():
        await begin(bench)
        assert await bench.chat.said(REPLY) == "done"
        await begin(bench, at_work)
        assert await tap(bench, stop(1)) == people.NOTHING_TO_STOP()
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "done too"
