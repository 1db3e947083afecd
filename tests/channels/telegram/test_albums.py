"""Albums: Telegram makes a message of each picture, and people mean them as one."""

from dataclasses import replace

import pytest

from bot.core.messages import InboundMessage
from channels.telegram.client import MAX_UPDATES_PER_POLL
from tests.stand_ins.telegram import Room, TelegramStandIn, document, photo
from tests.support.places.telegram import ANN, HASTY
from tests.support.telegram_channel import Ear, at_work, polls

PATIENT = replace(HASTY, next_album_part_wait_seconds=0.3)


@pytest.fixture
def group(server: TelegramStandIn) -> Room:
    server.world.reads_all = True
    return server.supergroup("Friends", server.person(ANN, "Ann"), server.person(8, "Ben"))


def messages(ear: Ear) -> list[InboundMessage]:
    return [event for batch in ear.batches for event in batch if isinstance(event, InboundMessage)]


def references(ear: Ear) -> list[str]:
    return [file.reference for message in messages(ear) for file in message.files]


async def test_every_caption_and_picture_of_an_album_is_in_one_batch(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    pictures = [photo(f"p{number}") for number in range(10)]
    room.album(room.chat.person, *pictures, captions=[f"picture {number}" for number in range(10)])
    async with at_work(server, ear):
        await ear.hears("picture 9")
    assert [len(batch) for batch in ear.batches] == [10]
    assert references(ear) == [f"p{number}" for number in range(10)]
    assert len({message.album for message in messages(ear)}) == 1


async def test_an_album_waits_for_its_rest_and_nobody_else_waits_for_it(
    server: TelegramStandIn, room: Room, ear: Ear
) -> None:
    ann, other = room.chat.person, server.private(server.person(8, "Ben"))
    async with at_work(server, ear, timing=PATIENT):
        room.say(ann, "one", media=photo("a"), group="13")
        other.say(other.chat.person, "meanwhile")
        await ear.hears("meanwhile")
        room.say(ann, "two", media=document("b.pdf"), group="13")
        await ear.hears("one", "two")
    assert ear.texts == ["meanwhile", "one", "two"]
    assert len(ear.batches[-1]) == 2


async def test_an_album_is_confirmed_only_when_it_is_durable(server: TelegramStandIn, room: Room, ear: Ear) -> None:
    ear.is_open.clear()
    room.album(room.chat.person, photo("a"), photo("b"), caption="look")
    async with at_work(server, ear):
        await ear.hears("look")
        asked = [call.parameters.get("offset") for call in polls(server)]
    assert asked == [None] * len(asked)
    ear.is_open.set()
    async with at_work(server, ear):
        await ear.until(lambda: len(ear.batches) == 2)
    assert [message.id for message in messages(ear)[2:]] == [message.id for message in messages(ear)[:2]]


async def test_in_a_group_an_album_is_whole_though_a_poll_ends_in_it(
    server: TelegramStandIn, group: Room, ear: Ear
) -> None:
    ann, ben = group.chat.people.values()
    for _ in range(MAX_UPDATES_PER_POLL - 1):
        group.say(ben, "chatter")
    group.album(ann, photo("a"), photo("b"), photo("c"), caption="@retinue_bot which is best?")
    async with at_work(server, ear):
        await ear.until(lambda: len(references(ear)) == 3)
    assert references(ear) == ["a", "b", "c"]


async def test_in_a_group_nobody_ends_the_wait_for_anothers_album(
    server: TelegramStandIn, group: Room, ear: Ear
) -> None:
    ann, ben = group.chat.people.values()
    async with at_work(server, ear, timing=PATIENT):
        before = len(polls(server))
        group.say(ann, "@retinue_bot look", media=photo("a"), group="13")
        group.say(ben, "@retinue_bot hi")
        await server.until(lambda: len(polls(server)) > before + 1)
        group.say(ann, media=photo("b"), group="13")
        await ear.hears("hi")
    assert references(ear) == ["a", "b"]
    assert len({message.album for message in messages(ear) if message.files}) == 1


@pytest.mark.parametrize("number", [0, 2])
async def test_in_a_group_the_whole_album_is_for_the_bot_if_one_caption_names_it(
    server: TelegramStandIn, group: Room, ear: Ear, number: int
) -> None:
    ann, ben = group.chat.people.values()
    captions = ["", "", ""]
    captions[number] = "@retinue_bot which is best?"
    group.album(ben, photo("x"), photo("y"), caption="our holiday")
    group.album(ann, photo("a"), photo("b"), photo("c"), captions=captions)
    async with at_work(server, ear):
        await ear.hears("which is best?")
    assert references(ear) == ["a", "b", "c"]


async def test_in_a_group_an_album_may_name_the_bot_in_its_last_batch(
    server: TelegramStandIn, group: Room, ear: Ear
) -> None:
    ann, _ = group.chat.people.values()
    async with at_work(server, ear, timing=PATIENT):
        before = len(polls(server))
        group.say(ann, media=photo("a"), group="13")
        await server.until(lambda: len(polls(server)) > before + 1)
        group.say(ann, "@retinue_bot look", media=photo("b"), group="13")
        await ear.hears("look")
    assert references(ear) == ["a", "b"]
