"""Roles at work side by side, and what stops them."""

import asyncio

from bot.core.content_blocks import text_block
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.texts import model, people
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, role, uses

MANAGER = role("manager", "delegate", delegates_to=("writer", "analyst"))
REPLY, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.NOTICE


async def test_roles_work_side_by_side_and_the_lead_hears_them_in_order(bench: Bench) -> None:
    both_are_there = asyncio.Barrier(2)

    async def work() -> ModelReply:
        await both_are_there.wait()  # would hang if they ran one after the other
        return reply(text_block("found"))

    bench.model.says("lead", delegates("researcher", "analyst"), "both are done")
    bench.model.says("researcher", work)
    bench.model.says("analyst", work)
    async with bench.run():
        bench.chat.hears("research and analyse")
        assert await bench.chat.said() == "both are done"
    assert bench.model.heard("lead") == ["found", "found"]


async def test_a_parent_that_waits_holds_no_place(bench: Bench) -> None:
    bench.roles[MANAGER.name] = MANAGER
    bench.model.says("lead", delegates("manager", "researcher"), "all are done")
    bench.model.says("manager", delegates("writer", "analyst"), "managed")
    bench.model.says("writer", "written")
    bench.model.says("analyst", "analysed")
    bench.model.says("researcher", "found")
    async with bench.run(**engine_options(swarm__max_concurrent=1, swarm__max_depth=2)):
        bench.chat.hears("go")
        assert await bench.chat.said() == "all are done"


async def test_a_role_posts_under_its_name(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "that was it")
    bench.model.says("researcher", reply(uses("message", text="looking")), "found")
    async with bench.run():
        bench.chat.hears("look")
        assert [await bench.chat.said() for _ in range(2)] == ["[Researcher]: looking", "that was it"]


async def test_a_background_delegation_leaves_the_chat_free_and_reports_later(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "it has begun", "meanwhile", "it is found")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("look, slowly")
        assert await bench.chat.said() == "it has begun"
        bench.chat.hears("are you there?")
        assert await bench.chat.said() == "meanwhile"
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert await bench.chat.said() == "it is found"
    assert bench.model.heard("lead") == ["report on “researcher's part”\nfound"]


async def test_stop_ends_a_turn_with_all_below_it_and_names_what_it_ended(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher"), "ready again")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("and this")
        bench.chat.hears("/stop")
        assert await bench.chat.said() == people.STOPPED_IN_BACKGROUND(roles="Researcher")
        assert await bench.chat.said() == "Stopped: “go”, “and this”."
        bench.chat.hears("hello")
        assert await bench.chat.said() == "ready again"
    assert [entry.role for entry in bench.model.seen[-1].transcript] == ["user", "assistant"] * 2 + ["user"]


async def test_a_person_without_own_work_may_stop_anothers_turn_and_is_named(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop", by="Bob")
        assert await bench.chat.said() == "Stopped by Bob: “go”."


async def test_a_person_with_a_waiting_message_stops_only_that(bench: Bench) -> None:
    pause = Pause("to Ann")
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("me too", by="Bob")
        bench.chat.hears("/stop", by="Bob")
        assert await bench.chat.said() == people.STOPPED_BEFORE_IT_BEGAN(messages="“me too”")
        pause.go_on.set()
        assert await bench.chat.said() == "to Ann"


async def test_stopping_one_role_leaves_its_siblings_alone(bench: Bench) -> None:
    first, second = Pause(), Pause("found")
    bench.model.says("lead", delegates("analyst", "researcher"), "one of two")
    bench.model.says("analyst", first)
    bench.model.says("researcher", second)
    async with bench.run():
        bench.chat.hears("go")
        await first.reached.wait()
        await second.reached.wait()
        bench.chat.hears("/stop analyst")
        assert await bench.chat.said() == "Stopped Analyst."
        second.go_on.set()
        assert await bench.chat.said() == "one of two"
    assert bench.model.heard("lead") == [f"[cancelled] {model.NO_OUTPUT}", "found"]


async def test_a_report_that_opens_a_conversation_names_the_person_it_is_for(bench: Bench) -> None:
    pause, last = Pause("found"), Pause("it is found")
    bench.model.says("lead", delegates("researcher", background=True), "it has begun", last)
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "it has begun"
        bench.chat.hears("/new")
        await bench.chat.said(OutboundKind.NOTICE)
        pause.go_on.set()
        await last.reached.wait()
        bench.chat.hears("/status", by="Bob")
        assert (await bench.chat.said(OutboundKind.NOTICE)).startswith(people.AT_WORK_FOR(person="Ann", messages=""))
        last.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    [entry] = bench.model.asked("lead")[-1].transcript
    surroundings, report = [block["text"] for block in entry.content]
    assert model.CHAT(channel="fake", chat="room", person="Ann") in surroundings
    assert report.startswith("report on “researcher's part”\n")
