"""How strangers are let in, and how they are not."""

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core import phrases
from bot.core.access import Access
from bot.core.messages import Address, OutboundKind, PersonId, Sender
from bot.core.rights import EVERY_RIGHT, GUEST_RIGHTS, Right, Rights
from bot.core.texts import people, people_access
from bot.store import orders
from tests.support.bench import ACCESS, Bench

OWNER_AT = Address(channel="fake", chat="office")
GUARDED = {"fake": replace(ACCESS["fake"], owner_address=OWNER_AT, may_strangers_pair=True)}
CAN = {right: can() for right, can in people_access.RIGHTS.items()}
SAM, TOM = (Sender(id=PersonId(name), name=name) for name in ("Sam", "Tom"))
CODE = re.compile(r"[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}")


def knocks(bench: Bench, by: str = "Sam", **fields: Any) -> None:
    bench.chat.hears("let me in", by=by, chat=by.lower(), **fields)


async def asked(bench: Bench) -> tuple[str, str]:
    """What a stranger and the owner read of one request: the code, and the id of the question."""
    parts = {(part := await bench.chat.part()).message.address.chat: part for _ in range(2)}
    question = parts.pop("office")
    (to_stranger,) = parts.values()
    found = CODE.search(to_stranger.text)
    assert found
    assert found[0] in question.text
    assert question.message.kind is OutboundKind.QUESTION
    assert question.message.options == ("Let in", "Refuse")
    return found[0], question.message.id


async def test_a_stranger_gets_a_code_and_is_heard_once_the_owner_taps(bench: Bench) -> None:
    bench.model.says("lead", "Hello Sam")
    async with bench.run(access=GUARDED):
        knocks(bench)
        _, question = await asked(bench)
        bench.chat.taps(question, "1", by="Owner", chat="office")
        assert {await bench.chat.said(), await bench.chat.said()} == {
            phrases.guest_let_in_text(SAM, "fake", EVERY_RIGHT),
            people_access.WELCOME(),
        }
        bench.chat.hears("hello", by="Sam", chat="sam")
        assert await bench.chat.said() == "Hello Sam"
    assert bench.rows("SELECT text FROM inbox WHERE person = 'Sam'") == [("hello",)]
    assert bench.model.heard("lead") == ["Sam: hello"]


