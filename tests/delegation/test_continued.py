"""`continue_from`: a delegation that has ended goes on, with all that it knew."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.content_blocks import content_text, text_block
from bot.core.messages import ChatMovedEvent, MessageId
from bot.core.model import ModelReply, StopReason
from bot.core.phrases import refusal_text_for_parent_turn
from bot.core.prices import Usage
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model
from bot.delegation import texts
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import delegations, heard, results, says, shown, still
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, failing, last_text, reply, role, uses

RESEARCHER = WORKERS[0]
MORE = {"task": "look again", "continue_from": "t1/2/0"}
AGAIN = model.NEXT_TASK(person="Ann", brief="look again")


def more(**arguments: Any) -> ModelReply:
    return reply(uses("delegate", **MORE | arguments))


async def begun(bench: Bench, *steps: Any, **settings: Any) -> None:
    """A delegation to the researcher that has ended, in a process that is gone."""
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", *(steps or ("found",)))
    async with bench.run(**engine_options(**settings), now=still):
        await says(bench, "go")


async def test_a_continued_delegation_keeps_its_transcript_over_a_restart(bench: Bench) -> None:
    await begun(bench, reply(uses("read")), "found")
    bench.model.says("researcher", "found more")
    [(result, is_error)] = await results(bench, uses("delegate", **MORE))
    assert (result.split("\n")[1], is_error) == ("[Researcher]: found more", False)
    *_, before, after = bench.model.asked("researcher")
    assert list(after.transcript[: len(before.transcript)]) == list(before.transcript)
    assert [content_text(entry.content) for entry in after.transcript[-2:]] == ["found", AGAIN]
    assert (after.prefix, after.chapter_name) == (before.prefix, before.chapter_name)
    assert delegations(bench, "id, session, role") == [
        ("t1/2/0", "t1/2/0", "researcher"),
        ("t2/6/0", "t1/2/0", "researcher"),
    ]


async def test_it_goes_on_as_it_was_after_its_role_file_has_changed_or_is_gone(bench: Bench) -> None:
    await begun(bench)
    bench.roles[RESEARCHER] = replace(bench.roles[RESEARCHER], prompt="another researcher")
    bench.model.says("researcher", "found more", "and more")
    await results(bench, uses("delegate", **MORE))
    del bench.roles[RESEARCHER]
    bench.model.says("lead", "a summary")  # it is told of one role less: a new chapter
    await results(bench, uses("delegate", **MORE))
    assert [request.prefix.system for request in bench.model.asked("researcher")] == ["researcher"] * 3
    assert bench.model.asked("another researcher") == []


async def test_a_continued_delegation_has_its_roles_limits_or_the_calls_figures(bench: Bench) -> None:
    await begun(bench)
    bench.roles[RESEARCHER] = role("researcher", limits=limits_with(iterations=5))
    bench.model.says("researcher", "found more", "and more")
    await results(bench, uses("delegate", **MORE))
    await results(bench, uses("delegate", **MORE, max_iterations=8))
    assert delegations(bench, "max_iterations") == [(20,), (5,), (8,)]


async def test_it_may_be_named_by_the_call_that_went_on_with_it_and_by_the_first(bench: Bench) -> None:
    await begun(bench)
    for number in ("t1/2/0", "t2/6/0", "t1/2/0"):
        bench.model.says("researcher", f"more than {number}")
        bench.model.says("lead", more(continue_from=number), "done")
        async with bench.run(now=still):
            await says(bench, "more")
    last = bench.model.asked("researcher")[-1].transcript
    assert [content_text(entry.content) for entry in last if entry.role == "assistant"] == [
        "found",
        "more than t1/2/0",
        "more than t2/6/0",
    ]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (failing, "(failed: the model is not there)"),
        (reply(stop=StopReason.REFUSAL), f"(failed: {refusal_text_for_parent_turn('')})"),
    ],
    ids=["failed", "refused"],
)
async def test_one_that_failed_can_go_on(bench: Bench, step: Any, said: str) -> None:
    await begun(bench, reply(uses("read")), step)
    bench.model.says("researcher", "found after all")
    [(result, _)] = await results(bench, uses("delegate", **MORE))
    assert result.endswith("[Researcher]: found after all")
    assert content_text(bench.model.asked("researcher")[-1].transcript[3].content).startswith(said)


async def test_one_that_was_stopped_can_go_on(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher"), "without it", more(), "with it")
    bench.model.says("researcher", pause, "found after all")
    async with bench.run(now=still):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/stop researcher")
        await bench.chat.said()
        assert await bench.chat.said() == "without it"
        assert await says(bench, "do go on") == "with it"
    assert bench.model.heard("lead") == ["found after all"]


# Its tools


async def test_it_has_the_tools_that_it_had_and_that_its_parent_has_now(bench: Bench) -> None:
    await begun(bench)
    bench.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "read", delegates_to=("researcher",))
    bench.roles[RESEARCHER] = role("researcher", "read", "change", "ask_person")
    bench.model.says("researcher", reply(uses("change"), uses("read")), "found more")
    bench.model.says("lead", "a summary")  # its tools have changed: a new chapter
    await results(bench, uses("delegate", **MORE))
    assert heard(bench, "researcher") == [
        (model.NO_SUCH_TOOL(role="researcher", tool="change", tools="message, read"), True),
        ("read", False),
    ]
    # the prefix stays, and so the cache
    assert shown(bench, "researcher") == ["ask_person", "change", "message", "read"]
    assert bench.changed == []


async def test_it_gets_no_tool_that_it_had_not(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read")
    await begun(bench)
    bench.roles[RESEARCHER] = role("researcher", "read", "change")
    bench.model.says("researcher", reply(uses("change")), "found more")
    await results(bench, uses("delegate", **MORE))
    assert heard(bench, "researcher") == [
        (model.NO_SUCH_TOOL(role="researcher", tool="change", tools="message, read"), True)
    ]


@pytest.mark.parametrize(("tools", "has"), [([], "message"), (["read"], "message, read")], ids=["none", "one"])
async def test_the_call_may_narrow_its_tools(bench: Bench, tools: list[str], has: str) -> None:
    await begun(bench)
    bench.model.says("researcher", reply(uses("change")), "found more")
    await results(bench, uses("delegate", **MORE, tools=tools))
    assert heard(bench, "researcher") == [(model.NO_SUCH_TOOL(role="researcher", tool="change", tools=has), True)]


async def test_the_call_may_not_widen_them(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read")
    await begun(bench)
    heard = await results(bench, uses("delegate", **MORE, tools=["change"]))
    assert heard == [(texts.TOOLS_NOT_HELD(role="researcher", tools="change", held="message, read"), True)]


# What cannot go on


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"continue_from": "t1"}, texts.UNKNOWN_ID(delegation="t1", known="t1/2/0 (Researcher, completed)")),
        ({"continue_from": "t1/2/9"}, texts.UNKNOWN_ID(delegation="t1/2/9", known="t1/2/0 (Researcher, completed)")),
        ({"role": "analyst"}, texts.IS_ANOTHER_ROLES(delegation="t1/2/0", role="researcher")),
    ],
)
async def test_an_impossible_continuation_is_an_error(bench: Bench, arguments: dict[str, str], error: str) -> None:
    await begun(bench)
    [(said, is_error)] = await results(bench, uses("delegate", **MORE | arguments))
    assert (said.startswith(error), is_error) == (True, True)


async def test_its_role_may_be_named_in_any_case(bench: Bench) -> None:
    await begun(bench)
    bench.model.says("researcher", "found more")
    [(_, is_error)] = await results(bench, uses("delegate", **MORE, role=" RESEARCHER "))
    assert not is_error


async def test_one_that_is_at_work_cannot_go_on(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "begun", more(), "not yet", "found")
    bench.model.says("researcher", pause)
    async with bench.run(now=still):
        assert await says(bench, "go") == "begun"
        assert await says(bench, "more") == "not yet"
        pause.go_on.set()
        assert await bench.chat.said() == "found"
    [(error, is_error)] = [
        (block["content"], block.get("is_error"))
        for entry in bench.model.asked("lead")[-2].transcript[-1:]
        for block in entry.content
    ]
    assert (error, is_error) == (model.DELEGATION_AT_WORK(delegation="t1/2/0"), True)


async def test_of_two_calls_that_go_on_with_the_same_one_the_second_is_an_error(bench: Bench) -> None:
    await begun(bench)
    bench.model.says("researcher", "found more")
    first, second = await results(bench, uses("delegate", **MORE), uses("delegate", **MORE))
    assert first[0].endswith("[Researcher]: found more")
    assert second == (model.DELEGATION_AT_WORK(delegation="t2/6/0"), True)


async def test_one_of_another_chat_or_conversation_is_unknown(bench: Bench) -> None:
    await begun(bench)
    bench.model.says("lead", more(), "nothing here", more(), "nor here")
    async with bench.run(now=still):
        await says(bench, "go on", chat="another")
        unknown = (texts.UNKNOWN_ID_OF_NONE(delegation="t1/2/0"), True)
        assert heard(bench) == [unknown]
        bench.chat.hears("/new")
        await bench.chat.said()
        await says(bench, "go on")
        assert heard(bench) == [unknown]


# Its chapter


async def test_somebody_else_who_has_it_go_on_is_named(bench: Bench) -> None:
    await begun(bench)
    bench.model.says("researcher", "found more")
    bench.model.says("lead", more(), "done")
    async with bench.run(now=still):
        bench.chat.hears("more", by="Bob")
        await bench.chat.said()
    assert last_text(bench.model.asked("researcher")[-1]) == model.NEXT_TASK(person="Bob", brief="look again")


async def test_an_overlong_chapter_is_summarised_first_and_keeps_its_task(bench: Bench) -> None:
    small = engine_options(model__roles="some/local-model", model__context_tokens=8_000)
    long = reply(text_block("a long report"), usage=Usage(input=5_500, output=200))
    bench.model.says("lead", delegates("researcher"), "found", more(context="in the cellar"), "found more")
    bench.model.says("researcher", long, "the gist of it", "found more")
    async with bench.run(**small, now=still):
        await says(bench, "go")
        assert await says(bench, "more") == "found more"
    first, summary, after = bench.model.asked("researcher")
    assert last_text(summary) == model.SUMMARISE
    assert after.prefix == first.prefix
    [entry] = after.transcript
    assert [block["text"] for block in entry.content][1:] == [
        model.SUMMARY(summary="the gist of it"),
        "<context>\nin the cellar\n</context>\n\nlook again",
    ]


async def test_a_continuation_without_a_summary_begins_with_the_last_words(bench: Bench) -> None:
    small = engine_options(model__roles="some/local-model", model__context_tokens=8_000)
    long = reply(text_block("a long report"), usage=Usage(input=5_500, output=200))
    bench.model.says("lead", delegates("researcher"), "found", more(), "found more")
    bench.model.says("researcher", long, failing, "found more")
    async with bench.run(**small, now=still):
        await says(bench, "go")
        assert await says(bench, "more") == "found more"
    after = bench.model.asked("researcher")[-1]
    texts = [block["text"] for block in after.transcript[0].content]
    assert "assistant: a long report" in texts[1]
    assert (texts[2], after.prefix.system) == ("look again", "researcher")


async def test_a_delegation_can_go_on_in_the_foreground_or_the_background(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", background=True), "begun", "found")
    bench.model.says("researcher", "found", "found more", "all is found")
    async with bench.run(now=still):
        assert await says(bench, "go") == "begun"
        assert await bench.chat.said() == "found"
        bench.model.says("lead", more(), "more")
        assert await says(bench, "more") == "more"
        bench.model.says("lead", more(background=True), "begun again", "all is here")
        assert await says(bench, "all") == "begun again"
        assert await bench.chat.said() == "all is here"
    assert {session for (session,) in delegations(bench, "session")} == {"t1/2/0"}
    assert bench.model.heard("lead")[-1] == "report on “look again”\nall is found"


async def test_a_chat_that_has_moved_still_knows_what_was_done_in_its_background(bench: Bench) -> None:
    lead = bench.roles[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=frozenset({*(lead.tools or ()), "get_delegation"}))
    bench.model.says("lead", delegates("researcher", background=True), "begun", "it is found")
    bench.model.says("researcher", "found")
    async with bench.run(now=still):
        await says(bench, "go")
        assert await bench.chat.said() == "it is found"
        bench.chat.hears("/new")
        await bench.chat.said()
        bench.chat.incoming.put_nowait(ChatMovedEvent(id=MessageId("moved"), channel="fake", old="room", new="hall"))
        bench.model.says("lead", reply(uses("get_delegation", id="t1/2/0")), "there it is")
        assert await says(bench, "what was it?", chat="hall") == "there it is"
    [(result, is_error)] = heard(bench)
    assert (result.endswith("found"), is_error) == (True, False)
