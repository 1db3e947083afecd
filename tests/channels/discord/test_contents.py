"""What a message of Discord has besides words: files that can be fetched, and what is told in words."""

from typing import Any

import pytest

from bot.core.incoming_files import IncomingFile, IncomingFileKind
from bot.core.messages import InboundMessage
from channels.discord import model_texts
from channels.discord.files import FileReference
from channels.discord.slash_commands import text_of_command
from tests.channels.discord.test_reading import BOB, CHANNEL, PRIVATE, READER, raw
from tests.stand_ins.discord import Upload
from tests.support.discord_channel import Town

ADDRESS = "https://cdn.discordapp.com/attachments/21/5/cat.png?ex=1&is=0&hm=2&"
CAT = {"id": "5", "filename": "cat.png", "content_type": "image/png", "size": 7, "url": ADDRESS}
ANSWERS = [
    {"answer_id": 1, "poll_media": {"text": "Yes", "emoji": {"name": "👍"}}},
    {"answer_id": 2, "poll_media": {"text": "No"}},
]
POLL = {"question": {"text": "Tea?"}, "answers": ANSWERS}
COUNTS = [{"id": 1, "count": 2}, {"id": 2, "count": 1}]


def read(**fields: Any) -> InboundMessage:
    found = READER.read_message(raw("", **fields), PRIVATE)
    assert isinstance(found, InboundMessage)
    return found


def test_a_file_is_announced_with_where_it_lies() -> None:
    found = read(attachments=[CAT])
    (file,) = found.files
    assert found.attachments == ()
    assert (file.kind, file.name, file.size_bytes, file.media_type) == ("photo", "cat.png", 7, "image/png")
    reference = FileReference(url=ADDRESS, file_id="5", channel_id=CHANNEL, message_id="1573927095275356165")
    assert FileReference.parse(file.reference) == reference


@pytest.mark.parametrize(
    ("attachment", "flags", "kind", "name", "seconds"),
    [
        ({"filename": "talk.mp4", "content_type": "video/mp4", "duration_secs": 3.6}, 0, "video", "talk.mp4", 4),
        ({"filename": "song.mp3", "content_type": "audio/mpeg"}, 0, "audio", "song.mp3", None),
        ({"filename": "a\nb.pdf", "content_type": "application/pdf"}, 0, "file", "a b.pdf", None),
        ({"filename": "unknown"}, 0, "file", "unknown", None),
        ({"filename": "voice-message.ogg", "content_type": "audio/ogg", "duration_secs": 2}, 1 << 13, "voice", "", 2),
    ],
)
def test_the_kind_of_a_file_is_told(
    attachment: dict[str, Any], flags: int, kind: str, name: str, seconds: int | None
) -> None:
    (file,) = read(attachments=[{"id": "5", "url": ADDRESS, **attachment}], flags=flags).files
    assert (file.kind, file.name, file.seconds) == (IncomingFileKind(kind), name, seconds)


@pytest.mark.parametrize(("said", "only_names_files"), [("", True), ("look", False)])
def test_a_quotation_tells_whether_it_only_names_files(said: str, only_names_files: bool) -> None:
    (quote,) = read(message_snapshots=[{"message": {"content": said, "attachments": [CAT]}}]).quotes
    assert quote.only_names_files is only_names_files


def test_a_quoted_and_a_forwarded_message_bring_their_files() -> None:
    author = {"id": BOB, "username": "bob"}
    replied = read(referenced_message={**raw("", author=author, attachments=[CAT]), "id": "77", "channel_id": "22"})
    forwarded = read(message_snapshots=[{"message": {"content": "", "attachments": [CAT]}}])
    assert [(file.is_quoted, places(file)) for file in replied.files] == [(True, ("22", "77"))]
    assert [(file.is_quoted, places(file)) for file in forwarded.files] == [(True, (CHANNEL, "1573927095275356165"))]
    assert [found.quotes[0].text for found in (replied, forwarded)] == [model_texts.PICTURE(name="cat.png")] * 2


def places(file: IncomingFile) -> tuple[str, str]:
    reference = FileReference.parse(file.reference)
    return reference.channel_id, reference.message_id


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sticker_items": [{"name": "Wave"}]}, "the sticker Wave"),
        ({"poll": POLL}, "a poll: Tea? The options: 1. 👍 Yes; 2. No"),
        (
            {"poll": {**POLL, "results": {"is_finalized": True, "answer_counts": COUNTS}}},
            "a poll that is closed: Tea? The options: 1. 👍 Yes (2 votes); 2. No (1 vote)",
        ),
        ({"attachments": [{"filename": "lost.pdf"}]}, "the file lost.pdf"),
    ],
)
def test_what_is_no_file_is_told_in_words(fields: dict[str, Any], words: str) -> None:
    found = read(**fields)
    assert (found.attachments, found.files) == ((words,), ())
    snapshot = {"message": {"content": "Well:", **fields}}
    assert read(message_snapshots=[snapshot]).quotes[0].text == f"Well:\n{words}"


async def test_a_forward_a_poll_and_a_voice_message_are_heard(town: Town) -> None:
    there = town.ann.private()
    async with town.at_work():
        town.ann.say(there, "", poll=POLL)
        town.ann.speak(there, b"sound", seconds=2.4)
        said = town.bob.say(town.general, "the plan", attachments=[Upload("plan.pdf", b"pages")])
        town.ann.forward(there, said)
        poll, voice, forward = await town.door.messages(3)
    assert poll.attachments == ("a poll: Tea? The options: 1. 👍 Yes; 2. No",)
    assert [(file.kind, file.seconds, file.size_bytes) for file in voice.files] == [("voice", 2, 5)]
    assert [(file.name, file.is_quoted) for file in forward.files] == [("plan.pdf", True)]
    assert forward.quotes[0].text == "the plan"


async def test_the_files_of_a_slash_command_come_with_it(town: Town) -> None:
    async with town.at_work():
        await town.server.until(lambda: town.server.world.commands)
        town.ann.command_with_files(town.general, "status", {"file": Upload("plan.pdf", b"pages")})
        (heard,) = await town.door.messages(1)
    assert (heard.text, [file.name for file in heard.files]) == ("/status", ["plan.pdf"])


def test_a_file_is_no_word_of_a_slash_command() -> None:
    options = [{"name": "file", "type": 11, "value": "5"}, {"name": "which", "type": 3, "value": "2"}]
    assert text_of_command("stop", options) == "/stop 2"
