"""What `model.base_url` may lead to besides the Messages API: it is said at once, and not tried again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import bot.models.claude.sdk_client  # noqa: F401  # the SDK takes seconds to import, and a test waits no longer for a reply
from bot.core.texts import people_model_faults as people
from bot.core.texts import reasons
from bot.models.claude import Claude
from bot.models.claude import operator_texts as texts
from bot.models.claude.faults import append_hints
from tests.support.bench import Bench
from tests.support.claude_bot import QUICK, REPLY

PAGE, JSON, STREAM = "text/html; charset=utf-8", "application/json", "text/event-stream"
NOT_FOUND = '{"type": "error", "error": {"type": "not_found_error", "message": "Not found: /v1/v1/messages"}}'
NO_MODEL = '{"type": "error", "error": {"type": "NotFoundError", "message": "no model claude-sonnet-5-5"}}'
OF_ANOTHER_KIND = [
    (200, PAGE, "<!doctype html><title>A router</title>"),
    (200, PAGE, "data: no JSON either\n\n"),
    (200, JSON, "{}"),
    (404, PAGE, "<h1>Not found</h1>"),
    (404, JSON, '{"detail": "Not Found"}'),
    (404, JSON, NOT_FOUND),
    (405, PAGE, "<h1>Method not allowed</h1>"),
    (501, PAGE, "<h1>Unsupported method ('POST')</h1>"),
]


class Elsewhere:
    """A server that answers everything in one way."""

    def __init__(self, status: int, kind: str, body: str) -> None:
        content = body.encode()
        head = f"HTTP/1.1 {status} Whatever\r\ncontent-type: {kind}\r\ncontent-length: {len(content)}\r\n"
        self.answer = f"{head}connection: close\r\n\r\n".encode() + content
        self.posts = 0
        self.name = ""  # as operators read it

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        async with await asyncio.start_server(self.serve, "127.0.0.1", 0) as server:
            address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            self.name = texts.OTHER_SERVER(address=address)
            yield f"http://{address}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.posts += head.startswith(b"POST")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        await reader.readexactly(int(length or 0))
        writer.write(self.answer)
        await writer.drain()
        writer.close()


async def told(bench: Bench, server: Elsewhere) -> str:
    """What the person hears whose bot asks there."""
    async with (
        server.listening() as address,
        Claude(None, address, b"secret", patience=QUICK) as claude,
        bench.run(model=claude),
    ):
        bench.chat.hears("hello")
        return (await bench.chat.part(REPLY)).text


def fault_of(bench: Bench) -> str:
    """What the operator is told of the model."""
    [(fault,)] = bench.rows("SELECT fault FROM channels WHERE name LIKE 'model %'")
    return str(fault)


@pytest.mark.parametrize(("status", "kind", "body"), OF_ANOTHER_KIND)
async def test_a_server_without_the_messages_api_is_named_and_not_tried_again(
    bench: Bench, status: int, kind: str, body: str
) -> None:
    server = Elsewhere(status, kind, body)
    assert reasons.MODEL_AT_FAULT() in await told(bench, server)
    assert fault_of(bench) == append_hints(texts.NO_MESSAGES_API(server=server.name), texts.SET_URL)
    assert server.posts == 1
    assert bench.rows("SELECT sum(cost) FROM requests") == [(0,)]


async def test_a_model_missing_on_another_server_is_named_despite_any_error_name(bench: Bench) -> None:
    server = Elsewhere(404, JSON, NO_MODEL)
    await told(bench, server)
    missing = texts.NO_SUCH_MODEL(server=server.name, model="claude-sonnet-5-5")
    assert fault_of(bench) == append_hints(missing, texts.SET_MODEL)


async def test_a_stream_without_anything_in_it_is_tried_again(bench: Bench) -> None:
    server = Elsewhere(200, STREAM, "")
    broke_off = people.ANSWER_BROKE_OFF(model=people.MODEL())
    assert append_hints(broke_off, people.ATTEMPTS(3), people.TRY_AGAIN()) in await told(bench, server)
    assert server.posts == 3
