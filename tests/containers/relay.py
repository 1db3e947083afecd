"""A stand-in listens on this machine's own address alone; a relay lets a cell reach it at the same port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PIECE = 1 << 16


async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await source.read(PIECE):
            target.write(piece)
            await target.drain()
    target.close()


@asynccontextmanager
async def relayed(address: str, port: int) -> AsyncIterator[None]:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner, outer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        async with asyncio.TaskGroup() as both:
            both.create_task(carry(reader, outer), name="a relay in")
            both.create_task(carry(inner, writer), name="a relay out")

    async with await asyncio.start_server(connected, address, port):
        yield
