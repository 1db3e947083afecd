"""A word alone that stops its sender's turn, in many languages."""

import pytest

from bot.core.messages import OutboundKind, PlatformId, Quote
from bot.core.stop_words import STOP_WORDS_BY_LANGUAGE, is_stop_word
from bot.core.texts import people
from bot.core.turn import TurnOutcome
from tests.engine.test_turn_messages import stopped_while_it_writes
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.troubles import wait_for_row

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


async def post_of_role(bench: Bench, role: str, kind: str = "update") -> PlatformId:
    """Return the platform's id of what a role has said."""
    await wait_for_row(bench, "outbox", f"role = '{role}' AND kind = '{kind}' AND state = 'sent'")
    sql = f"SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE role = '{role}' AND kind = '{kind}'"
    [(id,)] = bench.rows(sql)
    return PlatformId(id)


async def test_a_stop_word_in_reply_to_a_role_stops_that_role_alone(bench: Bench) -> None:
    researcher, analyst = Pause("found"), Pause("analysed")
    bench.model.says("lead", delegates("researcher", "analyst"), "done")
    bench.model.says("researcher", reply(uses("message", text="I look")), researcher)
    bench.model.says("analyst", analyst)
    async with bench.run():
        bench.chat.hears("go")
        await researcher.reached.wait()
        await analyst.reached.wait()
        bench.chat.hears("Stop!", reply_to=await post_of_role(bench, "researcher"))
        assert await bench.chat.said(OutboundKind.NOTICE) == people.ROLES_STOPPED(roles="Researcher")
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    assert bench.select("role, status", "turns", "depth = 1") == [
        ("researcher", TurnOutcome.CANCELLED),
        ("analyst", TurnOutcome.COMPLETED),
    ]


async def test_a_stop_word_in_reply_to_an_ended_role_stops_nobody_else(bench: Bench) -> None:
    analyst = Pause("analysed")
    bench.model.says("lead", delegates("researcher", "analyst"), "done")
    bench.model.says("researcher", reply(uses("message", text="I look")), "found")
    bench.model.says("analyst", analyst)
    async with bench.run():
        bench.chat.hears("go")
        await analyst.reached.wait()
        await wait_for_row(bench, "turns", "role = 'researcher' AND state = 'ended'")
        bench.chat.hears("stop", reply_to=await post_of_role(bench, "researcher"))
        assert await bench.chat.said(OutboundKind.NOTICE) == people.ROLE_NOT_AT_WORK(role="Researcher")
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    assert bench.count("turns", "depth = 1") == 2, "the ended role does not work again on that word"


async def test_a_stop_word_that_is_an_option_answers_a_role_by_a_reply(bench: Bench) -> None:
    bench.model.says("lead", delegates("analyst"), "done")
    bench.model.says("analyst", reply(uses("ask_person", question="Go or stop?", options=["Go", "Stop"])), "stopped")
    async with bench.run():
        bench.chat.hears("drive")
        await bench.chat.part(QUESTION)
        bench.chat.hears("stop", reply_to=await post_of_role(bench, "analyst", "question"))
        assert await bench.chat.said(REPLY) == "done"
    assert bench.model.heard("analyst") == ["Stop"]


def test_a_stop_word_is_the_whole_message() -> None:
    assert all(is_stop_word(word) for words_ in STOP_WORDS_BY_LANGUAGE.values() for word in words_)
    assert not any(map(is_stop_word, ["", "stop the music", "don't stop", "full stop here", "/stop"]))
