"""Files that the bot sends, at the stand-in with the real library."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import DeliveryDelayed, DeliveryError
from bot.core.messages import MessageId, OutboundId, OutboundKind, OutboundMessage, PlatformId, RoleName
from channels import outgoing as outgoing_rules
from channels.pacing import RateLimit
from channels.telegram.channel import Telegram
from tests.stand_ins.telegram import Fault, Room, TelegramStandIn
from tests.stand_ins.telegram.people import BOT_ID
from tests.support.outgoing import file_parts, outgoing, sha256
from tests.support.places.telegram import ANN, HASTY, UNPACED, address
from tests.support.sample_media import animated_gif, gif, jpeg, mp4, png
from tests.support.wording import REPEAT_MARK

TEXT = b"one\ntwo\n"


@pytest.fixture
async def telegram(server: TelegramStandIn) -> AsyncIterator[Telegram]:
    async with Telegram(server.token, server.base_url, timing=HASTY, rates=UNPACED) as made:
        await asyncio.sleep(2 * UNPACED.all_calls_limit.window_seconds)  # it begins with a pause
        yield made


def message(folder: Path, files: dict[str, bytes], text: str = "", **fields: Any) -> OutboundMessage:
    sent = tuple(outgoing(folder, name, content) for name, content in files.items())
    usual: dict[str, Any] = {"id": OutboundId("t1/2/0"), "address": address(ANN), "kind": OutboundKind.UPDATE}
    return OutboundMessage(**{**usual, "text": text, "files": sent, **fields})


async def send(
    telegram: Telegram, said: OutboundMessage, folder: Path, *, may_repeat: bool = False
) -> list[PlatformId]:
    parts = file_parts(telegram, said, folder)
    return [await telegram.send(replace(part, may_be_shown_already=may_repeat)) for part in parts]


def hashes(room: Room) -> list[str]:
    return [shown.upload.sha256 for shown in room.answers() if shown.upload]


async def test_a_document_arrives_byte_for_byte_with_its_name(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    [id] = await send(telegram, message(tmp_path, {"notes ü.txt": TEXT}, "**Here**"), tmp_path)
    (shown,) = room.answers()
    assert (hashes(room), id) == ([sha256(TEXT)], str(shown.id))
    assert shown.media["document"]["file_name"] == "notes ü.txt"
    assert (shown.text, shown.entities) == ("Here", [{"type": "bold", "offset": 0, "length": 4}])


async def test_a_picture_goes_as_a_photo(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    await send(telegram, message(tmp_path, {"chart.png": png(80, 60)}), tmp_path)
    assert "photo" in room.answers()[0].media


@pytest.mark.parametrize(
    ("name", "content", "shown_as"),
    [
        ("clip.mp4", mp4(), "video"),
        ("clip.bin", mp4(), "video"),
        ("clip.mov", mp4(b"qt  "), "document"),
        ("moves.gif", animated_gif(), "animation"),
        ("still.gif", gif(), "document"),
        ("song.mp3", b"ID3\4\0\0", "audio"),
        ("song.m4a", mp4(b"M4A "), "audio"),
        ("voice.ogg", b"OggS\0\2", "document"),
        ("named.mp4", b"only words", "document"),
    ],
)
async def test_a_file_is_shown_as_what_it_is(
    telegram: Telegram, room: Room, tmp_path: Path, name: str, content: bytes, shown_as: str
) -> None:
    await send(telegram, message(tmp_path, {name: content}, "Here"), tmp_path)
    (shown,) = room.answers()
    assert (next(iter(shown.media)), shown.text, hashes(room)) == (shown_as, "Here", [sha256(content)])


async def test_videos_share_an_album_with_photos_and_no_other(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    files = {
        **{"a.txt": TEXT, "b.gif": animated_gif(), "c.mp4": mp4(), "d.mp3": b"ID3\4\0\1", "e.png": png(8, 8)},
        **{"f.gif": animated_gif(3), "g.mp3": b"ID3\4\0\0"},
    }
    ids = await send(telegram, message(tmp_path, files, "Seven"), tmp_path)
    shown = room.answers()
    assert [next(iter(each.media)) for each in shown] == [
        *("video", "photo", "animation", "animation", "audio", "audio", "document")
    ]
    assert ([each.text for each in shown], len(ids)) == (["Seven", *[""] * 6], 5)


async def test_a_video_that_telegram_refuses_goes_as_a_document(
    telegram: Telegram, room: Room, server: TelegramStandIn, tmp_path: Path
) -> None:
    said = message(tmp_path, {"a.mp4": mp4(), "odd.png": png(8, 400)}, "Two")
    claimed = tuple(replace(file, height=8) if file.width else file for file in said.files)
    await send(telegram, replace(said, files=claimed), tmp_path)
    assert [call.refusal for call in server.calls] == ["400 Bad Request: PHOTO_INVALID_DIMENSIONS", ""]
    assert [set(each.media) for each in room.answers()] == [{"document"}, {"document"}]
    assert [each.text for each in room.answers()] == ["", "Two"]


@pytest.mark.parametrize("sides", [(9_999, 2), (8, 200), (6_000, 4_001)])
async def test_a_picture_that_is_no_photo_there_goes_as_a_document(
    telegram: Telegram, room: Room, server: TelegramStandIn, tmp_path: Path, sides: tuple[int, int]
) -> None:
    await send(telegram, message(tmp_path, {"map.png": png(*sides)}), tmp_path)
    assert "document" in room.answers()[0].media
    assert not [call for call in server.calls if call.method == "sendPhoto"]


async def test_a_photo_that_telegram_refuses_goes_as_a_document(
    telegram: Telegram, room: Room, server: TelegramStandIn, tmp_path: Path
) -> None:
    said = message(tmp_path, {"odd.png": png(80, 60)})
    odd = tuple(replace(file, width=8, height=8) for file in message(tmp_path, {"odd.png": png(8, 400)}).files)
    await send(telegram, replace(said, files=odd), tmp_path)
    assert [call.refusal for call in server.calls] == ["400 Bad Request: PHOTO_INVALID_DIMENSIONS", ""]
    assert "document" in room.answers()[0].media


async def test_several_photos_are_an_album_with_one_caption(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    pictures = {"a.png": png(8, 8), "b.jpg": jpeg(9, 9), "c.png": png(10, 10)}
    [id] = await send(telegram, message(tmp_path, pictures, "Three"), tmp_path)
    shown = room.answers()
    assert hashes(room) == [sha256(content) for content in pictures.values()]
    assert ([each.text for each in shown], len({each.group for each in shown})) == (["Three", "", ""], 1)
    await telegram.delete(address(ANN), id)
    assert room.answers() == []


async def test_each_file_of_an_album_counts_against_the_minute(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    said = message(tmp_path, {f"{number}.txt": b"x" for number in range(4)})
    telegram.rates = replace(UNPACED, chat_minute_limit=RateLimit(8, 60.0, reserved_calls=3))
    await send(telegram, said, tmp_path)
    assert telegram.has_room_for_cosmetic_message(address(ANN), is_edit=False)
    await send(telegram, said, tmp_path)
    assert not telegram.has_room_for_cosmetic_message(address(ANN), is_edit=False)


async def test_photos_and_documents_are_two_messages(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    files = {"a.txt": TEXT, "b.png": png(8, 8), "c.txt": b"c", "d.txt": b"d"}
    ids = await send(telegram, message(tmp_path, files, "Four"), tmp_path)
    assert [set(each.media) for each in room.answers()] == [{"photo"}, {"document"}, {"document"}, {"document"}]
    assert len(ids) == 2
    assert [each.text for each in room.answers()] == ["Four", "", "", ""]


async def test_a_caption_too_long_for_one_is_a_message_before(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    await send(telegram, message(tmp_path, {"a.txt": TEXT}, "x" * 1_024), tmp_path)
    assert [(len(each.text), bool(each.media)) for each in room.answers()] == [(1_024, False), (0, True)]


async def test_a_role_sends_under_its_label(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    await send(telegram, message(tmp_path, {"a.txt": TEXT}, role=RoleName("writer")), tmp_path)
    await send(telegram, message(tmp_path, {"a.txt": TEXT}, "Yours", role=RoleName("writer")), tmp_path)
    assert room.texts() == ["[Writer]:", "[Writer]: Yours"]


async def test_a_repeat_says_so_in_its_caption(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    await send(telegram, message(tmp_path, {"a.txt": TEXT}), tmp_path, may_repeat=True)
    assert room.texts() == [REPEAT_MARK.strip()]


async def test_a_file_answers_what_its_message_answers(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    asked = room.say(room.chat.person, "go")
    said = message(tmp_path, {"a.txt": TEXT}, reply_to=MessageId(f"telegram:{BOT_ID}:{ANN}:{asked.id}"))
    await send(telegram, said, tmp_path)
    room.erase(asked)
    await send(telegram, said, tmp_path)
    assert [each.reply_to for each in room.answers()] == [asked, None]


async def test_a_whole_answer_is_a_file_of_its_text(telegram: Telegram, room: Room, tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {number}: " + "word " * 100 for number in range(40))
    said = OutboundMessage(
        id=OutboundId("t1:reply"), address=address(ANN), kind=OutboundKind.REPLY, text=text, max_parts=3
    )
    await send(telegram, said, tmp_path)
    first, file = room.answers()
    assert text.startswith(first.text[:200])
    assert file.media["document"]["file_name"] == "answer.md"
    assert hashes(room) == [sha256(text.encode())]


async def test_a_large_file_shows_that_it_is_on_its_way(
    telegram: Telegram, room: Room, server: TelegramStandIn, tmp_path: Path
) -> None:
    large = b"x" * outgoing_rules.LARGE_UPLOAD_BYTES
    await send(telegram, message(tmp_path, {"large.bin": large}), tmp_path)
    await send(telegram, message(tmp_path, {"large.png": png(80, 80, padding=len(large))}), tmp_path)
    await send(telegram, message(tmp_path, {"large.mp4": mp4() + large}), tmp_path)
    await send(telegram, message(tmp_path, {"small.txt": TEXT}), tmp_path)
    assert [action.action for action in room.chat.actions] == ["upload_document", "upload_photo", "upload_video"]
    assert hashes(room)[0] == sha256(large)


async def test_a_file_too_large_for_the_server_is_refused_for_good(
    telegram: Telegram, server: TelegramStandIn, room: Room, tmp_path: Path
) -> None:
    server.most_upload_bytes = 1_000
    with pytest.raises(DeliveryError, match="Too Large"):
        await send(telegram, message(tmp_path, {"a.bin": b"x" * 2_000}), tmp_path)


async def test_an_upload_that_must_wait_says_how_long(
    telegram: Telegram, server: TelegramStandIn, room: Room, tmp_path: Path
) -> None:
    server.faults.next("sendDocument", Fault.RETRY_1)
    with pytest.raises(DeliveryDelayed):
        await send(telegram, message(tmp_path, {"a.txt": TEXT}), tmp_path)


@pytest.mark.parametrize("fault", [Fault.RESET_AFTER, Fault.RESET_UNREAD])
async def test_an_upload_that_was_cut_off_has_an_unknown_outcome(
    telegram: Telegram, server: TelegramStandIn, room: Room, tmp_path: Path, fault: Fault
) -> None:
    server.faults.next("sendDocument", fault)
    with pytest.raises(OSError, match="connection to Telegram broke"):
        await send(telegram, message(tmp_path, {"a.txt": TEXT}), tmp_path)


def test_only_telegrams_own_server_has_the_small_limit() -> None:
    token = f"{BOT_ID}:TEST"
    own, local = Telegram(token), Telegram(token, "http://127.0.0.1:8081/bot")
    assert [each.max_upload_bytes(address(ANN)) for each in (own, local)] == [50_000_000, 2_000_000_000]
