"""Ends of a connection that a well-behaved server never makes, and the body of a request, whole."""

import asyncio
import socket
import struct

from aiohttp import BodyPartReader, web

from tests.stand_ins.discord.errors import form, refusal
from tests.stand_ins.discord.interactions import MOST_BYTES
from tests.stand_ins.discord.snowflakes import Json


def reset(transport: asyncio.Transport | None) -> None:
    """Hang up so that the other end sees a reset, not an end. Without a transport it has hung up already."""
    if transport is None:
        return
    found: socket.socket | None = transport.get_extra_info("socket")
    if found is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def hang_up(transport: asyncio.Transport | None) -> None:
    """End the connection after what was written."""
    if transport is not None:
        transport.close()


async def half(http: web.Request, body: bytes, headers: dict[str, str]) -> web.StreamResponse:
    """Half of a body whose length was promised, and then the end."""
    response = web.StreamResponse(headers=headers)
    response.content_length = len(body)
    await response.prepare(http)
    await response.write(body[: len(body) // 2])
    hang_up(http.transport)
    return response


async def read_parts(http: web.Request) -> tuple[bytes, list[Json]]:
    """A form with files: the JSON beside them, and each file's name and size."""
    payload, files = b"{}", []
    async for part in await http.multipart():
        if not isinstance(part, BodyPartReader):
            raise form("payload_json", "PARTS_NESTED", "Parts may not be nested.")
        content = bytes(await part.read())
        if part.name == "payload_json":
            payload = content
        elif len(content) > MOST_BYTES:
            raise refusal(40005)
        else:
            files.append(attachment(part.filename or "unknown", content))
    return payload, files


def attachment(name: str, content: bytes) -> Json:
    """As a message has it; its id comes with the message's."""
    url = f"https://cdn.invalid/{name}"
    return {"filename": name, "size": len(content), "url": url, "proxy_url": url}
