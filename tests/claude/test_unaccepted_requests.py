"""A request that the server does not accept: made again without what is optional; and a chat is never closed by it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import model
from bot.core.texts.people_model_faults import BEGIN_A_NEW_ONE
from bot.models.claude.optional_parts import OptionalRequestPart
from bot.tools.web import web_tools
from tests.stand_ins.claude import Asked, ClaudeStandIn, Harsh, ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import PROMPTED, Talk
from tests.support.engine_options import engine_options, limits_with

TOO_LONG = "prompt is too long: 9 > 8 maximum"  # the server's words

LOOKS = reply("I look.", ToolUse("read", {"path": "a"}))
WEB = frozenset({"web_search", "web_fetch"})
NEAR = engine_options(turn=limits_with(iterations=1))  # after the first step the harness has something to say
CHANGED = frozenset({Harsh.CHURN, Harsh.PREFIX, Harsh.CACHE_MISSED, Harsh.UNCACHED})
PRESENT: dict[OptionalRequestPart, Callable[[Asked], bool]] = {
    OptionalRequestPart.SUBSTITUTES: lambda asked: "fallbacks" in asked.body,
    OptionalRequestPart.REMINDERS: lambda asked: any(message["role"] == "system" for message in asked.messages),
    OptionalRequestPart.THINKING: lambda asked: bool(asked.thinking or asked.output_config),
    OptionalRequestPart.WEB: lambda asked: any("type" in tool for tool in asked.tools),
    OptionalRequestPart.MARKS: lambda asked: "cache_control" in str(asked.body),
}
NAMING = {
    OptionalRequestPart.SUBSTITUTES: "fallbacks: Extra inputs are not permitted",
    OptionalRequestPart.REMINDERS: "role 'system' is not supported on this model",
    OptionalRequestPart.THINKING: "adaptive thinking is not supported on this model",
    OptionalRequestPart.WEB: "Web search is not enabled for your organization. Contact your administrator.",
    OptionalRequestPart.MARKS: "cache_control: Extra inputs are not permitted",
}


def talk_with(server: ClaudeStandIn, folder: Path) -> Talk:
    lead = replace(PROMPTED[LEAD_ROLE_NAME], tools=frozenset(PROMPTED[LEAD_ROLE_NAME].tools or ()) | WEB)
    return Talk(Bench(folder), server, {**PROMPTED, LEAD_ROLE_NAME: lead})


def present(asked: Asked) -> set[OptionalRequestPart]:
    return {part for part, is_in in PRESENT.items() if is_in(asked)}


@pytest.mark.parametrize("is_named", [True, False], ids=["named", "not named"])
@pytest.mark.parametrize("part", OptionalRequestPart, ids=lambda part: part.name.lower())
async def test_a_server_that_refuses_an_optional_part_is_asked_without_it(
    tmp_path: Path, part: OptionalRequestPart, is_named: bool
) -> None:
    words = NAMING[part] if is_named else "messages: something is wrong with this request"
    server = ClaudeStandIn(lenient=CHANGED, refuses=lambda asked: words if part in present(asked) else "")
    async with server:
        talk = talk_with(server, tmp_path)
        server.script.each(LOOKS, "done")
        async with talk.run(**NEAR, tools=[*talk.bench.tools(), *web_tools()]):
            for text in ("one", "two", "three"):
                assert await talk.ask(text) == "done"
        refused = len(server.refused)
        if is_named:  # nothing else is left out, and nothing is refused twice
            assert refused == 1
            assert set[OptionalRequestPart]().union(*(present(one.asked) for one in server.requests)) == set(
                OptionalRequestPart
            ) - {part}
        assert present(server.requests[-1].asked) >= set(OptionalRequestPart) - {part} - {OptionalRequestPart.REMINDERS}
        if part is not OptionalRequestPart.REMINDERS:
            assert model.NEARLY_USED_UP in str(server.requests[-1].body)
        assert talk.spent() == talk.billed()


async def test_two_parts_that_are_refused_are_both_left_out(tmp_path: Path) -> None:
    gone = {OptionalRequestPart.THINKING, OptionalRequestPart.MARKS}
    server = ClaudeStandIn(lenient=CHANGED, refuses=lambda asked: "no" if gone & present(asked) else "")
    async with server:
        talk = talk_with(server, tmp_path)
        async with talk.run(tools=[*talk.bench.tools(), *web_tools()]):
            for text in ("one", "two", "three", "four"):
                assert (await talk.ask(text)).endswith(text)
        refused = len(server.refused)
        assert present(server.requests[-1].asked) == {OptionalRequestPart.SUBSTITUTES, OptionalRequestPart.WEB}
        assert refused <= 8


async def test_a_new_chapter_begins_after_two_refused_turns_in_a_row(tmp_path: Path) -> None:
    poison = ClaudeStandIn(
        lenient=CHANGED, refuses=lambda asked: "messages.3: something is wrong" if len(asked.said) > 2 else ""
    )
    async with poison as server:
        talk = talk_with(server, tmp_path)
        async with talk.run():
            assert (await talk.ask("I like tea")).endswith("I like tea")
            for text in ("one", "two"):
                told = await talk.ask(text)
                assert (f"“{text}”" in told, told.endswith(f"({BEGIN_A_NEW_ONE()}).")) == (True, True)
            assert (await talk.ask("three")).endswith("three")
        [begun] = server.requests[-1].asked.said
        assert model.END_WITHOUT_SUMMARY(end="").splitlines()[1] in str(begun)
        assert "Ann: I like tea" in str(begun)
    assert talk.bench.rows("SELECT chapter FROM chapters ORDER BY chapter") == [(1,), (2,)]


async def test_an_answer_between_two_that_were_refused_keeps_the_conversation(tmp_path: Path) -> None:
    server = ClaudeStandIn(lenient=CHANGED, refuses=lambda asked: "no" if "poison" in str(asked.said[-1]) else "")
    async with server:
        talk = talk_with(server, tmp_path)
        async with talk.run():
            for text in ("poison", "fine", "poison", "fine"):
                await talk.ask(text)
        assert len(server.requests[-1].asked.said) == 7


async def test_a_message_too_long_for_the_model_does_not_close_the_chat(tmp_path: Path) -> None:
    texts = ("one", "two", "three", "four")
    server = ClaudeStandIn(lenient=CHANGED, refuses=lambda asked: TOO_LONG if len(asked.messages) > 2 else "")
    async with server:
        talk = talk_with(server, tmp_path)
        async with talk.run():
            said = [await talk.ask(text) for text in texts]
        asked_anew = [f"“{text}”" in each and BEGIN_A_NEW_ONE() in each for each, text in zip(said, texts, strict=True)]
        assert asked_anew == [False, True, True, False]
        assert [str(refusal.message) for refusal in server.refused] == [TOO_LONG] * 2
