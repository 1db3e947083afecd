"""A connection to Toy: JSON objects, one a line, both ways. Toy's first line welcomes the bot or refuses it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.core.errors import ConfigError
from tests.channels.toy import texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    bot: str  # its name
    maker: int  # the id of the person who made it
    maker_name: str


class ToyConnection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.welcome = Welcome(bot="", maker=0, maker_name="")

    async def read(self) -> dict[str, Any]:
        """Return the next line. Raise ConnectionError if there will be none."""
        if not (line := await self.reader.readline()):
            raise ConnectionError("the connection was lost")
        read: dict[str, Any] = json.loads(line)
        return read

    async def write(self, **line: Any) -> None:
        self.writer.write(json.dumps(line).encode() + b"\n")
        await self.writer.drain()


@asynccontextmanager
async def open_connection(token: str, port: int) -> AsyncIterator[ToyConnection]:
    """Sign in. Raise ConfigError if Toy refuses the token, OSError if it cannot be reached."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        connection = ToyConnection(reader, writer)
        await connection.write(token=token)
        first = await connection.read()
        if "refused" in first:
            raise ConfigError(texts.TOKEN_REFUSED)
        connection.welcome = Welcome(**first)
        yield connection
    finally:
        writer.close()
