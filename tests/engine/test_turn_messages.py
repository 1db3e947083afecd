"""Everything that the lead writes is said, once: beside its calls, at a limit, and where it is stopped."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from bot.core.content_blocks import content_text, text_block
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.texts import model, people
from bot.core.turn import TurnOutcome
from tests.support.bench import Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, reply, uses
from tests.support.patience import PATIENCE
from tests.support.writing_model import Writes

REPLY, UPDATE, QUESTION = OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.QUESTION
SAID = "SELECT kind, text FROM outbox WHERE kind IN ('reply', 'update', 'question') ORDER BY seq"


def writes(text: str, *calls: str) -> ModelReply:
    return reply(text_block(text), *(uses(each) for each in calls))


async def test_text_beside_a_call_is_a_silent_update(bench: Bench) -> None:
    bench.model.says("lead", writes("Paris.", "read"), "Noted.")
    async with bench.run():
        bench.chat.hears("what is the capital?")
        part = await bench.chat.part(UPDATE)
        assert (part.text, part.may_ring) == ("Paris.", False)
        part = await bench.chat.part(REPLY)
        assert (part.text, part.may_ring) == ("Noted.", True)
    assert bench.rows(SAID) == [("update", "Paris."), ("reply", "Noted.")]


async def test_text_beside_a_question_comes_before_the_question(bench: Bench) -> None:
    asks = reply(text_block("A is cheap, B is fast."), uses("ask_person", question="Which?", options=["A", "B"]))
    bench.model.says("lead", asks, "A it is")
    async with bench.run():
        bench.chat.hears("compare")
        assert await bench.chat.said(UPDATE) == "A is cheap, B is fast."
        assert (await bench.chat.part(QUESTION)).may_ring
        bench.chat.hears("A")
        assert await bench.chat.said(REPLY) == "A it is"


async def test_text_of_every_step_is_said_in_order(bench: Bench) -> None:
    bench.model.says("lead", writes("one", "read"), writes("two", "change"), writes("", "read"), "three")
    async with bench.run():
        bench.chat.hears("count")
        assert await bench.chat.said(REPLY) == "three"
    assert [text for _, text in bench.rows(SAID)] == ["one", "two", "three"]


async def test_an_empty_last_reply_repeats_the_last_update_and_deletes_its_copy(bench: Bench) -> None:
    bench.model.says("lead", writes("one", "read"), writes("Paris.", "read"), reply())
    async with bench.run():
        bench.chat.hears("what is the capital?")
        part = await bench.chat.part(REPLY)
        assert (part.text, part.may_ring) == ("Paris.", True)
        async with asyncio.timeout(PATIENCE):
            assert await bench.chat.deleted.get() == "t1/4:0"
    assert len(bench.model.seen) == 3
    assert bench.select("key, text", "outbox", "platform_ids != '[]'") == [
        ("t1/2", "one"),
        ("t1:reply", "Paris."),
    ]


async def test_a_note_that_was_shown_is_an_answer_too(bench: Bench) -> None:
    thought = {"type": "thinking", "thinking": "It is Paris.", "signature": "s"}
    bench.model.says("lead", replace(reply(thought, uses("read")), text_for_people="It is Paris."), reply())
    async with bench.run():
        bench.chat.hears("what is the capital?")
        part = await bench.chat.part(REPLY)
        assert (part.text, part.may_ring) == ("It is Paris.", True)
    assert len(bench.model.seen) == 2


async def test_an_empty_last_reply_to_a_new_message_is_asked_for_words(bench: Bench) -> None:
    pause = Pause(writes("Paris.", "read"))
    bench.model.says("lead", pause, reply(), "And Rome.")
    async with bench.run():
        bench.chat.hears("what is the capital?")
        await pause.reached.wait()
        bench.chat.hears("and of Italy?")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "And Rome."
    assert content_text(bench.model.seen[-1].transcript[-1].content) == model.SAY_ANSWER
    assert [text for _, text in bench.rows(SAID)] == ["Paris.", "And Rome."]


async def test_the_parts_of_a_paused_reply_are_said_as_one(bench: Bench) -> None:
    part = reply(text_block("First."), {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}})
    part = ModelReply(content=part.content, usage=part.usage, stop_reason=StopReason.PAUSE)
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    bench.model.says("lead", part, reply(found, text_block("Second."), uses("read")), "done")
    async with bench.run():
        bench.chat.hears("look")
        assert await bench.chat.said(REPLY) == "done"
    assert [text for _, text in bench.rows(SAID)] == ["First.\nSecond.", "done"]


async def test_a_paused_reply_that_is_stopped_as_it_goes_on_is_said_once(bench: Bench) -> None:
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    part = replace(reply(text_block("First."), use), stop_reason=StopReason.PAUSE)
    step = Writes("never")
    bench.model.says("lead", part, step, "and on")
    async with bench.run():
        bench.chat.hears("look")
        step.shows("Second")
        async with asyncio.timeout(PATIENCE):
            while (await bench.chat.drafts.get()).text != "First.\nSecond":
                pass
        bench.chat.hears("/stop")
        assert await bench.chat.said(UPDATE) == "First.\n\nSecond"
        await bench.chat.said(REPLY)
        bench.chat.hears("and?")
        await bench.chat.said(REPLY)
    own = [content_text(entry.content) for entry in bench.model.seen[-1].transcript if entry.role == "assistant"]
    assert [text.count("First.") for text in own] == [1, 0]


async def test_a_limit_without_words_is_named(bench: Bench) -> None:
    bench.model.says("lead", writes("one", "read"), reply())
    async with bench.run(**engine_options(turn=limits_with(iterations=1))):
        bench.chat.hears("dig")
        said = await bench.chat.said(REPLY)
    [(status, reason)] = bench.rows("SELECT status, reason FROM turns")
    assert status == TurnOutcome.BUDGET
    assert reason in said
    assert model.NO_WORDS not in said


async def test_a_reply_whose_length_is_used_up_before_a_word_says_so(bench: Bench) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    cut = reply(thinking, stop=StopReason.LENGTH)
    bench.model.says("lead", cut, cut)
    async with bench.run():
        bench.chat.hears("think")
        assert await bench.chat.said(REPLY) == people.NO_ROOM()


# Stopped


async def stopped_while_it_writes(bench: Bench, word: str = "/stop") -> None:
    step = Writes("never")
    bench.model.says("lead", step)
    bench.chat.hears("a long story")
    step.shows("Once upon a time")
    async with asyncio.timeout(PATIENCE):
        while not (await bench.chat.drafts.get()).text:
            pass
    bench.chat.hears(word)


async def test_a_stop_keeps_the_text_in_the_chat_and_for_the_model(bench: Bench) -> None:
    bench.model.says("lead")
    async with bench.run():
        await stopped_while_it_writes(bench)
        assert await bench.chat.said(UPDATE) == "Once upon a time"
        part = await bench.chat.part(REPLY)
        assert part.may_ring
        bench.model.says("lead", "there was")
        bench.chat.hears("go on")
        assert await bench.chat.said(REPLY) == "there was"
    assert part.text.startswith("—")
    own = [content_text(entry.content) for entry in bench.model.seen[-1].transcript if entry.role == "assistant"]
    assert own[0].startswith("Once upon a time\n(cancelled")


async def test_a_refused_reply_leaves_nothing_of_its_text(bench: Bench) -> None:
    async def refuses(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        show("Take one part of")
        return reply(text_block("Take one part of"), stop=StopReason.REFUSAL)

    bench.model.says("lead", refuses)
    async with bench.run():
        bench.chat.hears("how is it made?")
        await bench.chat.said(REPLY)
    assert "Take one" not in str(bench.select("text", "outbox") + bench.rows("SELECT body FROM entries"))


async def test_a_crash_between_a_stop_and_its_end_leaves_the_draft_standing(bench: Bench) -> None:
    from tests.support.stores import NeverCloses

    bench.chat.is_anchoring = True
    reached = NeverCloses.anew()
    step = Writes("never")
    bench.model.says("lead", step, "there was")
    quick = engine_options(draft_delay_seconds=0, draft_edit_seconds=(0,))
    async with bench.run(**quick, store=NeverCloses):
        bench.chat.hears("a long story")
        async with asyncio.timeout(PATIENCE):
            while bench.chat.edits.empty():
                step.shows("Once upon a time")
                await asyncio.sleep(0.001)
            bench.chat.hears("/stop")
            await reached.wait()
        bench.crashes()
    async with bench.run(**quick):
        part = await bench.chat.part(REPLY)
        bench.chat.hears("go on")
        assert await bench.chat.said(REPLY) == "there was"
    assert "a long story" in part.text
    assert bench.chat.deleted.empty()
    own = [content_text(entry.content) for entry in bench.model.seen[-1].transcript if entry.role == "assistant"]
    assert model.LOST_WORDS in own[0]


async def test_a_stop_that_comes_just_before_the_reply_is_written_keeps_its_text(bench: Bench) -> None:
    writing = asyncio.Event()

    async def step(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        show("Once upon a time")
        writing.set()
        with suppress(asyncio.CancelledError):  # the reply is whole when the stop gets to it
            await asyncio.Event().wait()
        return reply(text_block("Once upon a time"))

    bench.model.says("lead", step)
    async with bench.run():
        bench.chat.hears("a story")
        await writing.wait()
        bench.chat.hears("/stop")
        await bench.chat.part(REPLY)
    assert bench.select("text", "outbox", "kind = 'update'") == [("Once upon a time",)]
    assert bench.rows("SELECT state, cost > 0 FROM requests") == [("settled", 1)]
