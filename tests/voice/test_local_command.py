"""A program of this machine that turns speech into text: what it is given, and how it is held to its time."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from bot.core.errors import TranscriptionFailed
from bot.core.network import DEFAULT_NETWORK_ACCESS
from bot.core.settings import VoiceSettings
from bot.models.transcribers import operator_texts, people_texts, transcriber_from_settings
from bot.models.transcribers.local_command import LocalCommand
from bot.models.transcribers.server import TranscriptionServer


def python(code: str, *, seconds: int = 20) -> LocalCommand:
    return LocalCommand((sys.executable, "-c", code, "{file}"), seconds=seconds)


async def failure(command: LocalCommand, path: Path) -> TranscriptionFailed:
    with pytest.raises(TranscriptionFailed) as failed:
        await command.transcribe(path, seconds=None)
    return failed.value


async def test_what_it_prints_is_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a note; rm -rf $HOME.ogg"
    path.write_text("good\nmorning\n")
    found = await python("import sys; print(open(sys.argv[1]).read())").transcribe(path, seconds=9)
    assert (found.text, found.cost) == ("good morning", 0)


async def test_it_sees_none_of_the_bots_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_VOICE__API_KEY", "sk-secret")
    found = await python("import os; print(sorted(os.environ))").transcribe(tmp_path, seconds=None)
    assert "PATH" in found.text
    assert "RETINUE" not in found.text


async def test_a_failure_says_what_the_program_said(tmp_path: Path) -> None:
    failed = await failure(python("import sys; sys.exit('no such model')"), tmp_path)
    assert failed.fault == operator_texts.COMMAND_FAILED(command=sys.executable, status=1, said="no such model")
    assert (str(failed), failed.seconds) == (people_texts.NOT_ACCEPTED(), None)


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    failed = await failure(LocalCommand(("/nowhere/whisper", "{file}"), seconds=5), tmp_path)
    assert failed.fault == operator_texts.NOT_STARTED(command="/nowhere/whisper", reason="No such file or directory")


async def test_a_program_that_never_ends_is_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    failed = await failure(python(code, seconds=1), tmp_path)
    assert (str(failed), failed.fault) == (
        people_texts.TOO_SLOW(),
        operator_texts.COMMAND_TOO_SLOW(command=sys.executable, seconds=1),
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


async def test_a_program_that_prints_without_end_is_read_and_cut(tmp_path: Path) -> None:
    found = await python("print('x' * 5_000_000)").transcribe(tmp_path, seconds=None)
    assert len(found.text) == 2 * 2**20


async def test_one_program_runs_at_a_time(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    code = f"import os, time; os.mkdir({str(taken)!r}); time.sleep(0.1); os.rmdir({str(taken)!r})"
    command = python(code)
    await asyncio.gather(*(command.transcribe(tmp_path, seconds=None) for _ in range(3)))


def test_the_settings_choose_the_transcriber() -> None:
    def choose(**values: object) -> object:
        return transcriber_from_settings(VoiceSettings.model_validate(values), DEFAULT_NETWORK_ACCESS)

    assert choose() is None
    assert isinstance(choose(base_url="https://api.openai.com/v1"), TranscriptionServer)
    assert isinstance(choose(command=["whisper-cli", "{file}"]), LocalCommand)