async def test_the_owner_may_write_the_code_or_reply_to_the_question(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        knocks(bench)
        code, _ = await asked(bench)
        bench.chat.hears("/pair", by="Owner", chat="office")
        assert await bench.chat.said() == people_access.PAIR_USAGE()
        bench.chat.hears(f"/pair {code.lower().replace('-', ' ')}", by="Owner", chat="office")
        assert {(await bench.chat.part()).message.address.chat for _ in range(2)} == {"sam", "office"}
        knocks(bench, by="Tom")
        _, question = await asked(bench)
        bench.chat.hears("who is that?", by="Owner", chat="office", reply_to=f"{question}:0")
        assert await bench.chat.said() == people_access.LET_IN_OR_NOT(person=phrases.format_name_and_id(TOM))
        bench.chat.hears("no", by="Owner", chat="office", reply_to=f"{question}:0")
        assert await bench.chat.said() == people_access.STAYS_OUTSIDE(person=phrases.format_name_and_id(TOM))
    assert bench.rows("SELECT person, granted_by FROM access") == [("Sam", "Owner")]


async def test_nobody_but_the_owner_lets_anybody_in(bench: Bench) -> None:
    bench.model.says("lead", "I cannot")
    async with bench.run(access=GUARDED):
        knocks(bench)
        code, question = await asked(bench)
        bench.chat.taps(question, "1", by="Ann", chat="office")
        assert await bench.chat.said() == people.NO_SUCH_QUESTION()
        bench.chat.hears(f"/pair {code}", by="Ann")
        assert await bench.chat.said() == people.COMMAND_USE(command="/pair", use=people.COMMANDS["/pair"]())
        bench.chat.taps(question, "1", by="Sam", chat="sam")
        bench.chat.hears("hello", by="Sam", chat="sam")
        await bench.chat.is_taken_in()
    assert bench.count("access") == 0
    assert bench.chat.sent.empty()


async def test_a_stranger_hears_one_line_an_hour_and_only_three_are_asked_about(bench: Bench) -> None:
    now = datetime.now(UTC)
    async with bench.run(access=GUARDED, now=lambda: now):
        for name in ("Sam", "Tom", "Una"):
            knocks(bench, name)
            await asked(bench)
        knocks(bench, "Sam")
        knocks(bench, "Vic")
        await bench.chat.is_taken_in()
        assert bench.chat.sent.empty()
        now += timedelta(hours=1, seconds=1)
        knocks(bench, "Vic")
        await asked(bench)


async def test_an_old_code_opens_nothing(bench: Bench) -> None:
    now = datetime.now(UTC)
    async with bench.run(access=GUARDED, now=lambda: now):
        knocks(bench)
        code, question = await asked(bench)
        now += timedelta(hours=1)
        bench.chat.hears(f"/pair {code}", by="Owner", chat="office")
        assert await bench.chat.said() == people_access.NO_REQUEST()
        bench.chat.taps(question, "1", by="Owner", chat="office")
        assert await bench.chat.said() == people.QUESTION_CLOSED()
    assert bench.count("access") == 0


async def test_the_operator_lets_in_and_sends_away_from_another_process(bench: Bench) -> None:
    path = bench.data / "bot.db"
    async with bench.run(access={"fake": Access(may_strangers_pair=True)}):
        knocks(bench)
        found = CODE.search(await bench.chat.said())
        assert found
        orders.write_order(path, "pair", datetime.now(UTC), code=found[0])
        assert await bench.chat.said() == people_access.WELCOME()
        revoking = orders.write_order(path, "revoke", datetime.now(UTC), person="Sam")
        while (said := orders.read_order_answer(path, revoking)) is None:
            await bench.chat.is_taken_in()
            await asyncio.sleep(0.01)
        assert said == (people_access.SENT_AWAY(person="Sam", channels="fake"), True)
        knocks(bench)  # and is told nothing more
        await bench.chat.is_taken_in()
    assert bench.chat.sent.empty()
    assert bench.count("turns") == 0


async def test_a_refused_person_waits_a_day_and_then_twice_as_long(bench: Bench) -> None:
    now = datetime.now(UTC)
    async with bench.run(access=GUARDED, now=lambda: now):
        for days in (1, 2, 4):
            knocks(bench)
            _, question = await asked(bench)
            bench.chat.taps(question, "2", by="Owner", chat="office")
            assert await bench.chat.said() == people_access.STAYS_OUTSIDE(person=phrases.format_name_and_id(SAM))
            now += timedelta(days=days) - timedelta(seconds=1)
            knocks(bench)
            await bench.chat.is_taken_in()
            assert bench.chat.sent.empty()
            now += timedelta(seconds=1)


async def test_the_owner_is_told_what_a_guest_may_do_before_the_tap(bench: Bench) -> None:
    access = {"fake": replace(GUARDED["fake"], others_rights=GUEST_RIGHTS)}
    async with bench.run(access=access):
        bench.chat.hears("let me in", by="Sam", chat="sam")
        parts = [(await bench.chat.part()).message for _ in range(2)]
        [question] = [each for each in parts if each.kind is OutboundKind.QUESTION]
        to_stranger = next(each.text for each in parts if each is not question)
        code = CODE.search(to_stranger)
        assert code
        assert question.text == phrases.pairing_question_text("fake", SAM, code[0], GUEST_RIGHTS)


async def test_no_name_is_more_than_a_name_when_it_is_repeated(bench: Bench) -> None:
    name = "[a](https://evil.example)"
    async with bench.run(access=GUARDED):
        knocks(bench, name)
        _, question = await asked(bench)
        bench.chat.taps(question, "1", by="Owner", chat="office")
        said = {await bench.chat.said(), await bench.chat.said()}
    assert phrases.guest_let_in_text(Sender(id=PersonId(name), name=name), "fake", EVERY_RIGHT) in said
    assert not [text for text in said if "a](" in text.replace(f"(id {name})", "")]


async def test_a_person_removed_and_let_in_again_has_a_guests_rights(bench: Bench) -> None:
    path = bench.data / "bot.db"
    async with bench.run(access=GUARDED):
        knocks(bench)
        code, _ = await asked(bench)
        bench.chat.hears(f"/pair {code}", by="Owner", chat="office")
        assert {(await bench.chat.part()).message.address.chat for _ in range(2)} == {"sam", "office"}
        bench.chat.hears("/people fake Sam take web", by="Owner", chat="office")
        await bench.chat.said()
        assert bench.rows("SELECT person FROM rights") == [("Sam",)]
        revoking = orders.write_order(path, "revoke", datetime.now(UTC), person="Sam")
        while orders.read_order_answer(path, revoking) is None:
            await bench.chat.is_taken_in()
            await asyncio.sleep(0.01)
    assert bench.rows("SELECT person FROM rights") == []


@pytest.mark.parametrize(
    ("rights", "things"),
    [
        (GUEST_RIGHTS, people.AND(items=CAN["talk"], last=CAN["web"])),
        (
            frozenset({Right.TALK, Right.WEB, Right.MEMORY}),
            people.AND(items=f"{CAN['talk']}, {CAN['web']}", last=CAN["memory"]),
        ),
        (frozenset({Right.TALK}), CAN["talk"]),
        (frozenset(), people_access.NO_RIGHTS()),
    ],
)
def test_a_guests_rights_are_told_in_a_sentence(rights: Rights, things: str) -> None:
    said = people_access.LET_IN(person=phrases.format_name_and_id(SAM), channel="fake", things=things)
    assert phrases.guest_let_in_text(SAM, "fake", rights) == said


def test_the_sentence_for_a_person_with_all_rights_names_none() -> None:
    said = people_access.LET_IN_FOR_ALL(person=phrases.format_name_and_id(SAM), channel="fake")
    assert phrases.guest_let_in_text(SAM, "fake", EVERY_RIGHT) == said
