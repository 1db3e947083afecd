"""A word alone that stops its sender's turn, in many languages."""

import pytest

from bot.core.messages import OutboundKind, Quote
from bot.core.stop_words import STOP_WORDS_BY_LANGUAGE, is_stop_word
from bot.core.turn import TurnOutcome
from tests.engine.test_turn_messages import stopped_while_it_writes
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, uses

REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION


@pytest.mark.parametrize("word", ["stop", "Stop!", "STOPP", "halt.", "arrête", "стоп", "停", "Please stop"])
async def test_a_stop_word_stops_its_persons_turn(bench: Bench, word: str) -> None:
    async with bench.run():
        await stopped_while_it_writes(bench, word)
        await bench.chat.part(REPLY)
    assert bench.select("status", "turns") == [(TurnOutcome.CANCELLED,)]


async def test_a_stop_word_with_nothing_at_work_is_a_message(bench: Bench) -> None:
    bench.model.says("lead", "Stop what?")
    async with bench.run():
        bench.chat.hears("stop")
        assert await bench.chat.said(REPLY) == "Stop what?"


async def test_a_stop_word_by_somebody_else_is_a_message(bench: Bench) -> None:
    pause = Pause("to Ann")
    bench.model.says("lead", pause, "to Bob")
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("stop", by="Bob")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Ann", "to Bob"]


async def test_a_stop_word_that_is_an_option_answers(bench: Bench) -> None:
    asks = reply(uses("ask_person", question="Go or stop?", options=["Go", "Stop"]))
    bench.model.says("lead", asks, "stopped the engine")
    async with bench.run():
        bench.chat.hears("drive")
        await bench.chat.said(QUESTION)
        bench.chat.hears("stop")
        assert await bench.chat.said(REPLY) == "stopped the engine"


async def test_a_stop_word_that_is_no_option_of_an_open_question_stops(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="Which?", options=["red", "blue"])))
    async with bench.run():
        bench.chat.hears("paint")
        await bench.chat.said(QUESTION)
        bench.chat.hears("stop")
        await bench.chat.said(REPLY)
    assert bench.select("status", "turns") == [(TurnOutcome.CANCELLED,)]


@pytest.mark.parametrize(("is_forwarded", "stops"), [(False, True), (True, False)])
async def test_a_stop_word_may_reply_to_something_and_may_not_be_forwarded(
    bench: Bench, is_forwarded: bool, stops: bool
) -> None:
    pause = Pause("done")
    bench.model.says("lead", pause, "and then")
    quotes = (Quote(author="the bot", text="I am looking", is_forwarded=is_forwarded),)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("stop", quotes=quotes)
        await bench.chat.is_taken_in()
        pause.go_on.set()
        await bench.chat.part(REPLY)
    assert (bench.select("status", "turns", "id = 't1'") == [(TurnOutcome.CANCELLED,)]) == stops


def test_a_stop_word_is_the_whole_message() -> None:
    assert all(is_stop_word(word) for words_ in STOP_WORDS_BY_LANGUAGE.values() for word in words_)
    assert not any(map(is_stop_word, ["", "stop the music", "don't stop", "full stop here", "/stop"]))
