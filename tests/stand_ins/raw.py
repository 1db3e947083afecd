"""HTTP by hand, for requests that no client library would send."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from tests.stand_ins.claude import ClaudeStandIn

HEADERS = {"anthropic-version": "2026-10-21", "content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def send(
    server: ClaudeStandIn,
    body: Any = None,
    *,
    method: str = "POST",
    path: str = "/v1/messages",
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send one request on its own connection. Leave out empty headers. Send bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
    told = {"authorization": f"Bearer {server.api_key}", **HEADERS, **(headers or {})}
    told["content-length"] = str(len(data))
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", *(f"{k}: {v}" for k, v in told.items() if v)]
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        await writer.drain()
        return await answer(reader)
    finally:
        writer.close()
        await writer.wait_closed()


async def answer(reader: asyncio.StreamReader) -> Answer:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    if "content-length" in headers:
        whole = await reader.readexactly(int(headers["content-length"]))
    else:
        whole = b""
        while size := int(await reader.readline(), 16):
            whole += await reader.readexactly(size)
            await reader.readexactly(2)
    return Answer(int(first.split()[1]), headers, whole)
