"""What was seen of a reply that the time cuts off is said once, before the last words; and the model reads it."""

from dataclasses import replace

from bot.core.content_blocks import content_text, text_block
from bot.core.model import StopReason
from tests.engine.test_turn_messages import REPLY, SAID, UPDATE
from tests.support.bench import Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, reply
from tests.support.writing_model import Writes


async def test_the_shown_part_of_a_timed_out_reply_is_said_before_the_last_words(bench: Bench) -> None:
    step = Writes("never")
    bench.model.says("lead", step, "and that is all", "gladly")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.3))):
        bench.chat.hears("a long story")
        step.shows("Once upon a time")
        part = await bench.chat.part(UPDATE)
        assert (part.text, part.may_ring) == ("Once upon a time", False)
        assert await bench.chat.said(REPLY) == "and that is all"
        bench.chat.hears("thanks")
        assert await bench.chat.said(REPLY) == "gladly"
    assert [text for _, text in bench.rows(SAID)] == ["Once upon a time", "and that is all", "gladly"]
    told = [(entry.role, content_text(entry.content)) for entry in bench.model.seen[1].transcript]
    assert told[1] == ("assistant", "Once upon a time")
    assert told[2][0] == "user"


async def test_a_part_of_a_timed_out_reply_is_said_with_the_text_before_it(bench: Bench) -> None:
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    step = Writes("never")
    bench.model.says("lead", replace(reply(text_block("First."), use), stop_reason=StopReason.PAUSE), step, "the end")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.3))):
        bench.chat.hears("look")
        step.shows("Second")
        assert await bench.chat.said(UPDATE) == "First.\nSecond"
        assert await bench.chat.said(REPLY) == "the end"
    own = [block for entry in bench.model.seen[-1].transcript if entry.role == "assistant" for block in entry.content]
    assert [block["type"] for block in own] == ["text", "server_tool_use", "web_search_tool_result", "text"]


async def test_a_crash_before_the_last_words_neither_loses_nor_repeats_the_rest(bench: Bench) -> None:
    step, pause = Writes("never"), Pause("never")
    bench.model.says("lead", step, pause, "the end")
    settings = engine_options(turn=limits_with(seconds=0.3))
    async with bench.run(**settings):
        bench.chat.hears("a long story")
        step.shows("Once upon a time")
        await pause.reached.wait()
        bench.crashes()
    async with bench.run(**settings):
        assert await bench.chat.said(REPLY) == "the end"
    assert [text for _, text in bench.rows(SAID)] == ["Once upon a time", "the end"]
    own = [content_text(entry.content) for entry in bench.model.seen[-1].transcript if entry.role == "assistant"]
    assert own == ["Once upon a time"]
