"""What goes on in the background because a message came: its reports, its stop, its limits, and after a kill."""

import asyncio

import pytest

from bot.core.messages import OutboundKind
from bot.core.prices import Micros
from bot.core.texts import model, people
from bot.core.turn import TurnId
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row

REPLY, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.NOTICE
RICH = limits_with(cost=Micros(10**9))  # each delegation in the background takes half of what is left
ASKED, WRITTEN = "go", "and this?"


def still_at_work(role: str, number: int = 0, *, turn: str = "t1/2") -> str:
    return model.STILL_AT_WORK(role=role, delegation=f"{turn}/{number}")


async def test_a_late_report_is_answered_with_sound_in_reply_to_what_began_the_work(
    bench: Bench, researcher: Pause
) -> None:
    bench.model.says("lead", delegates("researcher"), "to Bob", "it is found")
    async with bench.run():
        await begin_work(bench, researcher, id="m-first")
        bench.chat.hears("me too", by="Bob")
        await bench.chat.said(REPLY)
        assert await bench.chat.said(REPLY) == "to Bob"
        researcher.go_on.set()
        part = await bench.chat.part(REPLY)
    assert (part.message.reply_to, part.message.may_ring) == ("m-first", True)


async def test_reports_of_one_reply_open_one_turn(bench: Bench, researcher: Pause, analyst: Pause) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "one moment", "both are done")
    async with bench.run():
        await begin_work(bench, researcher, analyst)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "both are done"
    assert ["found" in bench.model.heard("lead")[0], "analysed" in bench.model.heard("lead")[1]] == [True, True]


async def test_a_report_waits_for_a_role_that_the_lead_waits_for(
    bench: Bench, researcher: Pause, analyst: Pause
) -> None:
    begun = uses("delegate", role="researcher", task="look", background=True)
    bench.model.says("lead", reply(begun, *delegates("analyst").content), "to Bob", "both are done")
    async with bench.run():
        await begin_work(bench, researcher, analyst)
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        bench.chat.hears("me too", by="Bob")
        assert [await bench.chat.said(REPLY) for _ in range(2)] == [people.ROLES_GO_ON(), "to Bob"]
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "both are done"
    assert ["found" in bench.model.heard("lead")[0], "analysed" in bench.model.heard("lead")[1]] == [True, True]


async def test_a_report_that_waited_for_such_a_role_follows_the_leads_answer(
    bench: Bench, researcher: Pause, analyst: Pause
) -> None:
    begun = uses("delegate", role="researcher", task="look", background=True)
    bench.model.says("lead", reply(begun, *delegates("analyst").content), "analysed", "found too")
    async with bench.run():
        await begin_work(bench, researcher, analyst)
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        analyst.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["analysed", "found too"]


async def test_the_first_report_waits_only_so_long_for_the_others(
    bench: Bench, researcher: Pause, analyst: Pause
) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "one moment", "the first is done", "the second too")
    async with bench.run(**engine_options(report_hold_seconds=0.2)):
        await begin_work(bench, researcher, analyst)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        researcher.go_on.set()
        assert await bench.chat.said(REPLY) == "the first is done"
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "the second too"


async def test_a_held_report_is_due_at_its_time_after_a_restart_too(
    bench: Bench, researcher: Pause, analyst: Pause
) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "one moment")
    async with bench.run(**engine_options(report_hold_seconds=1.5)):
        await begin_work(bench, researcher, analyst)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        bench.crashes()
    again = Pause("analysed")
    bench.model.says("analyst", again)
    bench.model.says("lead", "the first is done")
    async with bench.run(**engine_options(report_hold_seconds=1.5)):
        assert await bench.chat.said(REPLY) == "the first is done"
        assert again.reached.is_set()


async def test_a_held_report_goes_along_with_the_persons_next_message(
    bench: Bench, researcher: Pause, analyst: Pause
) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "one moment", "halfway", "all is done")
    async with bench.run():
        await begin_work(bench, researcher, analyst)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        bench.chat.hears("how far?", id="m-how-far")
        part = await bench.chat.part(REPLY)
        assert (part.text, part.message.reply_to) == ("halfway", "m-how-far")
        report, words = bench.model.heard("lead")
        assert ("found" in report, words) == (True, "Ann: how far?")
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "all is done"


