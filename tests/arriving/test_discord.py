"""Files that people send on Discord, with the real SDK on a socket: from the message to what the model sees."""

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
from tests.stand_ins.discord import Channel, Upload
from tests.stand_ins.downloads import DownloadFault
from tests.support.bench import Bench
from tests.support.discord_channel import QUICK, settled
from tests.support.discord_talk import Talk
from tests.support.engine_options import engine_options
from tests.support.sample_documents import docx, paragraph
from tests.support.sample_media import jpeg, pdf, png
from tests.support.sent_files import shown_files
from tests.support.stores import Died, dying
from tests.support.troubles import has_row

OGG = b"OggS\0\x02" + b"\0" * 60
# At the end of its patience, the bot tries once more.
TIMINGS = Timings(
    file_retry_seconds=0.01, file_patience_seconds=0.2, draft_delay_seconds=0.05, draft_edit_seconds=(0.05,)
)
BRISK = replace(QUICK, download=DownloadTiming(connect_seconds=1.0, silence_seconds=0.2, whole_seconds=2.0))


class Listener:
    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        return Transcript(text=f"{seconds} seconds of milk", cost=Micros(300))


def options_of(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    return {**engine_options(writable_workspace=tmp_path / "workspace", **changes), "timings": TIMINGS}


def read(request: ModelRequest) -> str:
    """Return all that people wrote to the model, with the marks of files."""
    return "\n".join(content_text(entry.content) for entry in request.transcript if entry.role == "user")


@pytest.fixture
async def talk(bench: Bench) -> AsyncIterator[Talk]:
    async with settled() as town:
        yield Talk(bench, town)


@pytest.fixture
def room(talk: Talk) -> Channel:
    return talk.town.ann.private()


async def sees(talk: Talk, room: Channel, *texts: str) -> None:
    await talk.sees(talk.town.ann, room, *texts)


SITUATIONS = {
    "a picture": (Upload("cat.jpg", jpeg()), "cat.jpg, image/jpeg", 1),
    "a PDF": (Upload("bill.pdf", pdf(2)), "file bill.pdf, application/pdf", 1),
    "a docx with a false name": (Upload("a.txt", docx(paragraph("hello"))), "> hello", 0),
    "a text with a false type": (Upload("a.jpg", b"plain words"), "> plain words", 0),
}


@pytest.mark.fast(cases=2)
@pytest.mark.parametrize("name", SITUATIONS)
async def test_the_model_sees_what_a_file_is(
    bench: Bench, talk: Talk, room: Channel, tmp_path: Path, name: str
) -> None:
    upload, marks, shown = SITUATIONS[name]
    bench.model.says("lead", "seen")
    async with talk.run(options_of(tmp_path), times=BRISK):
        await talk.connected()
        talk.town.ann.say(room, "look", attachments=[upload])
        await sees(talk, room, "seen")
    [request] = bench.model.seen
    assert marks in read(request)
    assert len(shown_files(request)) == shown


async def test_files_of_a_message_a_reply_and_a_forward_come_along(
    bench: Bench, talk: Talk, room: Channel, tmp_path: Path
) -> None:
    ann, general = talk.town.ann, talk.town.general
    bench.model.says("lead", "two", "seen", "seen again")
    old = ann.say(general, attachments=[Upload("old.png", png())])
    async with talk.run(options_of(tmp_path), times=BRISK):
        await talk.connected()
        ann.say(room, "both", attachments=[Upload("a.png", png()), Upload("b.png", png(9, 9))])
        await sees(talk, room, "two")
        ann.forward(room, old)
        await sees(talk, room, "seen")
        ann.say(general, "what was it?", reply_to=old, mentions=[talk.town.server.bot])
        await sees(talk, general, "seen again")
    assert [len(shown_files(request)) for request in bench.model.seen] == [2, 3, 1]
    assert "old.png" in read(bench.model.seen[2])


async def test_a_voice_message_is_read_as_text(bench: Bench, talk: Talk, room: Channel, tmp_path: Path) -> None:
    bench.model.says("lead", "seen")
    options = {**options_of(tmp_path, voice__command=("listen", "{file}")), "transcriber": Listener()}
    async with talk.run(options, times=BRISK):
        await talk.connected()
        talk.town.ann.speak(room, OGG, seconds=7.0)
        await sees(talk, room, "seen")
    assert "> 7 seconds of milk" in read(bench.model.seen[0])


async def test_what_the_bot_cannot_take_is_told_and_asks_no_model(
    bench: Bench, talk: Talk, room: Channel, tmp_path: Path
) -> None:
    ann, asked = talk.town.ann, talk.town.server.cdn.downloads.asked
    async with talk.run(options_of(tmp_path, files__max_megabytes=1), times=BRISK):
        await talk.connected()
        ann.speak(room, OGG)
        await sees(talk, room, people_files.VOICE_NOT_SUPPORTED_AT_LENGTH())
        ann.say(room, attachments=[Upload("film.mp4", bytes(2 * 2**20))])
        await sees(talk, room, people_files.FILE_TOO_LARGE(name="film.mp4", size="2", most="1"))
    assert not bench.model.seen
    assert not asked


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("fault", [DownloadFault.CUT, DownloadFault.BUSY])
async def test_after_a_cut_line_a_file_comes_whole_and_no_message_overtakes_it(
    bench: Bench, talk: Talk, room: Channel, tmp_path: Path, fault: DownloadFault
) -> None:
    ann, content = talk.town.ann, png(padding=200_000)
    bench.model.says("lead", "seen")
    talk.town.server.cdn.downloads.next(fault)
    async with talk.run(options_of(tmp_path), times=BRISK):
        await talk.connected()
        ann.say(room, "look", attachments=[Upload("cat.png", content)])
        ann.say(room, "and say what it is")
        await sees(talk, room, "seen")
    [request] = bench.model.seen
    assert read(request).index("look") < read(request).index("and say what it is")
    [kept] = (tmp_path / "workspace" / "inbox").iterdir()
    assert kept.read_bytes() == content


async def test_a_kill_between_download_and_turn_loses_and_doubles_nothing(
    bench: Bench, talk: Talk, room: Channel, tmp_path: Path
) -> None:
    bench.model.says("lead", "seen")
    options = options_of(tmp_path)
    with suppress(BaseExceptionGroup, Died):
        async with talk.run({**options, "store": dying(4, is_written=False)}, times=BRISK):
            await talk.connected()
            talk.town.ann.say(room, "look", attachments=[Upload("cat.png", png())])
            await has_row(bench, "SELECT 1 FROM turns")
    async with talk.run(options, times=BRISK):
        await sees(talk, room, "seen")
    assert len(bench.model.seen) == len(shown_files(bench.model.seen[0])) == 1
    assert bench.select("state", "incoming_files") == [("kept",)]
    assert len(list((tmp_path / "workspace" / "inbox").iterdir())) == 1


async def test_a_message_that_is_deleted_meanwhile_leaves_no_file(
    bench: Bench, talk: Talk, room: Channel, tmp_path: Path
) -> None:
    ann = talk.town.ann
    bench.model.says("lead", "only this")
    talk.town.server.cdn.downloads.next(DownloadFault.BUSY)
    async with talk.run({**options_of(tmp_path), "timings": Timings()}, times=BRISK):
        await talk.connected()
        doomed = ann.say(room, "look", attachments=[Upload("cat.png", png())])
        ann.say(room, "and this")
        await has_row(bench, "SELECT 1 FROM incoming_files WHERE failures > 0")
        ann.delete(doomed)
        await sees(talk, room, "only this")
    assert not bench.count("incoming_files")
    assert not (tmp_path / "workspace" / "inbox").exists()
