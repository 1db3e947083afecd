"""One bot on Telegram and Discord at once, over sockets to the last: who asks is answered there, and nowhere else."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import permutations

import pytest

from tests.support.bench import Bench
from tests.support.both_platforms import BEN, ROLES, Chat, Delegating, Together, answer, together
from tests.support.patience import PATIENCE


@pytest.fixture
async def both(bench: Bench) -> AsyncIterator[Together]:
    async with together(bench) as there:
        yield there


async def all_at_work(both: Together, chats: Sequence[Chat]) -> None:
    """Wait until every chat has both its roles at the model, and none is answered."""
    async with asyncio.timeout(PATIENCE):
        await both.claude.until(lambda: all(both.asked_for(chat, role) for chat in chats for role in ROLES))
    assert len(both.claude.answering) == len(chats) * len(ROLES)


def at_the_same_time(both: Together, chat: Chat) -> bool:
    """Whether by the model's record each role began before the other's reply was over."""
    one, other = (both.asked_for(chat, role)[0] for role in ROLES)
    assert one.ended
    assert other.ended
    return one.arrived < other.ended and other.arrived < one.ended


def updates_of(chat: Chat) -> list[str]:
    return [f"[{role.title()}]: news for «{chat.name}»" for role in ROLES]


def nothing_crosses(both: Together, chats: Sequence[Chat]) -> None:
    """What is said in a chat, and what the model is shown for it, names no other one."""
    for chat, other in permutations(chats, 2):
        mine = [each for role in ("lead", *ROLES) for each in both.asked_for(chat, role)]
        seen = json.dumps([*(each.body["messages"] for each in mine), *chat.shown()], ensure_ascii=False)
        assert f"«{chat.name}»" in seen
        assert f"«{other.name}»" not in seen
        assert f"Chat: {other.name}." not in seen
    assert len(both.claude.requests) == len(chats) * 6, "two of the lead, and two of each role"


async def test_on_both_at_once_two_roles_are_at_work_and_each_chat_sees_its_own(both: Together) -> None:
    script = Delegating()
    both.claude.script.rule(script)
    room, channel = both.in_room(both.room), both.in_channel(both.town.general)
    bystanders = [
        both.in_room(both.telegram.private(both.telegram.person(BEN, "Ben")), by=BEN),
        both.in_channel(both.town.ann.private()),
    ]
    async with both.run():
        room.ask("what is the moon made of?")
        channel.ask("how deep is the sea?")
        await all_at_work(both, [room, channel])
        script.go_on.set()
        for chat in (room, channel):
            *updates, last = await chat.has(answer(chat.name))
            assert (sorted(updates), last) == (updates_of(chat), answer(chat.name))
            assert at_the_same_time(both, chat)
    nothing_crosses(both, [room, channel])
    assert "the moon" not in json.dumps(both.asked_for(channel, "lead")[-1].body)
    assert [chat.shown() for chat in bystanders] == [[], []]
    both.verify()


async def test_the_same_question_in_six_chats_at_once_crosses_nowhere(both: Together) -> None:
    script = Delegating()
    both.claude.script.rule(script)
    ben = both.telegram.person(BEN, "Ben")
    friends = both.telegram.supergroup("Friends", *both.room.chat.people.values(), ben)
    chats = [
        both.in_room(both.room),
        both.in_room(both.telegram.private(ben), by=BEN),
        both.in_room(friends, by=BEN, mention="@retinue_bot "),
        both.in_channel(both.town.general),
        both.in_channel(both.town.server.thread(both.town.general, "details")),
        both.in_channel(both.town.ann.private()),
    ]
    async with both.run():
        for chat in chats:
            chat.ask("what is it?")
        await all_at_work(both, chats)
        script.go_on.set()
        for chat in chats:
            *updates, last = await chat.has(answer(chat.name))
            assert (sorted(updates), last) == (updates_of(chat), answer(chat.name))
    nothing_crosses(both, chats)
    both.verify()
