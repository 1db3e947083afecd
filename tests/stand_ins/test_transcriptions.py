"""What the stand-in for transcriptions refuses, as the real server does."""

import io
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.stand_ins.transcriptions import API_KEY, MAX_FILE_BYTES, TranscriptionStandIn

SPEECH = b"OggS\0\2\r\n--\r\nspeech\0\r"


@pytest.fixture
async def server() -> AsyncIterator[TranscriptionStandIn]:
    async with TranscriptionStandIn() as server:
        yield server


async def ask(
    server: TranscriptionStandIn,
    fields: dict[str, str],
    *,
    name: str = "a.ogg",
    content: bytes | None = SPEECH,
    key: str = API_KEY,
    path: str = "/audio/transcriptions",
) -> tuple[int, Any]:
    form = aiohttp.FormData(default_to_multipart=True)
    for each, value in fields.items():
        form.add_field(each, value)
    if content is not None:
        form.add_field("file", io.BytesIO(content), filename=name)
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(server.base_url + path, data=form, headers=headers) as answer,
    ):
        return answer.status, await answer.json()


WHISPER = {"model": "whisper-1"}


async def test_speech_becomes_the_text_of_the_script(server: TranscriptionStandIn) -> None:
    server.text, server.more = "Good morning.", {"duration": 2.5}
    assert await ask(server, WHISPER) == (200, {"text": "Good morning.", "duration": 2.5})
    assert [(call.model, call.file_name, call.content) for call in server.calls] == [("whisper-1", "a.ogg", SPEECH)]


@pytest.mark.parametrize(
    ("fields", "more", "status", "word"),
    [
        (WHISPER, {"key": "sk-wrong"}, 401, "API key"),
        (WHISPER, {"path": "/audio/speech"}, 404, "Invalid URL"),
        (WHISPER, {"content": None}, 400, "file is a required property"),
        (WHISPER, {"content": b""}, 400, "too short"),
        (WHISPER, {"content": bytes(MAX_FILE_BYTES + 1)}, 413, "size limit"),
        (WHISPER, {"name": "a.exe"}, 400, "Invalid file format"),
        ({}, {}, 400, "model parameter"),
        ({"model": "whisper-9"}, {}, 404, "does not exist"),
        ({"model": "gpt-4o-transcribe", "response_format": "verbose_json"}, {}, 400, "not compatible"),
    ],
)
async def test_a_wrong_call_is_refused(
    server: TranscriptionStandIn, fields: dict[str, str], more: dict[str, Any], status: int, word: str
) -> None:
    found, answer = await ask(server, fields, **more)
    assert found == status
    assert word in answer["error"]["message"]
    assert not server.calls
