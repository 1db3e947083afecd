"""HTTP/1.1 as far as a client of this service needs it, over asyncio's streams."""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.servers.claude.errors import ApiError

MOST_BYTES = 32 * 1024 * 1024
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class HungUp(Exception):
    """The client is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    too_large: bool = False


class Connection:
    """One client's connection: requests in, answers out, one after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.pushed = b""  # read while we watched for the end

    async def request(self) -> Incoming | None:
        """The next request; None if there is none any more."""
        try:
            head = self.pushed + await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        self.pushed = b""
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        try:
            body, too_large = await self.body(headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return Incoming(method=method, path=path.split("?", 1)[0], headers=headers, body=body, too_large=too_large)

    async def body(self, headers: dict[str, str]) -> tuple[bytes, bool]:
        """All of it is read, however large: a client that still writes would not see our answer."""
        if headers.get("transfer-encoding") == "chunked":
            return await self.chunks()
        length = int(headers.get("content-length", 0))
        kept, left = [], length
        while left:
            piece = await self.reader.readexactly(min(left, 1 << 16))
            left -= len(piece)
            if length <= MOST_BYTES:
                kept.append(piece)
        return b"".join(kept), length > MOST_BYTES

    async def chunks(self) -> tuple[bytes, bool]:
        whole = b""
        while size := int((await self.reader.readline()).split(b";")[0], 16):
            whole += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readline()
        return whole[:MOST_BYTES], len(whole) > MOST_BYTES

    async def watch(self) -> None:
        """Return when the client hangs up."""
        while not self.pushed:
            try:
                self.pushed = await self.reader.read(1)
            except ConnectionError:
                return
            if not self.pushed:
                return
        await asyncio.Event().wait()  # it asks again already: then it is not gone

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
        told = {"content-type": "application/json", "content-length": str(len(body)), **headers}
        await self.head(status, told)
        await self.send(body)

    async def chunk(self, data: bytes) -> None:
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def last_chunk(self) -> None:
        await self.send(b"0\r\n\r\n")

    async def half_a_chunk(self, data: bytes) -> None:
        await self.send(f"{len(data) * 2:x}\r\n".encode() + data)

    def reset(self) -> None:
        """Hang up so that the other end sees a reset, not an end."""
        found: socket.socket | None = self.writer.get_extra_info("socket")
        if found is not None:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


def parsed(body: bytes) -> Any:
    """The JSON of a body, or the 400 that the service answers. It takes no NaN, no lone surrogate and no NUL."""
    try:
        text = body.decode()
        value = json.loads(text, parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as fault:
        raise ApiError(f"The request body is not valid JSON: no low surrogate in string: {fault.start}") from fault
    except ValueError as fault:
        raise ApiError(f"The request body is not valid JSON: {fault}") from fault
    if any("\0" in string for string in strings(value)):
        raise ApiError("The request body is not valid JSON: str should not contain NUL")
    return value


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from strings(item)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
