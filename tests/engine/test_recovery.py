"""How a start goes on with what a crash has left, and who is blamed for it."""

import asyncio
from dataclasses import replace

from bot.core.messages import OutboundKind
from bot.core.texts import model, people, reasons
from bot.store import inbox
from bot.tools import Arguments, ToolContext
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.stores import NeverCloses
from tests.support.troubles import goes_round, listed

REPLY = OutboundKind.REPLY
SET_ASIDE = people.NOT_FINISHED(reason=reasons.TOO_MANY_CRASHES(times=3), messages="“poison”")


async def crash_at(bench: Bench, pause: Pause) -> None:
    async with bench.run():
        await pause.reached.wait()
        bench.crashes()


async def test_a_change_that_may_be_repeated_is_run_again(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("change")), "it is changed")
    bench.is_stuck = True
    tools = [replace(tool, is_repeatable=tool.name == "change") for tool in bench.tools()]
    async with bench.run(tools=tools):
        bench.chat.hears("change it")
        await bench.has_changed()
        bench.crashes()
    bench.is_stuck = False
    async with bench.run(tools=tools):
        assert await bench.chat.said() == "it is changed"
    assert len(bench.changed) == 2
    assert len(set(bench.changed)) == 1
    assert bench.model.heard("lead") == ["changed"]


async def test_a_change_that_may_not_is_not_even_after_a_crash(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("change"), uses("change")), "I had better look")
    bench.is_stuck = True
    async with bench.run():
        bench.chat.hears("change it, twice")
        first = await bench.has_changed()
        bench.crashes()
    bench.is_stuck = False
    async with bench.run():
        assert await bench.chat.said() == "I had better look"
    assert bench.changed.count(first) == 1
    assert len(bench.changed) == 2  # the second was only planned: it is run once
    assert bench.model.heard("lead") == [model.CALL_INTERRUPTED, "changed"]


async def test_a_call_that_only_reads_is_repeated(bench: Bench) -> None:
    reading, is_stuck = asyncio.Event(), [True]

    async def read(context: ToolContext, arguments: Arguments) -> str:
        reading.set()
        if is_stuck.pop():
            await asyncio.Event().wait()
        return "read"

    tools = [replace(tool, run=read) if tool.name == "read" else tool for tool in bench.tools()]
    is_stuck.insert(0, False)
    bench.model.says("lead", reply(uses("read")), "that is it")
    async with bench.run(tools=tools):
        bench.chat.hears("read it")
        await reading.wait()
        bench.crashes()
    async with bench.run(tools=tools):
        assert await bench.chat.said() == "that is it"
    assert bench.model.heard("lead") == ["read"]


async def test_the_fourth_start_of_a_turn_sets_it_aside_and_says_so(bench: Bench) -> None:
    pauses = [Pause(), Pause(), Pause()]
    bench.model.says("lead", *pauses, "still here")
    bench.chat.hears("poison", id="m-poison")
    for pause in pauses:
        await crash_at(bench, pause)
    async with bench.run():
        assert await bench.chat.said() == SET_ASIDE
        [aside] = listed(bench.data, inbox.list_messages_set_aside)
        assert (aside["key"], aside["text"]) == ("m-poison", "poison")
        assert aside["why"] == reasons.TOO_MANY_CRASHES(times=3)
        bench.chat.hears("hello")
        assert await bench.chat.said() == "still here"


async def test_a_delegation_that_ends_the_process_is_set_aside_alone(bench: Bench) -> None:
    pauses = [Pause(), Pause(), Pause()]
    bench.model.says("lead", delegates("researcher", "analyst"), "one of two")
    bench.model.says("researcher", *pauses)
    bench.model.says("analyst", *["analysed"] * 4)  # a crash may cost a reply that is not yet written
    bench.chat.hears("go")
    for pause in pauses:
        await crash_at(bench, pause)
    async with bench.run():
        assert await bench.chat.said(REPLY) == "one of two"
        assert listed(bench.data, inbox.list_messages_set_aside) == []
    assert bench.model.heard("lead") == [
        model.SUBAGENT_FAILED(role="Researcher", reason=reasons.TOO_MANY_CRASHES(times=3), delegation="t1/2/0"),
        "analysed",
    ]


