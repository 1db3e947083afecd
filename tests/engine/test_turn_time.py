"""A turn's time: what is under way when it is over is cut off, and it runs only while the turn works."""

import asyncio

from bot.core.content_blocks import content_text, text_block
from bot.core.errors import RetryableModelFailure
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import Usage, cost_of_usage
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext
from tests.support.bench import WORKERS, Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, never, reply, role, uses

REPLY = OutboundKind.REPLY
RESEARCHER = WORKERS[0]
SHORT = engine_options(turn=limits_with(seconds=0.3))


def hanging() -> Tool:
    async def run(context: ToolContext, arguments: Arguments) -> str:
        await never()
        return ""

    return Tool(name="hang", description="", input_schema={}, kind=CallKind.READ, effects=frozenset(), run=run)


def seconds(bench: Bench, role: str = "lead") -> float:
    return float(bench.rows("SELECT seconds FROM turns WHERE role = ?", role)[0][0])


def status(bench: Bench, role: str = "lead") -> str:
    return str(bench.rows("SELECT status FROM turns WHERE role = ?", role)[0][0])


async def test_endless_changes_are_cut_off_and_each_result_says_what_is_known(bench: Bench) -> None:
    bench.is_stuck = True
    bench.model.says("lead", reply(uses("change"), uses("change"), uses("read")), "as far as I got")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.5))):
        bench.chat.hears("change it")
        assert await bench.chat.said() == "as far as I got"
    assert bench.model.heard("lead") == [
        model.CALL_OUT_OF_TIME,
        model.NO_TIME_FOR_CALL,
        "read",
    ]
    results = [entry for entry in bench.model.seen[-1].transcript if entry.role == "user"][-1].content
    assert ["is_error" in result for result in results] == [True, True, False]
    assert [request.may_call_tools for request in bench.model.seen] == [True, False]
    assert (len(bench.changed), status(bench)) == (1, "timeout")


async def test_a_tool_that_reads_and_never_ends_is_cut_off_too(bench: Bench) -> None:
    bench.roles["lead"] = role("lead", "hang")
    bench.model.says("lead", reply(uses("hang")), "as far as I got")
    async with bench.run(**SHORT, tools=[hanging()]):
        bench.chat.hears("look")
        assert await bench.chat.said() == "as far as I got"
    assert bench.model.heard("lead") == [model.CALL_OUT_OF_TIME]
    assert status(bench) == "timeout"


async def test_a_role_that_runs_out_of_time_reports_what_it_has(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", limits=limits_with(seconds=0.05))
    bench.model.says("lead", delegates("researcher"), "thanks")
    bench.model.says("researcher", never, "half of it")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "thanks"
    assert bench.model.heard("lead") == ["[timeout] half of it"]


async def test_a_model_that_never_finishes_is_cut_off_and_charged_by_its_start(bench: Bench) -> None:
    begun = Usage(input=50, cache_read=2_000, cache_write_1h=300, output=1)

    async def silent(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.usage_at_start = begun
        return await never()

    bench.model.says("lead", silent, reply(text_block("that much"), usage=Usage(requests=0)))
    async with bench.run(**SHORT):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "that much"
    charged = bench.rows("SELECT state, cost FROM requests ORDER BY id")[0]
    output = (
        charged[1] - cost_of_usage("claude-sonnet-5-5", Usage(input=50, cache_read=2_000, cache_write_1h=300))
    ) / 10
    assert charged[0] == "settled"
    assert 0.1 * 200 <= output <= 10 * 200  # tokens: 200 for each second since it began, which was soon after its turn
    assert [request.may_call_tools for request in bench.model.seen] == [True, False]
    assert status(bench) == "timeout"


async def test_a_model_that_never_begins_is_charged_the_estimated_prompt(bench: Bench) -> None:
    bench.model.says("lead", never, reply(text_block("that much"), usage=Usage(requests=0)))
    async with bench.run(**SHORT):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "that much"
    prompt = bench.model.seen[0].meter.estimated_prompt_tokens
    assert bench.rows("SELECT cost FROM requests ORDER BY id")[0][0] >= cost_of_usage(
        "claude-sonnet-5-5", Usage(cache_write_1h=prompt, output=20)
    )


async def test_a_cut_off_request_is_charged_at_most_its_allowed_output(bench: Bench) -> None:
    bench.model.says("lead", never, "that much")
    async with bench.run(**SHORT):
        bench.chat.hears("hello")
        await bench.chat.said()
    meter = bench.model.seen[0].meter
    assert meter.sent_at_loop_seconds is not None
    assert meter.estimate_usage_so_far(meter.sent_at_loop_seconds + 3_600, 1_024).output == 1_024


async def test_the_clock_stands_still_while_a_turn_waits_for_its_delegations(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", limits=limits_with(seconds=0.4))
    bench.model.says("lead", delegates("researcher"), "in time")
    bench.model.says("researcher", never, "too late")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.3))):
        bench.chat.hears("go")
        assert await bench.chat.said() == "in time"
    assert (status(bench), status(bench, "researcher")) == ("completed", "timeout")
    assert seconds(bench) < 0.3
    assert seconds(bench, "researcher") >= 0.4


async def test_the_clock_stands_still_while_a_turn_waits_for_a_person(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "I chose myself")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.3), question_timeout_seconds=0.4)):
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "I chose myself"
    assert status(bench) == "completed"
    assert seconds(bench) < 0.3


async def test_the_seconds_used_are_written_with_each_step_and_survive_a_restart(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", never, pause, "out of time")
    async with bench.run(**SHORT):
        bench.chat.hears("go")
        await pause.reached.wait()  # what is asked for now are its last words
        assert seconds(bench) >= 0.3
    async with bench.run(**SHORT):
        assert await bench.chat.said() == "out of time"
    assert [request.may_call_tools for request in bench.model.seen] == [True, False, False]
    assert status(bench) == "timeout"


async def test_the_clock_stands_still_while_the_models_server_is_waited_for(bench: Bench) -> None:
    async def busy() -> ModelReply:
        await asyncio.sleep(0.1)  # it says so late
        raise RetryableModelFailure("overloaded", seconds=0.2)

    bench.model.says("lead", busy, busy, reply(uses("read")), "in time")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.3))):
        bench.chat.hears("go")
        assert await bench.chat.said() == "in time"
    assert status(bench) == "completed"
    assert seconds(bench) < 0.3


async def test_a_summary_that_takes_all_of_a_turns_time_is_done_without(bench: Bench) -> None:
    bench.model.says("lead", "an old answer", never, "as far as I got")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "an old answer"
    bench.roles["lead"] = role("lead", "read")
    async with bench.run(**SHORT):
        bench.chat.hears("again")
        assert await bench.chat.said() == "as far as I got"
    assert [request.may_call_tools for request in bench.model.seen] == [True, True, False]
    first_text = content_text(bench.model.seen[-1].transcript[0].content)
    assert model.END_WITHOUT_SUMMARY.partition("{end}")[0] in first_text
    assert content_text(bench.model.seen[-1].transcript[-2].content).endswith("Ann: again")
