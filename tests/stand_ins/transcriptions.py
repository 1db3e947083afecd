"""A server that turns speech into text, as strict as the one that made the call known: it refuses a call without a
file, an unknown model or ending, a wrong key, a wrong form, and a file of more than 25 MB."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from typing import Any

from tests.stand_ins.http import Connection, Incoming
from tests.stand_ins.standing import StandIn

PATH = "/v1/audio/transcriptions"
API_KEY = "sk-voice-0123456789"
MODELS = ("whisper-1", "gpt-4o-transcribe")
ENDINGS = ("flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm")
FORMATS = {"whisper-1": ("json", "verbose_json", "text", "srt", "vtt"), "gpt-4o-transcribe": ("json", "text")}
MAX_FILE_BYTES = 25 * 2**20


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was accepted."""

    model: str
    file_name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What the server answers once, whatever it is asked."""

    status: int
    body: bytes = b'{"error": {"message": "a fault of the server"}}'
    headers: dict[str, str] = field(default_factory=dict)


SILENCE = Fault(status=0)  # it answers nothing until the client leaves


@dataclass(eq=False)
class TranscriptionStandIn(StandIn):
    text: str = "Hello there."
    more: dict[str, Any] = field(default_factory=dict)  # what else is in the answer, as {"duration": 3.5}
    port: int = 0
    faults: deque[Fault] = field(default_factory=deque)
    calls: list[Call] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    asked: int = 0
    is_silent: bool = False  # it takes every request and answers none

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> TranscriptionStandIn:
        await self.begin()
        return self

    async def serve(self, connection: Connection) -> None:
        while request := await connection.request():
            self.asked += 1
            if self.is_silent:
                continue
            if self.faults:
                fault = self.faults.popleft()
                if fault is SILENCE:
                    await connection.watch()
                    return
                await connection.whole(fault.status, fault.headers, fault.body)
                continue
            status, body = self.reply(request)
            await connection.json(status, {}, body)

    def reply(self, request: Incoming) -> tuple[int, dict[str, Any]]:
        if request.headers.get("authorization") != f"Bearer {API_KEY}":
            return self.refuse(401, "Incorrect API key provided.")
        if (request.method, request.path) != ("POST", PATH):
            return self.refuse(404, f"Invalid URL ({request.method} {request.path})")
        if request.too_large:
            return self.refuse(413, "Maximum content size limit (26214400) exceeded")
        fields = read_form(request)
        if fields is None:
            return self.refuse(400, "We could not parse your multipart form")
        if "file" not in fields or not fields["file"].get_filename():
            return self.refuse(400, "file is a required property")
        model = content_of(fields["model"]).decode() if "model" in fields else ""
        if not model:
            return self.refuse(400, "you must provide a model parameter")
        if model not in MODELS:
            return self.refuse(404, f"The model `{model}` does not exist")
        shape = content_of(fields["response_format"]).decode() if "response_format" in fields else "json"
        if shape not in FORMATS[model]:
            return self.refuse(400, f"response_format '{shape}' is not compatible with model '{model}'")
        name, content = fields["file"].get_filename() or "", content_of(fields["file"])
        if len(content) > MAX_FILE_BYTES:
            return self.refuse(413, f"Maximum content size limit ({MAX_FILE_BYTES}) exceeded")
        if name.rpartition(".")[2] not in ENDINGS:
            return self.refuse(400, f"Invalid file format. Supported formats: {list(ENDINGS)}")
        if not content:
            return self.refuse(400, "Audio file is too short. Minimum audio length is 0.1 seconds.")
        self.calls.append(Call(model, name, content))
        return 200, {"text": self.text, **self.more}

    def refuse(self, status: int, message: str) -> tuple[int, dict[str, Any]]:
        self.refused.append(message)
        return status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def read_form(request: Incoming) -> dict[str, Message] | None:
    """Return the fields of a form by name; None if the body is no form of several parts."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data; boundary="):
        return None
    whole = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body)
    if not whole.is_multipart():
        return None
    parts = [part for part in whole.walk() if part is not whole]
    return {str(part.get_param("name", header="content-disposition")): part for part in parts}


def content_of(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content
