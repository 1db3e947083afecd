"""Ends of a connection that a well-behaved server never makes, and complete bodies of requests."""

import asyncio
import hashlib
import socket
import struct

from aiohttp import BodyPartReader, web

from tests.stand_ins.discord.errors import form, refusal
from tests.stand_ins.discord.interactions import MOST_BYTES
from tests.stand_ins.discord.snowflakes import Json


def reset(transport: asyncio.Transport | None) -> None:
    """Reset the connection, so that the other end sees no normal end. Without a transport it has ended already."""
    if transport is None:
        return
    found: socket.socket | None = transport.get_extra_info("socket")
    if found is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def hang_up(transport: asyncio.Transport | None) -> None:
    """End the connection after everything before is written."""
    if transport is not None:
        transport.close()


async def half(http: web.Request, body: bytes, headers: dict[str, str]) -> web.StreamResponse:
    """Send half of the promised body, then end the connection."""
    response = web.StreamResponse(headers=headers)
    response.content_length = len(body)
    await response.prepare(http)
    await response.write(body[: len(body) // 2])
    hang_up(http.transport)
    return response


async def read_parts(http: web.Request) -> tuple[bytes, list[Json]]:
    """Read a form with files. Return its JSON, and each file's name and size."""
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
    """Return an attachment as in a message. It gets its id with the message. Its address ends in its hash; no spaces
    stay in its name."""
    name = "_".join(name.split())
    url = f"https://cdn.invalid/attachments/{name}?hm={hashlib.sha256(content).hexdigest()}"
    return {"filename": name, "size": len(content), "url": url, "proxy_url": url}
