"""What the stand-in for Telegram takes and refuses of files, with the real library."""

import json
from typing import Any

import pytest
from telegram import Bot, InputFile, InputMediaDocument, InputMediaPhoto, InputMediaVideo, MessageEntity
from telegram.error import BadRequest, NetworkError, RetryAfter

from tests.stand_ins.telegram import Clock, Room, TelegramStandIn
from tests.stand_ins.telegram.raw import call
from tests.support.outgoing import sha256
from tests.support.sample_media import animated_gif, jpeg, mp4, png

TEXT = b"a\r\n--b\r\n\r\nc\n"


async def test_a_document_keeps_its_hash_its_name_and_its_caption(bot: Bot, room: Room) -> None:
    bold = [MessageEntity("bold", 0, 4)]
    sent = await bot.send_document(7, InputFile(TEXT, "a b.txt"), caption="here", caption_entities=bold)
    (shown,) = room.answers()
    assert shown.upload
    assert (shown.upload.sha256, shown.upload.size, shown.upload.name) == (sha256(TEXT), len(TEXT), "a b.txt")
    assert sent.document
    assert (sent.document.file_name, sent.caption, sent.caption_entities) == ("a b.txt", "here", tuple(bold))


async def test_a_photo_has_its_sides(bot: Bot, room: Room) -> None:
    sent = await bot.send_photo(7, png(80, 60))
    assert [(each.width, each.height) for each in sent.photo] == [(80, 60)]


@pytest.mark.parametrize(
    ("method", "content", "shown_as"),
    [
        ("video", mp4(), {"video"}),
        ("video", TEXT, {"document"}),
        ("animation", animated_gif(), {"animation", "document"}),
        ("animation", mp4(), {"animation", "document"}),
        ("animation", png(8, 8), {"document"}),
        ("audio", mp4(b"M4A "), {"audio"}),
        ("audio", b"OggS\0\2", {"document"}),
    ],
)
async def test_a_file_of_another_kind_becomes_a_document(
    bot: Bot, room: Room, method: str, content: bytes, shown_as: set[str]
) -> None:
    await getattr(bot, f"send_{method}")(7, InputFile(content, "a"))
    assert set(room.answers()[0].media) == shown_as


async def test_photos_and_videos_may_be_mixed_in_an_album(bot: Bot, room: Room) -> None:
    await bot.send_media_group(7, [InputMediaPhoto(png(8, 8)), InputMediaVideo(mp4())])
    assert [set(each.media) for each in room.answers()] == [{"photo"}, {"video"}]


async def test_an_album_is_a_message_for_each_file(bot: Bot, room: Room, server: TelegramStandIn) -> None:
    media = [InputMediaPhoto(png(8, 8), caption="two"), InputMediaPhoto(jpeg(9, 9))]
    sent = await bot.send_media_group(7, media)
    assert [message.caption for message in sent] == ["two", None]
    assert len({message.media_group_id for message in sent}) == 1
    assert [message.id for message in room.answers()] == [message.message_id for message in sent]
    assert server.rates.most(60.0, 7) == 2


async def test_an_album_counts_as_its_files(bot: Bot, room: Room, clock: Clock) -> None:
    for _ in range(2):
        await bot.send_media_group(7, [InputMediaDocument(InputFile(b"x", "x", attach=True)) for _ in range(10)])
        clock.advance(15)
    with pytest.raises(RetryAfter):
        await bot.send_document(7, InputFile(b"x", "x"))


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (png(9_999, 2), "PHOTO_INVALID_DIMENSIONS"),
        (png(6_000, 4_001), "PHOTO_INVALID_DIMENSIONS"),
        (b"no picture", "IMAGE_PROCESS_FAILED"),
        (png(8, 8, padding=10 * 1024 * 1024), "too big"),
        (b"", "file must be non-empty"),
    ],
    ids=["too long", "too many pixels", "no picture", "too big", "empty"],
)
async def test_what_is_no_photo_is_refused(bot: Bot, room: Room, picture: bytes, reason: str) -> None:
    with pytest.raises(BadRequest, match=f"(?i){reason}"):  # the library changes the case
        await bot.send_photo(7, InputFile(picture, "a.png"))
    assert room.answers() == []


@pytest.mark.parametrize(
    ("method", "given", "reason"),
    [
        ("sendDocument", {}, "there is no document in the request"),
        ("sendDocument", {"document": "AgAD"}, "wrong file identifier/HTTP URL specified"),
        ("sendDocument", {"document": "attach://gone"}, "wrong file identifier/HTTP URL specified"),
        ("sendPhoto", {"photo": "x", "caption": "x" * 1_025}, "message caption is too long"),
        ("sendMediaGroup", {}, "expected an Array of InputMedia"),
        ("sendMediaGroup", {"media": [{"type": "photo"}]}, "wrong number of messages to send as an album"),
        ("sendMediaGroup", {"media": [{"type": "photo"}] * 11}, "wrong number of messages to send as an album"),
        ("sendMediaGroup", {"media": [{"type": "photo"}, {"type": "document"}]}, "document can't be mixed"),
        ("sendMediaGroup", {"media": [{"type": "video"}, {"type": "audio"}]}, "audio can't be mixed"),
        ("sendMediaGroup", {"media": [{"type": "animation"}] * 2}, "an album of {'animation'}"),
        ("sendVideo", {}, "there is no video in the request"),
        ("sendMediaGroup", {"media": [{"type": "photo", "media": "attach://a"}] * 2}, "wrong file identifier"),
        ("sendMediaGroup", {"media": [], "reply_markup": {"inline_keyboard": []}}, "reply_markup is unsupported"),
    ],
)
async def test_a_wrong_call_is_refused(
    server: TelegramStandIn, room: Room, method: str, given: dict[str, Any], reason: str
) -> None:
    answer = await call(server, method, chat_id=7, **given)
    assert answer.status == 400
    assert reason in json.loads(answer.body)["description"]


async def test_a_body_too_large_is_refused(bot: Bot, room: Room, server: TelegramStandIn) -> None:
    server.most_upload_bytes = 1_000
    with pytest.raises(NetworkError, match="Request Entity Too Large"):
        await bot.send_document(7, InputFile(bytes(2_000), "a"))
    assert room.answers() == []
