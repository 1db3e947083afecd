"""What a terminal shows besides the answer: what was said before, how to answer, what is being done, what it cost."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import TurnCost
from bot.core.model import ModelReply
from bot.core.phrases import describe_activity
from bot.core.texts import people
from channels.terminal import figures, people_texts
from tests.support.attached_terminals import bench, chat, home, running
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.terminals import IS_THERE, Home, Keyboard

__all__ = ["bench", "home"]

pytestmark = IS_THERE
CTRL_D = "\x04"
ASKS = reply(uses("ask_person", question="Which colour?", options=["red", "blue"]))


async def sees(keyboard: Keyboard, *texts: str) -> None:
    await asyncio.to_thread(keyboard.sees, *texts)


async def leaves(keyboard: Keyboard) -> str:
    keyboard.types(CTRL_D)
    assert await asyncio.to_thread(keyboard.leaves) == 0
    return keyboard.text


# What was said before


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("words", [(), ("--plain",)])
async def test_continue_shows_what_was_said_last(home: Home, bench: Bench, words: Sequence[str]) -> None:
    bench.model.says("lead", "It was one.", "It is **two**.", "And three.")
    async with running(bench):
        await chat(home, "--lines", stdin="first\nsecond\n")
        with home.screen("--continue", *words) as keyboard:
            await sees(keyboard, people_texts.EARLIER(), "second", "two", people_texts.END_OF_EARLIER())
            keyboard.types("third\r")
            await sees(keyboard, "And three.")
            text = await leaves(keyboard)
    assert "It was one." not in text
    assert text.count(people_texts.EARLIER()) == 1


async def test_a_new_conversation_shows_nothing_earlier(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "It was one.")
    async with running(bench):
        await chat(home, "-m", "first")
        with home.screen() as keyboard:
            await sees(keyboard, people_texts.HELP()[:20], ">")
            text = await leaves(keyboard)
        said = await chat(home, "--continue", "-m", "/status")
    assert people_texts.EARLIER() not in text
    assert people_texts.EARLIER() not in said.stdout + said.stderr


async def test_an_answer_that_is_still_to_be_shown_is_not_shown_as_earlier(home: Home, bench: Bench) -> None:
    pause = Pause("It is one.")
    bench.model.says("lead", pause)
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("first\r")
            await pause.reached.wait()
            await leaves(keyboard)
        with home.screen("--continue") as keyboard:
            await sees(keyboard, people_texts.EARLIER(), "first", people_texts.END_OF_EARLIER())
            pause.go_on.set()
            await sees(keyboard, people_texts.LEFT_OVER(), "It is one.")
            assert (await leaves(keyboard)).count("It is one.") == 1


# How to answer


async def test_a_question_says_how_it_is_answered(home: Home, bench: Bench) -> None:
    bench.model.says("lead", ASKS, reply(uses("ask_person", question="Which one?")), "Fine.")
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("go\r")
            await sees(keyboard, "2. blue", people_texts.CHOOSE(), people_texts.WAITS_FOR_ANSWER()[:20])
            keyboard.types("2\r")
            await sees(keyboard, "Which one?", people_texts.WRITE())
            keyboard.types("that\r")
            await sees(keyboard, "Fine.")
    assert bench.rows("SELECT answer FROM questions") == [("blue",), ("that",)]


async def test_without_a_screen_too_unless_nobody_can_answer(home: Home, bench: Bench) -> None:
    bench.model.says("lead", ASKS, "Fine.", ASKS, "Fine.")
    async with running(bench):
        asked = await chat(home, "--lines", stdin="go\n2\n")
        alone = await chat(home, "-m", "go")
    assert f"  2. blue\n{people_texts.CHOOSE()}\n" in asked.stderr
    assert "  2. blue\n" in alone.stderr
    assert people_texts.CHOOSE() not in alone.stderr


# What it cost


async def test_below_an_answer_stands_what_it_cost(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "One.")
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("go\r")
            await sees(
                keyboard,
                "One.",
                figures.format_cost_line(TurnCost(cost_micros=3_000, tokens=1_100, seconds=0.1), is_free=False),
            )


async def test_typed_lines_show_the_cost_too_and_a_pipe_does_not(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "One.", "Two.", "Three.")
    async with running(bench):
        with home.screen("--plain") as keyboard:
            keyboard.types("go\n")
            await sees(keyboard, "One.", "tokens")
            await leaves(keyboard)
        for said in (await chat(home, "-m", "go"), await chat(home, "--lines", stdin="go\n")):
            assert "tokens" not in said.stdout + said.stderr


def test_the_demo_is_free(home: Home) -> None:
    with home.screen() as keyboard:
        keyboard.sees(people_texts.HELP()[:20], ">")
        keyboard.types("thanks\r")
        keyboard.sees(people_texts.FREE())


@pytest.mark.parametrize(
    ("cost", "line"),
    [
        (TurnCost(cost_micros=12_345, tokens=12_345, seconds=8.2), "$0.0123 · 12.3 k tokens · 8 s"),
        (TurnCost(cost_micros=10_000, tokens=1, seconds=1, is_upper_bound=True), "at most $0.0100 · 1 token · 1 s"),
        (TurnCost(cost_micros=0, tokens=999, seconds=75), f"{people_texts.NO_PRICE()} · 999 tokens · 1:15 min"),
        (TurnCost(cost_micros=0, tokens=0, seconds=1), ""),
        (None, ""),
    ],
)
def test_the_line_of_a_cost(cost: TurnCost | None, line: str) -> None:
    assert figures.format_cost_line(cost, is_free=False) == line


async def test_the_json_has_the_tokens_and_the_words_beside_calls(home: Home, bench: Bench) -> None:
    looks = [reply(text_block(f"I look {count}."), uses("read")) for count in ("once", "twice")]
    bench.model.says("lead", *looks, "There.")
    async with running(bench):
        told = json.loads((await chat(home, "--json", "-m", "go")).stdout)
    assert (told["updates"], told["reply"]) == (["I look once.", "I look twice."], "There.")
    assert (told["tokens"], told["cost_usd"]) == (3_300, 0.009)


async def test_an_update_repeated_as_the_answer_is_no_update_in_json(home: Home, bench: Bench) -> None:
    bench.model.says("lead", reply(text_block("I look."), uses("read")), reply())
    async with running(bench):
        told = json.loads((await chat(home, "--json", "-m", "go")).stdout)
    assert (told["updates"], told["reply"]) == ([], "I look.")


@pytest.mark.parametrize(("last", "out"), [(reply(text_block("There.")), "I look.\nThere.\n"), (reply(), "I look.\n")])
async def test_one_message_prints_each_text_of_the_lead_once_on_stdout(
    home: Home, bench: Bench, last: ModelReply, out: str
) -> None:
    bench.model.says("lead", reply(text_block("I look."), uses("read")), last)
    async with running(bench):
        assert (await chat(home, "-m", "go")).stdout == out


# What is being done


async def test_a_turns_work_is_shown_while_it_lasts(home: Home, bench: Bench) -> None:
    found, answer = Pause("found"), Pause("There.")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", found)
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("go\r")
            await sees(keyboard, "… delegating to Researcher")
            found.go_on.set()
            await answer.reached.wait()
            drawn = len(keyboard.text)
            answer.go_on.set()
            await sees(keyboard, "There.")
            await leaves(keyboard)
    assert "delegating" not in keyboard.text[drawn:].partition("There.")[2]


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([], ""),
        ([("read_file", {"path": "README.md"})], "reading README.md"),
        ([("read_file", {"path": "a"}), ("read_file", {"path": "b"}), ("read_file", {"path": "a"})], "reading a, b"),
        ([("web_search", {"query": "trains to Rome"})], "searching the web: trains to Rome"),
        (
            [("delegate", {"role": "researcher"}), ("delegate", {"role": "analyst"})],
            "delegating to Researcher, Analyst",
        ),
        ([("grep", {}), ("teleport", {"to": "Rome"})], "using grep, teleport"),
        ([("ask_person", {"question": "Which?"})], ""),
        ([("read_file", {"path": "a\nb"})], "reading a b"),
    ],
)
def test_an_activity_is_said_by_the_calls_alone(calls: list[tuple[str, dict[str, Any]]], said: str) -> None:
    assert describe_activity(calls) == said


async def test_the_board_stays_while_roles_go_on_in_the_background(home: Home, bench: Bench) -> None:
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "Sunny.", "All is found.")
    bench.model.says("researcher", found)
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("go\r")
            await found.reached.wait()
            await sees(keyboard, "#1 Researcher")
            keyboard.types("how is the weather?\r")
            await sees(keyboard, "Sunny.", "#1 Researcher")
            found.go_on.set()
            await sees(keyboard, "All is found.")
            await leaves(keyboard)


async def test_the_leads_board_stays_when_a_role_that_worked_again_answers(home: Home, bench: Bench) -> None:
    found, colder, answer = Pause("found"), Pause("It is colder."), Pause("All is found.")
    bench.model.says("lead", delegates("researcher"), "Sunny.", delegates("analyst"), answer)
    bench.model.says("researcher", "dry", colder)
    bench.model.says("analyst", found)
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("how is the weather?\r")
            await sees(keyboard, "Sunny.", "tokens")
            keyboard.types("/tell 1 and in winter?\r")
            await colder.reached.wait()
            keyboard.types("look for more\r")
            await found.reached.wait()
            await sees(keyboard, "Analyst")
            found.go_on.set()
            await answer.reached.wait()
            await sees(keyboard, "✓")  # the analyst has ended
            colder.go_on.set()
            await sees(keyboard, "[Researcher]: It is colder.", "tokens")
            keyboard.types("/budget\r")
            await sees(keyboard, "/budget", "Analyst")  # the lines below the input line are drawn again
            answer.go_on.set()
            await sees(keyboard, "All is found.")
            await leaves(keyboard)


async def test_no_board_stays_after_the_late_reports(home: Home, bench: Bench) -> None:
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "Sunny.", "All is found.")
    bench.model.says("researcher", found)
    async with running(bench):
        with home.screen() as keyboard:
            await sees(keyboard, ">")
            keyboard.types("go\r")
            await found.reached.wait()
            await sees(keyboard, "#1 Researcher")
            keyboard.types("how is the weather?\r")
            await sees(keyboard, "Sunny.")
            await leaves(keyboard)
        with home.screen("--continue") as keyboard:
            await sees(keyboard, ">")
            found.go_on.set()
            await sees(keyboard, "All is found.")
            keyboard.types("/status\r")
            await sees(keyboard, people.NOTHING_AT_WORK(), "scripted")  # the lines below the input line are drawn again
            shown = await leaves(keyboard)
    assert "#1 Researcher" not in shown.partition(people.NOTHING_AT_WORK())[2]
