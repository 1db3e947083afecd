"""Who is notified of a question: the person whom it waits for, in servers by name, and nobody else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.messages import MessageId, OutboundKind, PersonId, PlatformId
from tests.stand_ins.discord import Channel, Fault, Permission, Person, Route
from tests.support.discord_channel import Town, at, message, parts, private, send
from tests.support.discord_talk import Talk
from tests.support.fakes import delegates, reply, uses

ASKS = uses("ask_person", question="Which?", options=["red", "blue"])


def question(text: str, of: Person, place: Channel, **fields: Any) -> Any:
    return message(text, at(place), OutboundKind.QUESTION, asked_person=PersonId(str(of.id)), **fields)


def rings(town: Town, place: Channel) -> dict[str, bool]:
    """By name: whether the last message there rings for that person."""
    return {person.name: person.sees(place)[-1].rings for person in (town.ann, town.bob)}


@pytest.mark.parametrize("role", [None, "researcher"])
@pytest.mark.parametrize("has_voices", [True, False])
@pytest.mark.parametrize("in_thread", [True, False])
async def test_a_question_in_a_server_rings_for_the_asked_person_alone(
    town: Town, role: str | None, *, has_voices: bool, in_thread: bool
) -> None:
    if has_voices:
        town.general.granted |= Permission.MANAGE_WEBHOOKS
    place = town.server.thread(town.general, "details") if in_thread else town.general
    text = f"Is {town.ann.mention} @everyone?"
    async with town.at_work() as channel:
        [id] = await send(channel, question(text, town.bob, place, role=role, options=("yes", "no")))
        label = "[Researcher]: " if role else ""
        author = "Researcher" if role and has_voices else "Retinue"
        whole = f"{label}{town.bob.mention} {text}\n\n1. yes\n2. no"
        assert town.server.heard_voices(place) == [(author, whole)]
        assert rings(town, place) == {"Ann": False, "Bob": True}
        [part] = parts(channel, question(f"{text}\n\n✅ yes", town.bob, place, role=role, revision=1))
        await channel.edit(PlatformId(id), part)
    assert [named for one in place.messages for named in one.mentions] == [town.bob]


async def test_a_question_without_its_label_begins_with_the_person(town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    since = datetime.now(UTC) - timedelta(seconds=5)
    async with town.at_work(role_label=False) as channel:
        asked = question("- this?", town.bob, town.general, role="researcher")
        [id] = await send(channel, asked)
        assert await channel.find_sent_part_id(parts(channel, asked)[0], since, ()) == id
    assert town.server.heard_voices(town.general) == [("Researcher", f"{town.bob.mention} \n- this?")]
    assert rings(town, town.general) == {"Ann": False, "Bob": True}


async def test_only_the_first_part_of_a_long_question_names_the_person(town: Town) -> None:
    async with town.at_work() as channel:
        await send(channel, question("word " * 1_000, town.bob, town.general, role="researcher"))
    texts = town.has_said()
    assert [text.startswith(f"[Researcher]: {town.bob.mention} word") for text in texts] == [True, False, False]
    assert [text.startswith("[Researcher]: word") for text in texts] == [False, True, True]
    assert max(map(len, texts)) <= 2_000


async def test_in_private_in_a_reply_and_where_it_is_quiet_a_question_names_nobody(town: Town) -> None:
    asked = town.ask("paint it", town.bob)
    id = MessageId(f"discord:{town.server.bot.id}:{town.general.id}:{asked.id}")
    async with town.at_work() as channel:
        await send(channel, question("Which?", town.bob, town.general, reply_to=id))
        assert rings(town, town.general) == {"Ann": False, "Bob": True}  # by the reply
        await send(channel, question("Which?", town.bob, town.general, is_quiet=True, id="t2/1/0"))
        assert rings(town, town.general) == {"Ann": False, "Bob": False}
        fields: Any = {"kind": OutboundKind.QUESTION, "asked_person": PersonId(str(town.bob.id)), "id": "t3/1/0"}
        await send(channel, message("Which?", private(town.bob), **fields))
    assert [*town.has_said(), *town.has_said(town.bob.private())] == ["Which?"] * 3


@pytest.mark.parametrize("role", [None, "researcher"])
async def test_who_asked_the_bot_is_the_one_who_is_notified(talk: Talk, town: Town, role: str | None) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    talk.bench.model.says("lead", *([delegates("researcher")] if role else [reply(ASKS)]), "so it is")
    talk.bench.model.says("researcher", reply(ASKS), "found")
    async with talk.run():
        await talk.connected()
        town.ask("paint it", town.bob)
        await talk.shown("Which?")
        [asked] = [one for one in town.bob.sees(town.general) if "Which?" in one.text]
        assert asked.text == f"{'[Researcher]: ' if role else ''}{town.bob.mention} Which?\n\n1. red\n2. blue"
        assert asked.rings
        assert [one.rings for one in town.ann.sees(town.general) if "Which?" in one.text] == [False]
        town.bob.tap(asked.message, asked.message.buttons[0]["custom_id"])
        await talk.sees(town.bob, town.general, "so it is")
    assert talk.bench.rows("SELECT answer FROM questions") == [("red",)]


async def test_a_bot_killed_while_a_role_asks_does_not_ask_twice(talk: Talk, town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    talk.bench.model.says("lead", delegates("researcher"), "so it is")
    talk.bench.model.says("researcher", reply(ASKS), "found")
    town.server.faults.on(Route.EXECUTE, Fault.BLACK_HOLE_AFTER)
    async with talk.run():
        await talk.connected()
        town.ask("paint it", town.bob)
        await town.server.until(lambda: town.server.to(Route.EXECUTE))
        talk.bench.crashes()
    async with talk.run():
        await talk.shown("Which?")
        [asked] = [one for one in town.bob.sees(town.general) if "Which?" in one.text]
        town.bob.say(town.general, "red", reply_to=asked.message)
        await talk.sees(town.bob, town.general, "so it is")
    assert len(town.server.to(Route.EXECUTE)) == 1
