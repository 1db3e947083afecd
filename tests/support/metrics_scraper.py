"""Ask for metrics as Prometheus does, and read the answer."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.support.patience import PATIENCE

REQUEST = b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n"
Samples = dict[tuple[str, tuple[str, ...]], float]  # by the metric's name, and the values of its labels


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def ask(at: int | Path, request: bytes = REQUEST) -> tuple[str, str]:
    """Return the head (status line and headers), and the body."""
    async with asyncio.timeout(PATIENCE):
        reader, writer = await connect(at)
        writer.write(request)
        answer = await rest(reader)
        await leave(writer)
    head, _, body = answer.decode().partition("\r\n\r\n")
    return head, body


async def connect(at: int | Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if isinstance(at, Path):
        return await asyncio.open_unix_connection(at)
    return await asyncio.open_connection("127.0.0.1", at)


async def rest(reader: asyncio.StreamReader) -> bytes:
    """Return all that still comes. Return nothing if the connection is reset: the kernel decides whether it is."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def leave(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def scrape(at: int | Path) -> Samples:
    _, body = await ask(at)
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }
