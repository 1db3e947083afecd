"""Calls by hand, for what no client library would send."""

import asyncio
import json
from typing import Any

from tests.stand_ins.raw import Answer, answer
from tests.stand_ins.telegram.server import TelegramStandIn

JSON = "application/json"


async def call(
    server: TelegramStandIn, method: str, *, body: bytes | None = None, kind: str = JSON, token: str = "", **given: Any
) -> Answer:
    """Send one call on its own connection, with its arguments as JSON, or with a body as it is."""
    whole = json.dumps(given).encode() if body is None else body
    head = f"POST /bot{token or server.token}/{method} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}"
    return await exchange(server, f"{head}\r\ncontent-length: {len(whole)}\r\n\r\n".encode() + whole)


async def exchange(server: TelegramStandIn, request: bytes) -> Answer:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write(request)
        await writer.drain()
        return await answer(reader)
    finally:
        writer.close()
        await writer.wait_closed()