async def test_a_held_report_holds_up_nobodys_message(bench: Bench, researcher: Pause, analyst: Pause) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "one moment", "to Bob", "all is done")
    async with bench.run():
        await begin_work(bench, researcher, analyst)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        bench.chat.hears("me too", by="Bob")
        assert await bench.chat.said(REPLY) == "to Bob"
        assert bench.model.heard("lead") == ["Bob: me too"]
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "all is done"


@pytest.mark.parametrize("word", ["/stop", "stop"])
async def test_stop_ends_what_went_on_in_the_background(bench: Bench, researcher: Pause, word: str) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment", "good day")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        bench.chat.hears(word)
        assert await bench.chat.said(NOTICE) == people.STOPPED_IN_BACKGROUND(roles="Researcher")
        await wait_for_row(bench, "inbox", "kind = 'report'")
        assert bench.count("turns", "depth = 0") == 1  # its report opens no turn
        bench.chat.hears("hello")
        assert await bench.chat.said(REPLY) == "good day"
    report, words = bench.model.heard("lead")
    assert ("cancelled" in report, words) == (True, "Ann: hello")


async def test_stop_ends_the_turn_and_what_it_put_into_the_background(bench: Bench, researcher: Pause) -> None:
    answer = Pause()
    bench.model.says("lead", delegates("researcher"), answer)
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await answer.reached.wait()
        bench.chat.hears("/stop")
        assert await bench.chat.said() == people.STOPPED_IN_BACKGROUND(roles="Researcher")
        assert await bench.chat.said() == people.STOPPED(messages=f"“{ASKED}”, “{WRITTEN}”")
    assert bench.count("turns", "state != 'ended'") == 0


async def test_after_a_stop_a_report_that_waited_behind_the_turn_opens_none(bench: Bench, researcher: Pause) -> None:
    answer = Pause()
    bench.model.says("lead", delegates("researcher"), answer, "good day")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await answer.reached.wait()
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        bench.chat.hears("/stop")
        await bench.chat.said(REPLY)
        bench.chat.hears("hello")
        assert await bench.chat.said(REPLY) == "good day"
    assert bench.count("turns", "depth = 0") == 2
    assert "found" in bench.model.heard("lead")[0]


async def test_no_typing_is_shown_for_work_in_the_background(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment")
    async with bench.run(**engine_options(typing_interval_seconds=0.02)):
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        while not bench.chat.drafts.empty():
            bench.chat.drafts.get_nowait()
        await asyncio.sleep(0.2)
        assert bench.chat.drafts.empty()


async def test_an_eleventh_delegation_in_the_background_is_refused(bench: Bench) -> None:
    pauses = [Pause() for _ in range(10)]
    bench.model.says("lead", delegates(*["researcher"] * 10, background=True), "begun")
    bench.model.says("researcher", *pauses)
    async with bench.run(
        **engine_options(swarm__max_per_step=10, swarm__max_concurrent=10, swarm__max_running=10, turn=RICH)
    ):
        bench.chat.hears(ASKED)
        assert await bench.chat.said(REPLY) == "begun"
        bench.model.says("lead", delegates("writer", background=True), "no room")
        bench.chat.hears("one more")
        assert await bench.chat.said(REPLY) == "no room"
    assert bench.model.heard("lead") == [model.BACKGROUND_FULL(most=10)]


async def test_a_message_waits_if_the_background_is_full(bench: Bench) -> None:
    pauses, last = [Pause() for _ in range(10)], Pause("written")
    bench.model.says("lead", delegates(*["researcher"] * 10, background=True), "begun", delegates("writer"), "there")
    bench.model.says("researcher", *pauses)
    bench.model.says("writer", last)
    async with bench.run(
        **engine_options(swarm__max_per_step=10, swarm__max_concurrent=10, swarm__max_running=11, turn=RICH)
    ):
        bench.chat.hears(ASKED)
        assert await bench.chat.said(REPLY) == "begun"
        bench.chat.hears("write")
        await last.reached.wait()
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(NOTICE) == people.WAITS_FOR_ROLES(1, roles="Writer")
        last.go_on.set()
        assert await bench.chat.said(REPLY) == "there"
    assert bench.model.heard("lead") == ["written", f"Ann: {WRITTEN}"]


async def test_work_goes_on_after_a_kill(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        bench.crashes()
    bench.model.says("researcher", "found after all")
    bench.model.says("lead", "it is found")
    async with bench.run():
        assert await bench.chat.said(REPLY) == "it is found"
    assert bench.select("id, background", "turns", "depth = 1") == [(TurnId("t1/2/0"), 1)]