async def test_a_turn_that_only_waits_for_a_person_is_blamed_for_no_crash(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "so be it")
    bench.chat.hears("go")
    for _ in range(5):
        async with bench.run():
            await goes_round(bench)
            await bench.chat.is_taken_in()
            bench.crashes()
    async with bench.run():
        bench.chat.hears("this one")
        assert await bench.chat.said(REPLY) == "so be it"


async def test_a_clean_stop_is_no_turns_fault(bench: Bench) -> None:
    pauses = [Pause() for _ in range(5)]
    bench.model.says("lead", *pauses, "Hello Ann")
    bench.chat.hears("hello")
    for pause in pauses:
        async with bench.run():
            await pause.reached.wait()
    async with bench.run():
        assert await bench.chat.said() == "Hello Ann"


async def test_progress_clears_a_turn(bench: Bench) -> None:
    pauses = [Pause(), Pause(), Pause(), Pause()]
    bench.model.says("lead", pauses[0], pauses[1], reply(uses("read")), pauses[2], pauses[3], "Hello Ann")
    bench.chat.hears("hello")
    for pause in pauses:
        await crash_at(bench, pause)
    async with bench.run():
        assert await bench.chat.said() == "Hello Ann"


async def test_while_a_turn_is_suspected_all_are_answered_one_at_a_time(bench: Bench) -> None:
    pauses = [Pause(), Pause()]
    bench.model.says("lead", *pauses)
    bench.chat.hears("hello", chat="one")
    for pause in pauses:
        await crash_at(bench, pause)
    last, other = Pause("to Ann"), Pause("to Bob")
    bench.model.says("lead", last, other)
    async with bench.run():
        await last.reached.wait()
        bench.chat.hears("hello", by="Bob", chat="two")
        await goes_round(bench)
        assert not other.reached.is_set()
        last.go_on.set()
        other.go_on.set()
        assert [await bench.chat.said() for _ in range(2)] == ["to Ann", "to Bob"]


async def test_a_turn_whose_tool_ends_the_process_is_kept_aside_too(bench: Bench) -> None:
    reading = asyncio.Event()

    async def read(context: ToolContext, arguments: Arguments) -> str:
        reading.set()
        await asyncio.Event().wait()
        return ""

    tools = [replace(tool, run=read) for tool in bench.tools() if tool.name == "read"]
    bench.model.says("lead", reply(uses("read")))
    bench.chat.hears("poison", id="m-poison")
    for _ in range(4):  # the first attempt ended well: it wrote the call
        async with bench.run(tools=tools):
            await reading.wait()
            reading.clear()
            bench.crashes()
            if bench.rows("SELECT 1 FROM turns WHERE attempts = 3"):
                break
    async with bench.run(tools=tools):
        assert await bench.chat.said() == SET_ASIDE
    assert [aside["key"] for aside in listed(bench.data, inbox.list_messages_set_aside)] == ["m-poison"]


async def test_a_suspect_whose_end_is_decided_keeps_nobody_waiting(bench: Bench) -> None:
    deciding = NeverCloses.anew()
    pauses = [Pause(), Pause(), Pause()]
    bench.model.says("lead", *pauses)
    bench.chat.hears("poison")
    for pause in pauses:
        await crash_at(bench, pause)
    async with bench.run(store=NeverCloses):
        await deciding.wait()
        bench.crashes()
    both = [Pause("to one"), Pause("to another")]
    bench.model.says("lead", *both)
    async with bench.run():
        assert await bench.chat.said() == SET_ASIDE
        bench.chat.hears("hello", chat="one")
        bench.chat.hears("hello", chat="two")
        for pause in both:
            await pause.reached.wait()  # side by side: neither has to wait for the other
        for pause in both:
            pause.go_on.set()
        assert {await bench.chat.said() for _ in range(2)} == {"to one", "to another"}
