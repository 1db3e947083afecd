"""HTTP/1.1 as far as the stand-ins need it, over asyncio's streams."""

import asyncio
import contextlib
import json
import socket
import struct
from dataclasses import dataclass, replace
from typing import Any

MOST_BYTES = 32 * 1024 * 1024
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class HungUp(Exception):
    """The client has disconnected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""
    query: str = ""
    too_large: bool = False


class Connection:
    """One client's connection: requests and answers, one after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.most_bytes = MOST_BYTES  # of a body
        self.pushed = b""  # a byte that `watch` has read of the next request

    async def request(self) -> Incoming | None:
        """Return the next request, or None if there are no more."""
        opening = await self.opening()
        return opening and await self.rest(opening)

    async def opening(self) -> Incoming | None:
        """Return the head of the next request without its body, or None if there are no more."""
        try:
            head = self.pushed + await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        self.pushed = b""
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        path, _, query = target.partition("?")
        return Incoming(method=method, path=path, query=query, headers=headers)

    async def rest(self, opening: Incoming) -> Incoming | None:
        """Return the request with its body. Return None if the client leaves before the body's end."""
        try:
            body, too_large = await self.body(opening.headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return replace(opening, body=body, too_large=too_large)

    async def body(self, headers: dict[str, str]) -> tuple[bytes, bool]:
        """Read the body, and return it and whether it is too large. Read even a large one: a client that still writes
        would not see our answer."""
        if headers.get("transfer-encoding") == "chunked":
            return await self.chunks()
        length = int(headers.get("content-length", 0))
        kept, left = [], length
        while left:
            piece = await self.reader.readexactly(min(left, 1 << 16))
            left -= len(piece)
            if length <= self.most_bytes:
                kept.append(piece)
        return b"".join(kept), length > self.most_bytes

    async def chunks(self) -> tuple[bytes, bool]:
        whole = b""
        while size := int((await self.reader.readline()).split(b";")[0], 16):
            whole += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readline()
        return whole[: self.most_bytes], len(whole) > self.most_bytes

    async def watch(self) -> None:
        """Return when the client disconnects."""
        while not self.pushed:
            try:
                self.pushed = await self.reader.read(1)
            except ConnectionError:
                return
            if not self.pushed:
                return
        await asyncio.Event().wait()  # the next request has begun, so the client is still there

    async def send(self, data: bytes) -> None:
        try:
            self.writer.write(data)
            await self.writer.drain()
        except ConnectionError as gone:
            raise HungUp from gone

    async def head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", *(f"{k}: {v}" for k, v in headers.items())]
        await self.send("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def json(self, status: int, headers: dict[str, str], value: Any) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        await self.whole(status, {"content-type": "application/json", **headers}, body)

    async def whole(self, status: int, headers: dict[str, str], body: bytes) -> None:
        await self.head(status, {"content-length": str(len(body)), **headers})
        await self.send(body)

    async def chunk(self, data: bytes) -> None:
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def last_chunk(self) -> None:
        await self.send(b"0\r\n\r\n")

    async def half_a_chunk(self, data: bytes) -> None:
        await self.send(f"{len(data) * 2:x}\r\n".encode() + data)

    def reset(self) -> None:
        """Reset the connection, so that the other end sees no normal end."""
        found: socket.socket | None = self.writer.get_extra_info("socket")
        if found is not None:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()
