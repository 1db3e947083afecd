"""Files that people send: the stand-in names and sends them as the platform does."""

import pytest
from telegram import Bot
from telegram.error import TelegramError

from tests.stand_ins.clock import Clock
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.telegram import Room, TelegramStandIn, animation, document, live_photo, photo, rich, venue
from tests.stand_ins.telegram.media import checklist, contact, dice, location, poll


async def test_a_file_that_is_held_can_be_fetched_with_its_size(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    room.say(room.chat.person, "look", media=server.holding(photo("cat"), b"a cat"))
    (update,) = await bot.get_updates()
    assert update.message is not None
    *_, largest = update.message.photo
    assert (largest.file_size, update.message.caption) == (5, "look")
    file = await bot.get_file(largest.file_id)
    assert await file.download_as_bytearray() == b"a cat"


async def test_the_path_of_a_file_is_good_for_an_hour(server: TelegramStandIn, bot: Bot, clock: Clock) -> None:
    server.holding(document("a.pdf"), b"pages")
    file = await bot.get_file("document-a.pdf")
    clock.advance(3_601)
    with pytest.raises(TelegramError, match="Not Found"):
        await file.download_as_bytearray()
    again = await bot.get_file("document-a.pdf")
    assert await again.download_as_bytearray() == b"pages"


@pytest.mark.parametrize("fault", [DownloadFault.GONE, DownloadFault.DOWN, DownloadFault.BUSY, DownloadFault.CUT])
async def test_a_download_can_fail(server: TelegramStandIn, bot: Bot, fault: DownloadFault) -> None:
    server.holding(document("a.pdf"), bytes(1_000_000))
    file = await bot.get_file("document-a.pdf")
    server.downloads.next(fault, None)
    with pytest.raises(TelegramError):
        await file.download_as_bytearray()
    assert len(await file.download_as_bytearray()) == 1_000_000


async def test_the_library_reads_every_kind_of_media(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    kinds = [animation(), live_photo(), venue(), location(live_period=60), contact(), dice()]
    kinds += [poll("Tea?", "yes", "no"), checklist("Buy", "milk")]
    for media in kinds:
        room.say(room.chat.person, media=media)
    heard = [update.message for update in await bot.get_updates()]
    assert [bool(getattr(found, next(iter(media)))) for found, media in zip(heard, kinds, strict=True)] == [True] * 8
    assert [found.text for found in heard if found] == [None] * 8


async def test_a_rich_message_has_no_text_beside_its_blocks(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    room.say(room.chat.person, media=rich({"type": "paragraph", "text": "hello"}))
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.text is None
    assert update.message.api_kwargs["rich_message"]["blocks"][0]["text"] == "hello"
