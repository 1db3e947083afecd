"""The front on stdin and stdout: one client, whose name was given when the process was started."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator

from mcp.server.stdio import stdio_server

from bot.mcp_server.server import DelegationServer
from channels.terminal.line_interface import read_lines_from_descriptor


class Lines:
    """Stdin as the SDK reads it. A task that waits for a line can be cancelled, so the process can end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __aiter__(self) -> AsyncIterator[str]:
        return read_lines_from_descriptor(self.descriptor)


class Writer:
    """Stdout as the SDK writes it. Whatever else the process prints goes to stderr, and cannot break a message."""

    def __init__(self) -> None:
        self.descriptor = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def write(self, text: str) -> None:
        await asyncio.to_thread(self.write_all, text.encode(errors="replace"))

    def write_all(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.descriptor, data) :]

    async def flush(self) -> None:
        """Do nothing: each message is written at once."""


async def serve_stdio(server: DelegationServer) -> None:
    """Serve the client until it closes stdin, or until cancelled."""
    streams = stdio_server(Lines(sys.stdin.fileno()), Writer())  # type: ignore[arg-type]  # they have what it uses
    async with streams as (reading, writing):
        await server.server.run(reading, writing, server.server.create_initialization_options())
