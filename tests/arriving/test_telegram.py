"""Files that people send on Telegram, with the real SDK on a socket: from the message to what the model sees."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.content_blocks import content_text
from bot.core.limits import Timings
from bot.core.model import ModelRequest
from bot.core.prices import Micros
from bot.core.texts import people_files
from bot.core.transcriber import Transcript
from channels.file_streams import DownloadTiming
from channels.telegram import people_texts
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.telegram import Room, TelegramStandIn, document, photo, voice
from tests.stand_ins.telegram.media import contact, location, poll, sticker
from tests.stand_ins.telegram.rates import Limits
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.places.telegram import ANN, HASTY
from tests.support.sample_documents import docx, paragraph
from tests.support.sample_media import jpeg, pdf, png
from tests.support.sent_files import shown_files
from tests.support.stores import Died, dying
from tests.support.telegram_bot import bot, sees
from tests.support.troubles import has_row

OGG = b"OggS\0\x02" + b"\0" * 60
QUICK = Timings(file_retry_seconds=0.01, draft_delay_seconds=0.05, draft_edit_seconds=(0.02,))
BRISK = replace(HASTY, download=DownloadTiming(connect_seconds=1.0, silence_seconds=0.2, whole_seconds=2.0))


class Listener:
    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        return Transcript(text=f"{seconds} seconds of milk", cost=Micros(300))


def options_of(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    made = engine_options(writable_workspace=tmp_path / "workspace", **changes)
    return {**made, "timings": QUICK, "timing": BRISK}


async def answered(server: TelegramStandIn, room: Room, text: str = "seen") -> None:
    await sees(server, room, lambda said: text in said)


def read(request: ModelRequest) -> str:
    """Return all that people wrote to the model, with the marks of files."""
    return "\n".join(content_text(entry.content) for entry in request.transcript if entry.role == "user")


@pytest.fixture
async def server() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn(limits=Limits.none()) as running:
        yield running


@pytest.fixture
def room(server: TelegramStandIn) -> Room:
    return server.private(server.person(ANN, "Ann"))


SITUATIONS = {
    "a photo": (photo("cat"), jpeg(), "photo, image/jpeg", 1),
    "an image file": (document("cat.png", mime="image/png"), png(), "file cat.png, image/png", 1),
    "a PDF": (document("bill.pdf"), pdf(2), "file bill.pdf, application/pdf", 1),
    "a docx with a false name": (document("a.txt", mime="text/plain"), docx(paragraph("hello")), "> hello", 0),
    "a text with a false type": (document("a.jpg", mime="image/jpeg"), b"plain words", "> plain words", 0),
}


@pytest.mark.fast(cases=2)
@pytest.mark.parametrize("name", SITUATIONS)
async def test_the_model_sees_what_a_file_is(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path, name: str
) -> None:
    media, content, marks, shown = SITUATIONS[name]
    bench.model.says("lead", "seen")
    async with bot(bench, server, **options_of(tmp_path)):
        room.say(room.chat.person, "look", media=server.holding(media, content))
        await answered(server, room)
    [request] = bench.model.seen
    assert marks in read(request)
    assert len(shown_files(request)) == shown


TOLD = {
    "a sticker": (sticker("👍"), "👍"),
    "a place": (location(), "52.52"),
    "a contact": (contact("Ben", "+49301234"), "+49301234"),
    "a poll": (poll("Tea?", "yes", "no"), "Tea?"),
}


@pytest.mark.parametrize("name", TOLD)
async def test_what_is_no_file_is_told_in_words(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path, name: str
) -> None:
    bench.model.says("lead", "seen")
    async with bot(bench, server, **options_of(tmp_path)):
        room.say(room.chat.person, media=TOLD[name][0])
        await answered(server, room)
    assert TOLD[name][1] in read(bench.model.seen[0])
    assert not bench.count("incoming_files")


async def test_an_album_is_one_request_with_every_caption(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path
) -> None:
    bench.model.says("lead", "seen")
    pictures = [server.holding(photo(f"p{number}"), jpeg()) for number in range(3)]
    async with bot(bench, server, **options_of(tmp_path)):
        room.album(room.chat.person, *pictures, captions=["one", "", "three"])
        await answered(server, room)
    [request] = bench.model.seen
    assert len(shown_files(request)) == 3
    assert "one" in read(request)
    assert "three" in read(request)


async def test_the_files_of_a_reply_and_of_a_forward_come_along(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path
) -> None:
    bench.model.says("lead", "seen", "seen again")
    old = room.say(room.chat.person, media=server.holding(photo("old"), jpeg()))
    server.world.updates.waiting.clear()  # it came long ago
    async with bot(bench, server, **options_of(tmp_path)):
        room.say(room.chat.person, "what was it?", reply_to=old)
        await answered(server, room)
        passed_on = server.holding(document("a.txt", mime="text/plain"), b"passed on")
        room.say(room.chat.person, media=passed_on, forward_from="Ben")
        await answered(server, room, "seen again")
    assert len(shown_files(bench.model.seen[0])) == 1
    assert "came with the quoted words: photo" in read(bench.model.seen[0])
    assert "> passed on" in read(bench.model.seen[1])


async def test_a_voice_note_is_read_as_text(bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path) -> None:
    bench.model.says("lead", "seen")
    heard = options_of(tmp_path, voice__command=("listen", "{file}"))
    async with bot(bench, server, **heard, transcriber=Listener()):
        room.say(room.chat.person, media=server.holding(voice("note", seconds=7), OGG))
        await answered(server, room)
    assert "> 7 seconds of milk" in read(bench.model.seen[0])


async def test_without_a_transcriber_a_voice_note_asks_no_model(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path
) -> None:
    async with bot(bench, server, **options_of(tmp_path)):
        room.say(room.chat.person, media=server.holding(voice("note"), OGG))
        await answered(server, room, people_files.VOICE_NOT_SUPPORTED_AT_LENGTH())
    assert not bench.model.seen
    assert not server.downloads.asked


async def test_what_is_too_large_is_refused_before_it_is_fetched(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path
) -> None:
    ann = room.chat.person
    async with bot(bench, server, **options_of(tmp_path, files__max_megabytes=31)):
        server.holding(document("b.pdf"), bytes(20 * 2**20 + 1))
        room.say(ann, media=document("b.pdf", size=10_000))  # it says less than there is
        why = people_texts.FILE_TOO_LARGE(megabytes=20)
        await answered(server, room, people_files.ABOUT_FILE(name="b.pdf", reason=why))
        room.say(ann, media=document("film.mp4", mime="video/mp4", size=32 * 2**20))
        await answered(server, room, people_files.FILE_TOO_LARGE(name="film.mp4", size="32", most="31"))
    assert not bench.model.seen
    assert not server.downloads.asked


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("fault", [DownloadFault.CUT, DownloadFault.BUSY])
async def test_after_a_cut_line_a_file_comes_whole_and_no_message_overtakes_it(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path, fault: DownloadFault
) -> None:
    ann, content = room.chat.person, png(padding=200_000)
    bench.model.says("lead", "seen")
    server.downloads.next(fault)
    impatient = {
        **options_of(tmp_path),
        "timings": replace(QUICK, file_patience_seconds=0.2),
    }  # at its end it tries again
    async with bot(bench, server, **impatient):
        room.say(ann, "look", media=server.holding(document("cat.png"), content))
        room.say(ann, "and say what it is")
        await answered(server, room)
    [request] = bench.model.seen
    assert read(request).index("look") < read(request).index("and say what it is")
    [kept] = (tmp_path / "workspace" / "inbox").iterdir()
    assert kept.read_bytes() == content
    assert len(server.downloads.asked) == 2


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("at", [2, 3], ids=["before it is copied", "before its turn"])
async def test_a_kill_between_download_and_turn_loses_and_doubles_nothing(
    bench: Bench, server: TelegramStandIn, room: Room, tmp_path: Path, at: int
) -> None:
    bench.model.says("lead", "seen")
    options = options_of(tmp_path)
    with suppress(BaseExceptionGroup, Died):
        async with bot(bench, server, store=dying(at, is_written=False), **options):
            room.say(room.chat.person, "look", media=server.holding(document("cat.png"), png()))
            await has_row(bench, "SELECT 1 FROM turns")
    async with bot(bench, server, **options):
        await answered(server, room)
    assert len(bench.model.seen) == len(shown_files(bench.model.seen[0])) == 1
    assert bench.select("state", "incoming_files") == [("kept",)]
    assert len(list((tmp_path / "workspace" / "inbox").iterdir())) == 1
