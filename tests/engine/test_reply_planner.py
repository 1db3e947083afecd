"""What becomes of a reply: cut short, empty, without words, or as long as the window."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.limits import LimitKind
from bot.core.model import ModelReply, StopReason, TranscriptEntry
from bot.core.reply_plan import (
    AnswerWithUpdate,
    AskForCorrection,
    AskForWords,
    CutOff,
    EndTurn,
    Paused,
    ReplyOutcome,
    RunCalls,
    Summary,
)
from bot.core.texts import model, people, reasons
from bot.core.turn import PaidModelRequest, RequestId, TurnOutcome, TurnStanding
from bot.engine.reply_planner import ReplyPlanner
from tests.support.bench import Bench
from tests.support.fakes import ScriptedModel, delegates, last_text, reply, uses
from tests.support.rows import root_turn

ROOM = 16_000  # tokens that the lead may write
FORM = '{"type": "integer"}'


async def test_a_call_that_was_cut_is_asked_for_once_more_with_twice_the_room(bench: Bench) -> None:
    cut = reply(text_block("let me"), uses("change"), stop=StopReason.LENGTH)
    bench.model.says("lead", cut, reply(uses("change"), stop=StopReason.CALLS), "changed")
    async with bench.run():
        bench.chat.hears("change it")
        assert await bench.chat.said() == "changed"
    assert [request.max_tokens for request in bench.model.seen] == [ROOM, 2 * ROOM, ROOM]
    assert [len(request.transcript) for request in bench.model.seen] == [1, 1, 3]  # nothing of what was cut is kept
    assert len(bench.changed) == 1
    assert bench.rows("SELECT cost FROM requests") == [(3_000,)] * 3
    assert bench.rows("SELECT steps FROM turns") == [(2,)]


async def test_a_call_cut_twice_is_not_run_and_the_text_beside_it_is_the_answer(bench: Bench) -> None:
    cut = reply(text_block("let me"), uses("change"), stop=StopReason.LENGTH)
    bench.model.says("lead", cut, cut, "still here")
    async with bench.run():
        bench.chat.hears("change it")
        assert await bench.chat.said() == f"let me\n{model.CUT_OFF}"
        bench.chat.hears("go on")
        assert await bench.chat.said() == "still here"
    assert bench.changed == []
    assert bench.model.seen[-1].transcript[1].content == [text_block("let me")]


async def test_a_text_that_was_cut_is_kept_and_marked(bench: Bench) -> None:
    bench.model.says("lead", reply(text_block("once upon"), stop=StopReason.LENGTH))
    async with bench.run():
        bench.chat.hears("tell me")
        assert await bench.chat.said() == f"once upon\n{model.CUT_OFF}"
    assert len(bench.model.seen) == 1


async def test_an_empty_reply_is_asked_once_for_words(bench: Bench) -> None:
    bench.model.says("lead", reply(), "sorry: here")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "sorry: here"
    assert last_text(bench.model.seen[1]) == model.SAY_ANSWER


async def test_two_replies_without_words_are_told_as_no_answer(bench: Bench) -> None:
    bench.model.says("lead", reply(), reply(), "here", delegates("researcher"), "nothing came")
    bench.model.says("researcher", reply(), reply())
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == people.NO_ANSWER()
        bench.chat.hears("hello?")
        assert await bench.chat.said() == "here"
        bench.chat.hears("ask somebody")
        assert await bench.chat.said() == "nothing came"
    assert bench.model.heard("lead") == ["(no output)"]


async def test_thinking_alone_is_no_answer_and_is_kept_as_it_came(bench: Bench) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    bench.model.says("lead", reply(thinking), "here")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "here"
    assert bench.model.seen[1].transcript[1].content == [thinking]


async def test_a_full_window_ends_the_turn_with_the_words_so_far(bench: Bench) -> None:
    bench.model.says("lead", reply(text_block("as far as"), uses("change"), stop=StopReason.WINDOW))
    async with bench.run():
        bench.chat.hears("dig")
        assert await bench.chat.said() == f"as far as\n{model.CUT_OFF}"
    assert bench.select("status, reason", "turns") == [("budget", reasons.CONTEXT_FULL())]
    assert bench.changed == []


def stand(**fields: Any) -> TurnStanding:
    return TurnStanding(turn=root_turn(**fields), last_entry_seq=1)


def delegation(**fields: Any) -> TurnStanding:
    return stand(depth=1, **fields)


async def outcome(said: ModelReply, stand: TurnStanding, *before: TranscriptEntry, **of_request: Any) -> ReplyOutcome:
    """Return what becomes of a reply. `of_request` are fields of the request, such as its limit."""
    request = PaidModelRequest(id=RequestId(1), max_tokens=ROOM, attempt=1, model="claude-sonnet-5", **of_request)
    return (await ReplyPlanner(ScriptedModel(), []).plan_reply(stand, request, said, before)).outcome


def end(report: str, status: TurnOutcome = TurnOutcome.COMPLETED, reason: str = "") -> EndTurn:
    return EndTurn(status=status, reason=reason, report=report)


HI, CUT_TEXT = reply(text_block("hi")), reply(text_block("hi"), stop=StopReason.LENGTH)
PAUSED = reply(text_block("so far"), stop=StopReason.PAUSE)


@pytest.mark.parametrize("stand", [stand(), delegation()], ids=["a root turn", "a delegation"])
async def test_a_text_ends_the_turn(stand: TurnStanding) -> None:
    assert await outcome(HI, stand) == end("hi")


async def test_calls_are_run_and_the_text_beside_them_is_kept() -> None:
    planned = await outcome(reply(text_block("let me"), uses("one"), uses("two")), stand())
    assert isinstance(planned, RunCalls)
    assert ([call.id for call in planned.calls], planned.text) == (["t1/2/0", "t1/2/1"], "let me")


async def test_a_call_without_room_is_cut_off() -> None:
    assert await outcome(reply(uses("one"), stop=StopReason.LENGTH), stand()) == CutOff()


async def test_a_reply_with_twice_the_room_is_not_cut_off_again() -> None:
    cut = reply(text_block("let me"), uses("one"), stop=StopReason.LENGTH)
    assert await outcome(cut, stand(), is_doubled=True) == end(f"let me\n{model.CUT_OFF}")


async def test_a_paused_reply_is_continued() -> None:
    assert await outcome(PAUSED, stand()) == Paused()


async def test_a_paused_reply_that_is_the_last_ends_the_turn() -> None:
    planned = await outcome(PAUSED, stand(), limit=LimitKind.SECONDS)
    assert isinstance(planned, EndTurn)
    assert (planned.status, planned.report) == (TurnOutcome.TIMEOUT, "so far")


async def test_the_parts_of_a_continued_reply_are_one_answer() -> None:
    assert await outcome(HI, stand(), TranscriptEntry(role="assistant", content=PAUSED.content)) == end("so far\nhi")


async def test_the_reply_in_a_closing_chapter_is_its_summary() -> None:
    assert await outcome(HI, replace(stand(), is_summary_next=True)) == Summary(text="hi")


async def test_a_summary_that_was_cut_is_marked() -> None:
    planned = await outcome(CUT_TEXT, replace(stand(), is_summary_next=True))
    assert planned == Summary(text=f"hi\n{model.CUT_OFF}")


async def test_the_last_request_ends_the_turn_at_its_limit_without_calls() -> None:
    planned = await outcome(reply(text_block("hi"), uses("one")), stand(), limit=LimitKind.DOLLARS)
    assert isinstance(planned, EndTurn)
    assert (planned.status, planned.report) == (TurnOutcome.BUDGET, "hi")


async def test_a_full_window_is_a_limit() -> None:
    full = reply(text_block("hi"), stop=StopReason.WINDOW)
    assert await outcome(full, stand()) == end(f"hi\n{model.CUT_OFF}", TurnOutcome.BUDGET, reasons.CONTEXT_FULL())


async def test_a_role_without_words_is_asked_for_some() -> None:
    assert await outcome(reply(), delegation()) == AskForWords()


async def test_a_role_that_was_asked_for_words_ends_without_them() -> None:
    assert await outcome(reply(), delegation(is_prompted=True)) == end("")


async def test_a_lead_without_words_answers_with_its_update_or_is_asked_for_words() -> None:
    assert await outcome(reply(), stand()) == AnswerWithUpdate(otherwise=AskForWords())


async def test_a_lead_that_was_asked_for_words_answers_with_its_update_or_ends() -> None:
    assert await outcome(reply(), stand(is_prompted=True)) == AnswerWithUpdate(otherwise=end(""))


async def test_a_lead_without_words_at_a_limit_ends_without_an_update() -> None:
    assert isinstance(await outcome(reply(), stand(), limit=LimitKind.TOKENS), EndTurn)


async def test_a_report_that_fits_its_form_ends_the_turn() -> None:
    assert await outcome(reply(text_block("5")), delegation(form=FORM)) == end("5")


async def test_a_report_that_does_not_fit_its_form_is_asked_for_again() -> None:
    planned = await outcome(reply(text_block('"five"')), delegation(form=FORM))
    assert isinstance(planned, AskForCorrection)
    assert planned.report == '"five"'


async def test_a_second_report_that_does_not_fit_ends_the_turn_with_the_reason() -> None:
    planned = await outcome(reply(text_block('"six"')), delegation(form=FORM, report='"five"', misfit="no number"))
    assert isinstance(planned, EndTurn)
    assert (planned.status, planned.report, planned.reason != "") == (TurnOutcome.COMPLETED, '"six"', True)


async def test_a_correction_without_words_keeps_the_report_before_it() -> None:
    before = delegation(form=FORM, report='"five"', misfit="no number", is_prompted=True)
    assert await outcome(reply(), before) == end('"five"', reason="no number")
