"""A turn without progress is told, and stopped in the end with what it has."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.core.content_blocks import text_block
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.texts import people, people_models
from bot.core.turn import CallKind
from bot.tools import Arguments, Tool, ToolContext
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, never, reply, role, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
TOLD, STOPPED = 0.2, 0.6  # seconds
QUICK = engine_options(silence_told_seconds=TOLD, silence_stop_seconds=STOPPED, silence_check_seconds=0.02)
OFTEN = TOLD / 4
FOUND = "found so far"

ModelStep = Callable[[ModelRequest, ShowTextCallback], Awaitable[ModelReply]]


async def silent_after_beginning(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
    come(request)
    show(FOUND)
    return await never()


def come(request: ModelRequest) -> None:
    """A piece of the reply has come."""
    request.meter.last_piece_at_loop_seconds = asyncio.get_running_loop().time()


def in_pieces(seconds: float, answer: str) -> ModelStep:
    async def write(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        for _ in range(int(seconds / OFTEN)):
            come(request)
            await asyncio.sleep(OFTEN)
        return reply(text_block(answer))

    return write


def slow_tool(seconds: float, *, own_limit: float = 0.0, reports: bool = False) -> Tool:
    async def run(context: ToolContext, arguments: Arguments) -> str:
        for _ in range(int(seconds / OFTEN)):
            if reports:
                context.report_progress("half of it")
            await asyncio.sleep(OFTEN)
        return "read slowly"

    return Tool(
        name="slow",
        description="",
        input_schema={},
        kind=CallKind.READ,
        effects=frozenset(),
        run=run,
        time_limit_seconds=own_limit,
    )


def notices(bench: Bench) -> list[str]:
    return [text for (text,) in bench.select("text", "outbox", "kind = 'notice'", order="seq")]


async def test_a_silent_role_is_told_then_stopped_and_its_text_goes_to_the_lead(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "without the rest")
    bench.model.says("researcher", silent_after_beginning)
    async with bench.run(**QUICK):
        bench.chat.hears("go")
        told = await bench.chat.part(NOTICE)
        assert told.message.is_quiet
        assert told.text == people.ROLE_WITHOUT_PROGRESS(
            role="Researcher", minutes=TOLD / 60, most=STOPPED / 60, number=1
        )
        assert await bench.chat.said(REPLY) == "without the rest"
    [given] = bench.model.heard("lead")
    assert given.startswith("[timeout]")
    assert FOUND in given
    assert bench.select("status", "turns", "depth = 1") == [("timeout",)]
    assert len(notices(bench)) == 1


async def test_a_silent_lead_is_stopped_and_its_text_stays(bench: Bench) -> None:
    bench.model.says("lead", silent_after_beginning, "the next answer")
    async with bench.run(**QUICK):
        bench.chat.hears("go")
        assert await bench.chat.said(NOTICE) == people.NO_PROGRESS(minutes=TOLD / 60, most=STOPPED / 60)
        ended = await bench.chat.said(REPLY)
        assert "no progress" in ended
        bench.chat.hears("again")
        assert await bench.chat.said(REPLY) == "the next answer"
    assert bench.select("count(*)", "outbox", f"text LIKE '%{FOUND}%'") == [(1,)]


async def test_a_reply_that_comes_in_pieces_is_not_told(bench: Bench) -> None:
    bench.model.says("lead", in_pieces(2 * STOPPED, "at last"))
    async with bench.run(**QUICK):
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "at last"
    assert notices(bench) == []


async def test_a_request_that_is_not_begun_is_told_and_goes_on(bench: Bench) -> None:
    pause = Pause("late")
    bench.model.says("lead", pause)
    async with bench.run(**QUICK):
        bench.chat.hears("go")
        assert await bench.chat.said(NOTICE) == people_models.NOT_ANSWERING(minutes=TOLD / 60)
        await asyncio.sleep(1.5 * STOPPED)
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "late"
    assert len(notices(bench)) == 1


async def test_a_tool_without_a_limit_of_its_own_is_stopped(bench: Bench) -> None:
    bench.roles["lead"] = role("lead", "slow")
    bench.model.says("lead", reply(uses("slow")))
    async with bench.run(**QUICK, tools=[slow_tool(3600)]):
        bench.chat.hears("go")
        await bench.chat.said(NOTICE)
        assert "no progress" in await bench.chat.said(REPLY)
    assert bench.select("status", "turns") == [("timeout",)]


async def test_a_tool_within_its_own_limit_is_not_told(bench: Bench) -> None:
    bench.roles["lead"] = role("lead", "slow")
    bench.model.says("lead", reply(uses("slow")), "read")
    async with bench.run(**QUICK, tools=[slow_tool(1.5 * STOPPED, own_limit=2 * STOPPED)]):
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "read"
    assert notices(bench) == []


async def test_a_tool_that_reports_progress_is_not_told(bench: Bench) -> None:
    bench.roles["lead"] = role("lead", "slow")
    bench.model.says("lead", reply(uses("slow")), "read")
    async with bench.run(**QUICK, tools=[slow_tool(1.5 * STOPPED, reports=True)]):
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "read"
    assert notices(bench) == []


async def test_waiting_for_a_person_and_for_a_role_is_no_silence(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    question = reply(uses("ask_person", question="Which?", options=["red", "green"]))
    bench.model.says("researcher", question, "it is green")
    async with bench.run(**QUICK):
        bench.chat.hears("go")
        asked = await bench.chat.part(OutboundKind.QUESTION)
        await asyncio.sleep(1.5 * STOPPED)
        bench.chat.taps(asked.message.id, "green")
        assert await bench.chat.said(REPLY) == "done"
    assert not [text for text in notices(bench) if "progress" in text]
