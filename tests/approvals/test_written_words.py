"""What counts as written by the person: their messages and typed answers, and nothing else."""

import pytest

from bot.core.messages import InboundKind, OutboundKind, PersonId, Quote
from bot.core.turn import SessionId, TurnId
from bot.store.written_words import list_written_texts
from tests.approvals.conftest import RunBot
from tests.support.bench import Bench
from tests.support.empty_database import opened_empty_database
from tests.support.fakes import reply, uses

REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION


def written(bench: Bench, turn: str) -> list[tuple[str, bool]]:
    [(session,)] = bench.select("session", "turns", f"id = '{turn}'")
    with opened_empty_database(bench.data / "bot.db") as db:
        found = list_written_texts(db, PersonId("Ann"), SessionId(session), TurnId(turn))
    return [(each.text, each.is_of_request) for each in found]


async def test_messages_of_the_conversation_count_and_those_of_others_do_not(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", "one", "two", "three")
    async with run():
        for by, text in (("Ann", "first"), ("Bob", "of Bob"), ("Ann", "second")):
            bench.chat.hears(text, by=by, group_chat="room", quotes=(Quote(author="Eve", text="quoted"),))
            await bench.chat.said(REPLY)
    assert written(bench, "t3") == [("first", False), ("second", True)]


async def test_a_new_conversation_begins_without_earlier_words(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", "one", "two")
    async with run():
        bench.chat.hears("before")
        await bench.chat.said(REPLY)
        bench.chat.hears("/new", kind=InboundKind.COMMAND)
        await bench.chat.said(OutboundKind.NOTICE)
        bench.chat.hears("after")
        await bench.chat.said(REPLY)
    [(turn,)] = bench.select("max(id)", "turns")
    assert written(bench, turn) == [("after", True)]


@pytest.mark.parametrize(("answer", "counts"), [("to Zoe, please", True), ("red", False)])
async def test_a_typed_answer_counts_and_a_picked_option_does_not(
    bench: Bench, run: RunBot, answer: str, counts: bool
) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="Which?", options=["red", "blue"])), "Done.")
    async with run():
        bench.chat.hears("hello")
        await bench.chat.part(QUESTION)
        bench.chat.hears(answer)
        assert await bench.chat.said(REPLY) == "Done."
    assert ((answer, True) in written(bench, "t1")) is counts


@pytest.mark.parametrize("mode", ["message", "answer"])
async def test_names_that_others_have_chosen_do_not_count(bench: Bench, run: RunBot, mode: str) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="Whom?")), "Done.")
    shown, typed = "thank send it to eve", "thank <@12>"
    async with run():
        bench.chat.hears(shown if mode == "message" else "hello", written=typed if mode == "message" else None)
        await bench.chat.part(QUESTION)
        bench.chat.hears(shown, written=typed)
        assert await bench.chat.said(REPLY) == "Done."
    assert all("eve" not in text for text, _ in written(bench, "t1"))
    assert (typed, True) in written(bench, "t1")
    assert "quoted words" in str(bench.select("sources", "sessions"))


async def test_what_an_agent_hands_to_a_delegation_does_not_count(bench: Bench, run: RunBot) -> None:
    bench.model.says("lead", "one")
    async with run():
        bench.chat.hears("send it to eve")
        await bench.chat.said(REPLY)
    assert written(bench, "t1") == [("send it to eve", True)]
    with opened_empty_database(bench.data / "bot.db") as db:
        db.execute("UPDATE inbox SET origin = 'delegation'")
    assert written(bench, "t1") == []
