"""What a stop of the process leaves, and how it goes on. (The kills themselves are scripts/torture's.)"""

from bot.core.messages import OutboundKind
from bot.core.prices import Micros
from bot.core.texts import model, people, reasons
from tests.support.bench import Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, reply, uses


async def test_a_turn_that_a_stop_cut_off_is_answered_after_the_next_start(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "sorry for the wait")
    async with bench.run():
        bench.chat.hears("hello")
        await pause.reached.wait()
    async with bench.run():
        assert await bench.chat.said() == "sorry for the wait"
    assert [bench.model.heard("lead", nth) for nth in (0, 1)] == [["Ann: hello"]] * 2


async def test_a_finished_siblings_result_is_not_asked_for_again(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher", "writer"), "both are done")
    bench.model.says("researcher", reply(uses("message", text="done here")), "found")
    bench.model.says("writer", pause, "written, at last")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(OutboundKind.UPDATE)
        await pause.reached.wait()
    async with bench.run():
        assert await bench.chat.said(OutboundKind.REPLY) == "both are done"
    assert bench.model.heard("lead") == ["found", "written, at last"]


async def test_a_stop_that_a_crash_interrupted_is_still_a_stop(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop")
        await bench.chat.is_taken_in()
    async with bench.run():
        assert await bench.chat.said() == people.STOPPED(messages="“go”")


async def test_a_cut_off_change_is_not_repeated_and_has_an_unknown_outcome(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("change")), "I had better look")
    bench.is_stuck = True
    async with bench.run():
        bench.chat.hears("change it")
        await bench.has_changed()
    async with bench.run():
        assert await bench.chat.said() == "I had better look"
    assert len(bench.changed) == 1
    assert bench.model.heard("lead") == [model.CALL_INTERRUPTED]


async def test_a_wait_that_only_a_crash_made_the_last_is_ended_like_any_other(bench: Bench) -> None:
    delegation = delegates("analyst").content[0]
    bench.model.says("lead", reply(delegation, uses("change")), "never mind, then")
    bench.model.says("analyst", reply(uses("ask_person", question="which?")), "unanswered")
    bench.is_stuck = True
    async with bench.run(**engine_options(busy="queue")):
        bench.chat.hears("go")
        await bench.chat.part(OutboundKind.QUESTION)
        await bench.has_changed()
        bench.chat.hears("what is taking so long?")
        await bench.chat.is_taken_in()
    async with bench.run(**engine_options(busy="queue")):
        assert await bench.chat.said(OutboundKind.REPLY) == "never mind, then"
    assert bench.model.heard("analyst") == [model.WROTE_INSTEAD(text="what is taking so long?")]


async def test_a_request_that_a_crash_lost_stays_charged(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "unreachable")
    terms = engine_options(turn=limits_with(iterations=5, cost=Micros(24_000)))
    async with bench.run(**terms):
        bench.chat.hears("hello")
        await pause.reached.wait()
        bench.crashes()
    async with bench.run(**terms):
        assert await bench.chat.said() == people.LEFT(reason=reasons.TURN_BUDGET_USED(), messages="“hello”")


async def test_a_request_that_a_clean_stop_cut_off_is_charged_as_far_as_it_came(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "one left")
    terms = engine_options(turn=limits_with(iterations=5, cost=Micros(26_300)))
    async with bench.run(**terms):
        bench.chat.hears("hello")
        await pause.reached.wait()
    async with bench.run(**terms):
        assert await bench.chat.said() == "one left"
