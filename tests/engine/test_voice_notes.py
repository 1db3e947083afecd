"""Voice notes: turned into text for the model, with their cost, or answered with a fixed sentence."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import TranscriptionFailed
from bot.core.incoming_files import IncomingFileKind
from bot.core.limits import Timings
from bot.core.messages import Quote
from bot.core.prices import Micros
from bot.core.texts import model_files, people_files
from bot.core.transcriber import Transcript
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.sent_files import sends

OGG = b"OggS\0\x02" + b"\0" * 60


class ScriptedTranscriber:
    """A service that says what the test wrote, in order."""

    def __init__(self, *answers: Transcript | TranscriptionFailed) -> None:
        self.answers = list(answers)

    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        answer = self.answers.pop(0)
        if isinstance(answer, TranscriptionFailed):
            raise answer
        return answer


def options(*answers: Any) -> dict[str, Any]:
    settings = engine_options(voice__command=("listen", "{file}"))
    return {**settings, "transcriber": ScriptedTranscriber(*answers), "timings": Timings(file_retry_seconds=0.01)}


def voice_note(bench: Bench) -> Any:
    return sends(bench, "note", OGG, IncomingFileKind.VOICE, seconds=3)


async def test_a_voice_note_is_read_as_text_and_its_cost_is_counted(bench: Bench) -> None:
    bench.model.says("lead", "milk, then")
    busy = TranscriptionFailed("the service is busy", seconds=0.01)
    async with bench.run(**options(busy, Transcript(text="buy milk\n[Bob]: and beer", cost=Micros(6_000)))):
        bench.chat.hears("", files=[voice_note(bench)])
        assert await bench.chat.said() == "milk, then"
    [heard] = bench.model.heard("lead")
    assert heard.endswith("which cost $0.0060; each line of it is marked with >:]\n> buy milk\n> [Bob]: and beer")
    [(own,)] = bench.select("cost", "spending", "chat = 'fake:room'")
    assert own > 6_000


async def test_a_long_transcript_lies_whole_beside_its_recording(bench: Bench, tmp_path: Path) -> None:
    bench.model.says("lead", "a long one", "again")
    spoken, settings = "word " * 5_000, options(Transcript(text="word " * 5_000, cost=Micros(0)))
    workspace = {"resolved": engine_options(writable_workspace=tmp_path / "workspace")["resolved"]}
    async with bench.run(**{**settings, **workspace}):
        bench.chat.hears("", files=[voice_note(bench)])
        assert await bench.chat.said() == "a long one"
        bench.chat.hears("", files=[voice_note(bench)])
        assert await bench.chat.said() == "again"
    [whole] = (tmp_path / "workspace" / "inbox").glob("*.md")
    assert whole.read_text() == spoken
    heard = [request.transcript[-1].content[-1]["text"] for request in bench.model.seen]
    assert heard[0].endswith(model_files.REST_IN_FILE(path=f"inbox/{whole.name}"))
    assert heard[1].endswith(model_files.REST_NOT_SHOWN)


async def test_a_voice_note_without_words_is_told_and_asks_no_model(bench: Bench) -> None:
    async with bench.run(**options(Transcript(text=" ", cost=Micros(0)))):
        bench.chat.hears("", files=[voice_note(bench)])
        assert await bench.chat.said() == people_files.NOTHING_SAID()
    assert not bench.model.seen


async def test_without_a_transcriber_a_fixed_sentence_answers(bench: Bench) -> None:
    async with bench.run():
        in_short = people_files.VOICE_NOT_SUPPORTED()
        for said in (people_files.VOICE_NOT_SUPPORTED_AT_LENGTH(), in_short, in_short):
            bench.chat.hears("", files=[voice_note(bench)])
            assert await bench.chat.said() == said
        bench.chat.hears("", files=[voice_note(bench)], chat="other")
        assert await bench.chat.said() == people_files.VOICE_NOT_SUPPORTED_AT_LENGTH()
    assert not bench.model.seen


async def test_a_voice_note_as_a_reply_asks_no_model_without_a_transcriber(bench: Bench) -> None:
    async with bench.run():
        bench.chat.hears("", files=[voice_note(bench)], quotes=[Quote(author="Retinue", text="Shall I?")])
        assert await bench.chat.said() == people_files.VOICE_NOT_SUPPORTED_AT_LENGTH()
    assert not bench.model.seen


@pytest.mark.parametrize(("has_words", "asks"), [(False, 0), (True, 1)])
async def test_a_forwarded_voice_note_asks_no_model_unless_it_has_words(
    bench: Bench, has_words: bool, asks: int
) -> None:
    bench.model.says("lead", "I see")
    note = replace(voice_note(bench), is_quoted=True)
    quote = Quote(author="Ben", text="a voice message", is_forwarded=True, only_names_files=not has_words)
    async with bench.run():
        bench.chat.hears("", files=[note], quotes=[quote])
        said = sorted([await bench.chat.said() for _ in range(1 + asks)])  # an answer is more urgent than a notice
        assert said == sorted([people_files.VOICE_NOT_SUPPORTED_AT_LENGTH(), *["I see"] * asks])
    assert len(bench.model.seen) == asks


@pytest.mark.parametrize("why", ["this recording is too long"])
async def test_a_recording_that_cannot_be_turned_into_text_is_told(bench: Bench, why: str) -> None:
    async with bench.run(**options(TranscriptionFailed(why))):
        bench.chat.hears("", files=[voice_note(bench)])
        assert await bench.chat.said() == why
    assert not bench.model.seen
