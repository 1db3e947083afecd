"""The web in a turn: what the server runs is kept as it came, paid for in advance, and never left unanswered."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.content_blocks import Block, text_block, unanswered_server_tool_uses
from bot.core.model import ModelReply, ModelRequest, StopReason, TranscriptEntry
from bot.core.prices import Usage
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model
from bot.tools import texts
from tests.support.bench import Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, reply, role, uses
from tests.support.web_bot import WEB, found, run, searches, unavailable, web
from tests.support.writing_model import Writes

__all__ = ["web"]


def paused(*blocks: Block) -> ModelReply:
    return reply(*blocks, stop=StopReason.PAUSE)


def ends(request: ModelRequest, count: int) -> list[TranscriptEntry]:
    return [replace(entry, tokens=0) for entry in request.transcript[-count:]]


def said(text: str) -> TranscriptEntry:
    return TranscriptEntry(role="user", content=[text_block(text)])


def replied(*blocks: Block) -> TranscriptEntry:
    return TranscriptEntry(role="assistant", content=list(blocks))


def told_last(reason: str) -> str:
    return model.LAST_WORDS(reason=reason)


def left_open(bench: Bench) -> list[Block]:
    """What the newest transcript of the lead still owes."""
    return unanswered_server_tool_uses(
        [block for entry in bench.model.asked("lead")[-1].transcript for block in entry.content]
    )


# A reply that goes on


async def test_a_paused_reply_is_sent_back_as_it_is_and_its_parts_are_one_answer(web: Bench) -> None:
    first = [text_block("I look."), searches()]
    web.model.says("lead", paused(*first), reply(found(), text_block("It is so.")), "and on")
    async with run(web):
        web.chat.hears("is it?")
        assert await web.chat.said() == "I look.\nIt is so."
        web.chat.hears("and?")
        assert await web.chat.said() == "and on"
    one, two, three = web.model.seen
    assert ends(two, 1) == [replied(*first)]
    assert list(two.transcript[:-1]) == list(one.transcript)
    assert ends(three, 3)[:2] == [replied(*first), replied(found(), text_block("It is so."))]
    assert web.rows("SELECT steps, status FROM turns") == [(1, "completed"), (1, "completed")]


async def test_a_continued_replys_draft_begins_with_the_words_so_far(web: Bench) -> None:
    async def writes(request: ModelRequest, show: Any) -> ModelReply:
        show("It")
        while "It" not in (draft := (await web.chat.drafts.get()).text):
            pass
        drafts.append(draft)
        return reply(text_block("It is so."))

    drafts: list[str] = []
    web.model.says("lead", paused(text_block("I look.")), writes)
    async with run(web):
        web.chat.hears("is it?")
        await web.chat.said()
    assert drafts == ["I look.\nIt"]


async def test_the_last_words_before_a_pause_are_shown_during_the_pause(web: Bench) -> None:
    first, second = Writes(paused(text_block("I look at it."))), Writes("It is so.")
    web.model.says("lead", first, second)
    async with run(web):
        web.chat.hears("is it?")
        first.shows("I look")
        first.shows("I look at it.")
        first.ends()
        while (await web.chat.drafts.get()).text != "I look at it.":
            pass
        second.ends()
        assert await web.chat.said() == "I look at it.\nIt is so."


async def test_a_reply_that_never_ends_is_ended_after_five_pauses(web: Bench) -> None:
    web.model.says("lead", *(paused(text_block(str(number))) for number in range(9)))
    async with run(web):
        web.chat.hears("go")
        assert await web.chat.said() == "0\n1\n2\n3\n4\n5"
    assert len(web.model.seen) == 6


async def test_a_crash_between_parts_of_a_reply_resumes_with_the_same_request(web: Bench) -> None:
    pause = Pause()
    web.model.says("lead", paused(searches()), pause)
    async with run(web):
        web.chat.hears("go")
        await pause.reached.wait()
        web.crashes()
    web.model.says("lead", reply(found(), text_block("done")))
    async with run(web):
        assert await web.chat.said() == "done"
    assert ends(web.model.seen[2], 9) == ends(web.model.seen[1], 9)


async def test_a_stopped_turns_pending_search_is_answered(web: Bench) -> None:
    pause = Pause()
    web.model.says("lead", paused(searches()), pause, "and on")
    async with run(web):
        web.chat.hears("go")
        await pause.reached.wait()
        web.chat.hears("/stop")
        assert (await web.chat.said()).startswith("Stopped")
        web.chat.hears("and?")
        assert await web.chat.said() == "and on"
    assert ends(web.model.seen[-1], 2)[0] == replied(unavailable(), text_block("(cancelled: stopped by Ann)"))
    assert not left_open(web)


async def test_at_a_limit_a_pause_is_left_and_the_model_is_asked_for_words(web: Bench) -> None:
    dear = paused(text_block("I look."), searches())
    web.model.says("lead", replace(dear, usage=Usage(output=18_000)), "as far as I got")
    async with run(web, **engine_options(turn=limits_with(tokens=20_000))):
        web.chat.hears("go")
        assert await web.chat.said() == "as far as I got"
    last = web.model.seen[-1]
    assert not last.may_call_tools
    assert ends(last, 2) == [replied(unavailable()), said(told_last("the limit of 20,000 tokens is reached"))]


@pytest.mark.parametrize("is_beside", [False, True])
async def test_a_search_that_the_server_never_brings_is_answered_for_it(web: Bench, is_beside: bool) -> None:
    first = reply(searches(), uses("read")) if is_beside else paused(searches())
    web.model.says("lead", first, "done", "and on")
    async with run(web):
        web.chat.hears("go")
        assert await web.chat.said() == "done"
        web.chat.hears("and?")
        assert await web.chat.said() == "and on"
    assert ends(web.model.seen[-1], 2)[0] == replied(unavailable(), text_block("done"))


async def test_a_reply_cut_in_the_midst_of_a_search_is_kept_without_it(web: Bench) -> None:
    web.model.says("lead", reply(text_block("I look."), searches(), stop=StopReason.LENGTH), "and on")
    async with run(web):
        web.chat.hears("go")
        assert (await web.chat.said()).startswith("I look.")
        web.chat.hears("and?")
        await web.chat.said()
    assert ends(web.model.seen[-1], 2)[0] == replied(text_block("I look."))


# Beside calls of ours


async def test_beside_a_pending_search_results_stand_alone_and_messages_wait(web: Bench) -> None:
    call = uses("change")
    web.is_stuck, web.is_gate_open = False, True
    pause = Pause(reply(text_block("both"), searches(), call))
    web.model.says("lead", pause, reply(found(), text_block("done")), "and that")
    async with run(web):
        web.chat.hears("go")
        await pause.reached.wait()
        web.chat.hears("and that?")
        await web.chat.is_taken_in()
        pause.go_on.set()
        assert [await web.chat.said(), await web.chat.said()] == ["done", "and that"]
    results = ends(web.model.seen[1], 1)[0]
    assert [block["type"] for block in results.content] == ["tool_result"]


async def test_a_pending_search_is_answered_where_the_turn_reaches_its_limit(web: Bench) -> None:
    web.model.says("lead", reply(searches(), uses("read")), "as far as I got")
    async with run(web, **engine_options(turn=limits_with(iterations=1))):
        web.chat.hears("go")
        assert await web.chat.said() == "as far as I got"
    assert ends(web.model.seen[-1], 2) == [replied(unavailable()), said(told_last("the limit of 1 step is reached"))]


async def test_a_model_that_calls_the_web_like_a_tool_of_ours_is_told(web: Bench) -> None:
    web.model.says("lead", reply(uses("web_search", query="q")), "sorry")
    async with run(web):
        web.chat.hears("go")
        await web.chat.said()
    assert web.model.heard("lead") == [texts.WEB_IS_NOT_CALLED(tool="web_search")]


# Who may


@pytest.mark.parametrize(
    ("lead", "researcher", "shown"),
    [
        (WEB, WEB, set(WEB)),
        (WEB, ("web_fetch",), {"web_fetch"}),
        (("web_search",), WEB, {"web_search"}),
        ((), WEB, set()),
    ],
)
async def test_a_role_sees_only_web_tools_that_it_lists_and_the_lead_has(
    bench: Bench, lead: tuple[str, ...], researcher: tuple[str, ...], shown: set[str]
) -> None:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "read", *lead, delegates_to=("researcher",))
    bench.roles["researcher"] = role("researcher", "read", *researcher)
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", "found")
    async with run(bench):
        bench.chat.hears("go")
        await bench.chat.said()
    [asked] = bench.model.asked("researcher")
    assert {tool["name"] for tool in asked.prefix.tools if "type" in tool} == shown
    assert asked.server_tools == shown


async def test_once_switched_off_the_web_is_unused_even_by_a_turn_at_work(web: Bench) -> None:
    pause = Pause()
    web.model.says("lead", reply(uses("read")), pause)
    async with run(web):
        web.chat.hears("go")
        await pause.reached.wait()
        web.crashes()
    web.model.says("lead", "done", "a summary", "and on")
    async with web.run():
        assert await web.chat.said() == "done"
        web.chat.hears("and?")
        assert await web.chat.said() == "and on"
    before, _, after, summary, new = web.model.seen
    assert before.server_tools == set(WEB)
    assert after.prefix == summary.prefix == before.prefix
    assert {after.server_tools, summary.server_tools, new.server_tools} == {frozenset()}
    assert not any("type" in tool for tool in new.prefix.tools)
