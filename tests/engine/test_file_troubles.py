"""What may go wrong while a file is on its way: no other message is lost, no file lies where no row knows of it, and
nothing is paid for that nobody can afford."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import FetchError, TranscriptionFailed
from bot.core.incoming_files import IncomingFile, IncomingFileKind
from bot.core.limits import Timings
from bot.core.messages import Address, InboundEvent, MessageDeletedEvent, MessageId
from bot.core.prices import Micros
from bot.core.texts import people_files
from bot.core.transcriber import Transcript
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import FakeChannel
from tests.support.patience import PATIENCE
from tests.support.sample_documents import docx, paragraph
from tests.support.sample_media import png
from tests.support.sent_files import sends
from tests.support.troubles import wait_for_row

OGG = b"OggS\0\x02" + b"\0" * 60


class Listener:
    """A service that says what the test wrote, in order; the last stays. It may wait until the test sets `go_on`."""

    def __init__(self, *answers: Transcript | TranscriptionFailed, waits: bool = False) -> None:
        self.answers, self.asked = list(answers), 0
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()
        if not waits:
            self.go_on.set()

    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        self.asked += 1
        self.reached.set()
        await self.go_on.wait()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, TranscriptionFailed):
            raise answer
        return answer


async def spool_is_empty(bench: Bench) -> None:
    async with asyncio.timeout(PATIENCE):
        while list((bench.data / "incoming").iterdir()):  # noqa: ASYNC110 -- a file wakes nobody
            await asyncio.sleep(0.001)


class Faulty(FakeChannel):
    """A platform whose files named broken raise what no channel should raise."""

    @asynccontextmanager
    async def open_file(self, file: IncomingFile) -> AsyncIterator[AsyncIterator[bytes]]:
        if file.name.startswith("broken"):
            raise ZeroDivisionError
        async with super().open_file(file) as pieces:
            yield pieces


def says(text: str, cost: int = 0) -> Transcript:
    return Transcript(text=text, cost=Micros(cost))


def options_of(tmp_path: Path, listener: Listener | None = None, **changes: Any) -> dict[str, Any]:
    heard = {"voice__base_url": "http://127.0.0.1:1", "voice__usd_per_minute": 0.006} if listener else {}
    quick = Timings(file_retry_seconds=0.01, file_patience_seconds=0.05)
    made = engine_options(writable_workspace=tmp_path / "workspace", **heard, **changes)
    return {**made, "timings": quick, "transcriber": listener}


def voice_note(bench: Bench, name: str = "note") -> Any:
    return sends(bench, name, OGG, IncomingFileKind.VOICE, seconds=3)


def deleted(id: str) -> InboundEvent:
    return MessageDeletedEvent(message=MessageId(id), address=Address(channel="fake", chat="room"))


def files_in(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "workspace" / "inbox"
    return list(folder.iterdir()) if folder.exists() else []


async def test_a_note_that_nobody_could_turn_into_text_is_kept_by_a_row(bench: Bench, tmp_path: Path) -> None:
    listener = Listener(TranscriptionFailed("I can't reach it.", seconds=0.01))
    async with bench.run(**options_of(tmp_path, listener)):
        bench.chat.hears("", files=[voice_note(bench)])
        assert await bench.chat.said() == "I can't reach it."
    [kept] = files_in(tmp_path)
    assert bench.select("state, path", "incoming_files") == [("kept", f"inbox/{kept.name}")]
    assert listener.asked > 1


async def test_without_money_for_the_day_a_note_is_not_turned_into_text(bench: Bench, tmp_path: Path) -> None:
    listener = Listener(says("one", cost=600_000))
    bench.model.says("lead", "heard")
    async with bench.run(**options_of(tmp_path, listener, chat_day=500_000)):
        bench.chat.hears("", files=[voice_note(bench)])
        await bench.chat.is_taken_in()
        await wait_for_row(bench, "incoming_files", state="kept")
        bench.chat.hears("", files=[sends(bench, "two", OGG + b"2", IncomingFileKind.VOICE)], by="Bob")
        while await bench.chat.said() != people_files.NO_MONEY_FOR_TRANSCRIPT():
            pass
    assert listener.asked == 1


async def test_a_note_that_is_sent_again_is_paid_for_once(bench: Bench, tmp_path: Path) -> None:
    listener = Listener(says("buy milk", cost=600))
    bench.model.says("lead", "heard", "heard again")
    async with bench.run(**options_of(tmp_path, listener)):
        for answer in ("heard", "heard again"):
            bench.chat.hears("", files=[voice_note(bench)])
            assert await bench.chat.said() == answer
    assert "> buy milk" in bench.model.heard("lead")[0]
    assert listener.asked == 1
    assert bench.select("json_extract(content, '$.said_cost_micros')", "incoming_files", order="came_at") == [
        (600,),
        (0,),
    ]


async def test_the_text_of_a_document_counts_as_room_of_its_chat(bench: Bench, tmp_path: Path) -> None:
    document = docx(paragraph("word " * 20_000))
    bench.model.says("lead", "read")
    async with bench.run(**options_of(tmp_path)):
        bench.chat.hears("", files=[sends(bench, "long.docx", document)])
        assert await bench.chat.said() == "read"
    written = sum(path.stat().st_size for path in files_in(tmp_path))
    assert written > 5 * len(document)
    assert bench.select("kept_bytes", "incoming_files") == [(written,)]


async def test_a_picture_that_makes_room_leaves_the_database_if_nobody_saw_it(bench: Bench, tmp_path: Path) -> None:
    bench.roles["lead"] = replace(bench.roles["lead"], model="local-model")  # it takes text only
    bench.model.says("lead", "one", "two")
    async with bench.run(**options_of(tmp_path, files__chat_megabytes=1)):
        for answer in ("one", "two"):
            bench.chat.hears("look", files=[sends(bench, f"{answer}.png", png(padding=600_000))])
            assert await bench.chat.said() == answer
    assert bench.select("name, state", "incoming_files", order="name") == [("one.png", "removed"), ("two.png", "kept")]
    assert bench.count("media") == 1


async def test_a_file_makes_no_room_before_its_message_was_read(bench: Bench, tmp_path: Path) -> None:
    bench.model.says("lead", "both")
    late = sends(bench, "late.txt", [FetchError("busy", seconds=0.03), b"y" * 600_000])
    async with bench.run(**options_of(tmp_path, files__chat_megabytes=1)):
        bench.chat.hears("look", files=[sends(bench, "early.txt", b"x" * 600_000), late])
        assert await bench.chat.said() == "both"
    assert bench.count("incoming_files", "state = 'kept'") == 2


async def test_a_fault_with_one_file_sets_no_other_message_aside(bench: Bench, tmp_path: Path) -> None:
    bench.chat = Faulty()
    slow = sends(bench, "slow.png", [FetchError("busy", seconds=0.03), png()])
    bench.model.says("lead", "a cat, and no dog")
    async with bench.run(**options_of(tmp_path)):
        bench.chat.hears("look", files=[slow], album="7")
        bench.chat.hears("and here", files=[sends(bench, "broken.png", b"")], album="7")
        assert await bench.chat.said() == people_files.FILE_NOT_FETCHED(name="broken.png")
        assert await bench.chat.said() == "a cat, and no dog"
    assert bench.select("state", "inbox") == [("done",), ("done",)]


async def test_an_endless_pause_is_no_fault_of_the_message(bench: Bench, tmp_path: Path) -> None:
    async with bench.run(**options_of(tmp_path)):
        bench.chat.hears("", files=[sends(bench, "cat.png", FetchError("I can't reach it.", seconds=1e15))])
        assert await bench.chat.said() == people_files.FILE_NOT_FETCHED(name="cat.png")


async def test_what_is_too_large_leaves_nothing_in_the_spool(bench: Bench, tmp_path: Path) -> None:
    async with bench.run(**options_of(tmp_path, files__max_megabytes=1)):
        bench.chat.hears("", files=[sends(bench, "film.mp4", b"\0" * (2**20 + 1))])
        assert await bench.chat.said() == people_files.FILE_GREW_TOO_LARGE(name="film.mp4", most="1")
        await spool_is_empty(bench)


async def test_a_deleted_message_fetches_no_file_and_holds_up_no_other(bench: Bench, tmp_path: Path) -> None:
    bench.model.says("lead", "only this")
    late = sends(bench, "secret.png", FetchError("busy", seconds=600))
    async with bench.run(**{**options_of(tmp_path), "timings": Timings()}):
        bench.chat.hears("look", files=[late], id="m1")
        bench.chat.hears("and this", id="m2")
        await bench.chat.is_taken_in()
        await wait_for_row(bench, "incoming_files", "failures > 0")
        bench.chat.incoming.put_nowait(deleted("m1"))
        assert await bench.chat.said() == "only this"
    assert not bench.count("incoming_files")
    assert not files_in(tmp_path)


async def test_a_file_whose_message_is_deleted_meanwhile_lies_nowhere(bench: Bench, tmp_path: Path) -> None:
    listener = Listener(says("buy milk"), waits=True)
    async with bench.run(**options_of(tmp_path, listener)):
        bench.chat.hears("", files=[voice_note(bench)], id="m1")
        await listener.reached.wait()
        bench.chat.incoming.put_nowait(deleted("m1"))
        await bench.chat.is_taken_in()
        listener.go_on.set()
        await spool_is_empty(bench)
    assert not files_in(tmp_path)
    assert not bench.model.seen


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_file_deleted_between_two_tries_lies_nowhere(bench: Bench, tmp_path: Path, restarted: bool) -> None:
    options = {**options_of(tmp_path, Listener(TranscriptionFailed("busy", seconds=600))), "timings": Timings()}
    async with bench.run(**options):
        bench.chat.hears("", files=[voice_note(bench)], id="m1")
        await wait_for_row(bench, "incoming_files", "failures > 0")
        assert list((bench.data / "incoming").iterdir())
        if not restarted:
            bench.chat.incoming.put_nowait(deleted("m1"))
            await spool_is_empty(bench)
    if restarted:
        async with bench.run(**options):
            bench.chat.incoming.put_nowait(deleted("m1"))
            await spool_is_empty(bench)


async def test_recordings_hold_up_no_pictures(bench: Bench, tmp_path: Path) -> None:
    listener = Listener(says("buy milk"), waits=True)
    bench.model.says("lead", "a cat", *["heard"] * 4)
    async with bench.run(**options_of(tmp_path, listener)):
        for chat in ("a", "b", "c", "d"):
            for number in range(2):
                bench.chat.hears("", files=[voice_note(bench, f"{chat}{number}")], chat=chat, album="7")
        await listener.reached.wait()
        bench.chat.hears("look", files=[sends(bench, "cat.png", png())], chat="e")
        assert await bench.chat.said() == "a cat"
        listener.go_on.set()
        for _ in range(4):
            assert await bench.chat.said() == "heard"


@pytest.mark.parametrize("name", ["\U00010400" * 60 + ".docx", "f" * 300], ids=["wide", "long"])
async def test_a_long_name_of_any_script_fits_the_disk(bench: Bench, tmp_path: Path, name: str) -> None:
    bench.model.says("lead", "read")
    async with bench.run(**options_of(tmp_path)):
        bench.chat.hears("", files=[sends(bench, name, docx(paragraph("a word")))])
        assert await bench.chat.said() == "read"
    assert len(files_in(tmp_path)) == 2
