"""A person is forgotten: none of their words is left in any file below the data folder and the workspace."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from bot.core.incoming_files import IncomingFileKind
from bot.core.messages import OutboundKind
from bot.core.prices import Micros
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people_accounts as texts
from bot.core.transcriber import Transcript
from bot.engine.long_messages import LONG_MESSAGES_FOLDER, MAX_MESSAGE_CHARACTERS_IN_PROMPT
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.patience import PATIENCE
from tests.support.sample_documents import docx, paragraph
from tests.support.sent_files import sends

UPDATE, REPLY = OutboundKind.UPDATE, OutboundKind.REPLY
ANN = {"by": "Ann", "chat": "ann"}
LONG = "word " * (MAX_MESSAGE_CHARACTERS_IN_PROMPT // 5)


class Listener:
    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        return Transcript(text="an almond", cost=Micros(0))


@pytest.fixture
def desk(bench: Bench) -> Path:
    folder = bench.data / "workspace"
    folder.mkdir(parents=True)
    return folder


@asynccontextmanager
async def running(bench: Bench, desk: Path) -> AsyncIterator[None]:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "send_file", delegates_to=None)
    options = engine_options(workspace=desk, writable_workspace=desk, voice__base_url="http://127.0.0.1:1")
    async with bench.run(**options, transcriber=Listener()):
        yield


def holds(path: Path, word: str) -> bool:
    try:
        return word in path.name.lower() or word.encode() in path.read_bytes().lower()
    except FileNotFoundError:  # it was removed while its folder was read
        return False


def files_with(word: str, folder: Path) -> list[str]:
    """Return the folders of the files that hold a word, in their content or their name."""
    paths = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
    return sorted({path.parent.name if path.parent != folder else "database" for path in paths if holds(path, word)})


async def forget(bench: Bench) -> None:
    bench.chat.hears("/forget everything", **ANN)
    question = (await bench.chat.part(OutboundKind.QUESTION)).message.id
    bench.chat.taps(question, texts.FORGET_OPTION(), **ANN)
    assert await bench.chat.said(OutboundKind.NOTICE) == texts.FORGOTTEN()


async def is_gone(word: str, folder: Path) -> None:
    """Wait until no file holds a word any more."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while files_with(word, folder):  # noqa: ASYNC110 -- a file tells nobody
                await asyncio.sleep(0.01)
    assert files_with(word, folder) == []


async def says(bench: Bench, text: str = "read it", **fields: Any) -> None:
    bench.model.says("lead", "read")
    bench.chat.hears(text, **ANN, **fields)
    assert await bench.chat.said(REPLY) == "read"


async def test_a_text_too_long_for_a_prompt_is_forgotten(bench: Bench, desk: Path) -> None:
    async with running(bench, desk):
        await says(bench, f"{LONG} walnut")
        assert files_with("walnut", bench.data) == [LONG_MESSAGES_FOLDER]
        await forget(bench)
        await is_gone("walnut", bench.data)
        async with asyncio.timeout(PATIENCE):
            while bench.count("incoming_files"):  # noqa: ASYNC110 -- a row goes after its file
                await asyncio.sleep(0.01)


async def test_files_of_all_kinds_are_forgotten(bench: Bench, desk: Path) -> None:
    document = docx(paragraph("a cashew"))
    async with running(bench, desk):
        await says(bench, files=[sends(bench, "hazelnut.txt", b"a walnut")])
        await says(bench, files=[sends(bench, "list.docx", document)])
        await says(bench, files=[sends(bench, "", b"OggS\0\2", IncomingFileKind.VOICE, seconds=3)])
        for word in ("hazelnut", "walnut", "cashew"):
            assert files_with(word, bench.data) == ["database", "inbox"], word
        assert files_with("almond", bench.data) == ["database"]
        await forget(bench)
        for word in ("hazelnut", "walnut", "cashew", "almond"):
            await is_gone(word, bench.data)


async def test_the_copy_of_a_sent_file_is_forgotten(bench: Bench, desk: Path) -> None:
    (desk / "report.txt").write_text("a walnut")
    bench.model.says("lead", reply(uses("send_file", path="report.txt")))
    async with running(bench, desk):
        await says(bench)
        (desk / "report.txt").unlink()  # what stands in the workspace stays there
        assert files_with("walnut", bench.data) == ["outgoing"]
        await forget(bench)
        await is_gone("walnut", bench.data)
