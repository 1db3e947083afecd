"""Files that the bot sends, at the stand-in with the real library."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import DeliveryError
from bot.core.messages import MessageId, OutboundKind, OutboundMessage
from channels.discord import operator_texts
from channels.discord.channel import Discord
from channels.outgoing import LARGE_UPLOAD_BYTES
from tests.stand_ins.discord import Channel, Fault, Flag, Permission, Route
from tests.support.discord_channel import Town, at, message, private
from tests.support.discord_talk import Talk
from tests.support.outgoing import file_parts, outgoing, sha256
from tests.support.sample_media import png

TEXT = b"one\ntwo\n"


def sending(folder: Path, place: Any, files: dict[str, bytes], text: str = "", **fields: Any) -> OutboundMessage:
    sent = tuple(outgoing(folder, name, content) for name, content in files.items())
    return message(text, place, OutboundKind.UPDATE, files=sent, is_quiet=True, **fields)


async def send(channel: Discord, said: OutboundMessage, folder: Path) -> list[str]:
    return [str(await channel.send(part)) for part in file_parts(channel, said, folder)]


def hashes(place: Channel) -> list[list[str]]:
    return [[each["url"].partition("?hm=")[2] for each in one.attachments] for one in place.messages]


async def test_files_arrive_byte_for_byte_in_one_message(town: Town, tmp_path: Path) -> None:
    files = {"a note.txt": TEXT, "chart.png": png(80, 60)}
    async with town.at_work() as channel:
        [id] = await send(channel, sending(tmp_path, at(town.general), files, "Two files"), tmp_path)
    [said] = town.server.said(town.general)
    assert (said.text, str(said.id)) == ("Two files", id)
    assert [each["filename"] for each in said.attachments] == ["a_note.txt", "chart.png"]
    assert hashes(town.general) == [[sha256(content) for content in files.values()]]
    assert said.flags == Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS
    town.server.verify()


async def test_a_file_without_words_is_a_message(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        await send(channel, sending(tmp_path, private(town.ann), {"a.txt": TEXT}), tmp_path)
    [said] = town.ann.sees(town.ann.private())
    assert (said.text, len(said.message.attachments)) == ("", 1)


async def test_a_file_mentions_nobody(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        await send(channel, sending(tmp_path, at(town.general), {"a.txt": TEXT}, town.bob.mention), tmp_path)
    assert [one.rings for one in town.bob.sees(town.general)] == [False]


async def test_a_caption_too_long_for_one_begins_before_the_file(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        await send(channel, sending(tmp_path, at(town.general), {"a.txt": TEXT}, "word " * 500), tmp_path)
    assert [len(one.attachments) for one in town.server.said(town.general)] == [0, 1]


async def test_a_role_sends_files_by_its_webhook(town: Town, tmp_path: Path) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS
    async with town.at_work() as channel:
        await send(channel, sending(tmp_path, at(town.general), {"a.txt": TEXT}, "Done", role="writer"), tmp_path)
        await send(channel, sending(tmp_path, at(town.general), {"b.txt": b"b"}, role="writer", id="t2/1/0"), tmp_path)
    assert town.server.heard_voices(town.general) == [("Writer", "[Writer]: Done"), ("Writer", "[Writer]:")]
    assert hashes(town.general) == [[sha256(TEXT)], [sha256(b"b")]]


async def test_a_repeated_upload_is_recognised_by_its_nonce(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        said = sending(tmp_path, at(town.general), {"a.txt": TEXT})
        assert await send(channel, said, tmp_path) == await send(channel, said, tmp_path)
    assert len(town.server.said(town.general)) == 1


async def test_an_upload_with_an_unknown_outcome_is_found_by_its_size(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        town.server.faults.on(Route.SEND, Fault.RESET_AFTER)
        said = sending(tmp_path, at(town.general), {"a.txt": TEXT})
        [part] = file_parts(channel, said, tmp_path)
        with pytest.raises(ConnectionError):
            await channel.send(part)
        found = await channel.find_sent_part_id(part, datetime.now(UTC) - timedelta(minutes=1), ())
    assert found == str(town.server.said(town.general)[0].id)


async def test_another_file_is_not_taken_for_the_lost_one(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        await send(channel, sending(tmp_path, at(town.general), {"a.txt": b"something else"}), tmp_path)
        await send(channel, message("only words", at(town.general), id="t3/1/0"), tmp_path)
        said = sending(tmp_path, at(town.general), {"a.txt": TEXT}, id="t2/1/0")
        [part] = file_parts(channel, said, tmp_path)
        since = datetime.now(UTC) - timedelta(minutes=1)
        assert await channel.find_sent_part_id(part, since, ()) is None
        words = replace(part, text="only words", files=())
        assert await channel.find_sent_part_id(words, since, ()) == str(town.server.said(town.general)[-1].id)


async def test_a_file_too_large_is_refused_for_good(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        most = channel.max_upload_bytes(at(town.general))
        assert most == channel.max_upload_bytes(private(town.ann)) == 10 * 1024 * 1024
        with pytest.raises(DeliveryError, match="too large"):
            await send(channel, sending(tmp_path, at(town.general), {"a.bin": bytes(most + 1)}), tmp_path)


async def test_people_see_that_a_large_file_is_on_its_way(town: Town, tmp_path: Path) -> None:
    async with town.at_work() as channel:
        await send(channel, sending(tmp_path, at(town.general), {"a.bin": bytes(LARGE_UPLOAD_BYTES)}), tmp_path)
    assert len(town.general.typing) == 1


async def test_a_whole_answer_is_a_file_of_its_text(town: Town, tmp_path: Path) -> None:
    asked = town.ask("tell all")
    text = "\n\n".join(f"Paragraph {number}: " + "word " * 100 for number in range(40))
    reply = MessageId(f"discord:{town.server.bot.id}:{town.general.id}:{asked.id}")
    async with town.at_work() as channel:
        await send(channel, message(text, at(town.general), max_parts=3, reply_to=reply), tmp_path)
    first, file = town.server.said(town.general)
    assert text.startswith(first.text)
    assert [each["filename"] for each in file.attachments] == ["answer.md"]
    assert hashes(town.general)[-1] == [sha256(text.encode())]


async def test_a_channel_where_no_file_may_be_attached_takes_words(talk: Talk, town: Town) -> None:
    town.general.denied |= Permission.ATTACH_FILES
    whole = "\n\n".join(f"Paragraph {number}. " + "word " * 150 for number in range(12))
    talk.bench.model.says("lead", whole, "still here")
    async with talk.run():
        await talk.connected()
        town.ask("tell me all")
        await talk.sees(town.ann, town.general, "Paragraph 0", operator_texts.MAY_NOT_ATTACH)
        town.ask("are you there?")
        await talk.sees(town.ann, town.general, "still here")
