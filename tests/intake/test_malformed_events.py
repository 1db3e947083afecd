"""Events that nobody can read, through the whole bot: the good ones among them are answered, the bad ones kept."""

import re
from collections.abc import AsyncIterator

import pytest

from bot.core.texts import people
from bot.store import inbox
from tests.stand_ins.claude import Asked, Reply, reply
from tests.stand_ins.discord import Drop, Fault, Route
from tests.stand_ins.telegram import Malformed
from tests.support.bench import Bench
from tests.support.both_platforms import Chat, Together, together
from tests.support.troubles import listed

LIVE = (Drop.MALFORMED, Drop.BODY_IS_A_LIST, Drop.PAYLOAD_IS_A_LIST, Drop.NOT_JSON)
MISSED = (Fault.MALFORMED_ITEM, Fault.NOT_AN_OBJECT)
SPOILT = (
    Malformed.NO_CHAT,
    Malformed.WRONG_TYPES,
    Malformed.DATE_IN_WORDS,
    Malformed.ENTITY_WITHOUT_OFFSET,
    Malformed.NULL_MESSAGE,
    Malformed.NOT_AN_OBJECT,
)


def answering(asked: Asked) -> Reply:
    """Each good message gets an answer of its own."""
    return reply("\n".join(f"answer to {word}" for word in re.findall(r"good \w+", asked.turn_text)))


@pytest.fixture
async def both(bench: Bench) -> AsyncIterator[Together]:
    async with together(bench) as there:
        there.claude.script.rule(answering)
        yield there


async def goes_on(chat: Chat, count: int) -> None:
    """A good message is answered, no matter what came before it."""
    chat.ask(f"good {count}")
    await chat.has(f"answer to good {count}")


def answers(chat: Chat) -> list[str]:
    return [text for text in chat.said if text.startswith("answer")]


def told(chat: Chat, platform: str) -> int:
    """How often the owner was told of what was set aside."""
    return sum(text.startswith(people.SET_ASIDE(channel=platform, reason="").rstrip(" .")) for text in chat.shown())


async def test_six_on_telegram_are_set_aside_and_the_owner_is_told_once(both: Together, bench: Bench) -> None:
    room = both.in_room(both.room)
    async with both.run():
        await goes_on(room, 0)
        for count, kind in enumerate(SPOILT, 1):
            both.room.malformed(both.room.chat.person, kind)
            await goes_on(room, count)
    assert answers(room) == [f"answer to good {count}" for count in range(7)]
    assert told(room, "telegram") == 1
    assert len(listed(bench.data, inbox.list_messages_set_aside)) == 6
    assert "malformed" not in str([request.body for request in both.claude.requests])


async def test_six_on_discord_are_set_aside_and_the_owner_is_told_once(both: Together, bench: Bench) -> None:
    general, owner = both.in_channel(both.town.general), both.in_channel(both.town.ann.private())
    async with both.run():
        await goes_on(general, 0)
        for count, drop in enumerate(LIVE, 1):
            both.town.server.drops.at("MESSAGE_CREATE", drop)
            general.ask("nobody can read this")
            await goes_on(general, count)
    for count, fault in enumerate(MISSED, 5):  # one among those that came while nobody was there
        general.ask("nobody can read this")
        both.town.server.faults.on(Route.HISTORY, fault)
        async with both.run():
            await goes_on(general, count)
    assert answers(general) == [f"answer to good {count}" for count in range(7)]
    assert told(owner, "discord") == 1
    assert len(listed(bench.data, inbox.list_messages_set_aside)) == 6
    assert "nobody can read this" not in str([request.body for request in both.claude.requests])
