"""MCP servers for tests: a program in each test's folder, and a client of one server with its tools."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.core.mcp_settings import McpServerSettings
from bot.mcp_client.connection import ConnectionTimings, ServerConnection, ServerPlace
from bot.mcp_client.listing import OfferedTool
from tests.support.patience import PATIENCE

SERVER_PATH = Path(__file__).with_name("raw_mcp_server.py")
QUICK = ConnectionTimings(first_retry=0.02, longest_retry=0.1, shortest_relist=0.05, connect=PATIENCE)
FIELDS = {"type": "object", "properties": {"to": {"type": "string"}, "loud": {"type": "boolean"}}}


def listed(name: str, description: str = "Does it.", schema: Any = FIELDS, **more: Any) -> dict[str, Any]:
    """Return a tool as a server lists it."""
    return {"name": name, "description": description, "inputSchema": schema, **more}


@dataclass
class RawServer:
    """The settings and the files of a server in a test's folder."""

    folder: Path

    @property
    def called(self) -> list[str]:
        """Return the names of the tools that were called, in order."""
        path = self.folder / "calls"
        return path.read_text().split() if path.exists() else []

    def lists(self, *tools: dict[str, Any] | str) -> None:
        """Let the server list these tools; or, for "silent" and "never", never answer or never come to an end."""
        value = tools[0] if tools and isinstance(tools[0], str) else tools
        (self.folder / "tools.json").write_text(json.dumps(value))

    def settings(self, **fields: Any) -> McpServerSettings:
        paths = (SERVER_PATH, self.folder / "tools.json", self.folder / "calls")
        usual = {"command": sys.executable, "args": ("-I", "-S", *map(str, paths)), "sandbox": False}
        return McpServerSettings.model_validate({**usual, **fields})


@dataclass
class Watched:
    """A connection, and what it has told."""

    connection: ServerConnection
    listings: list[list[OfferedTool]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return what a model reads of a call's result."""
        return (await self.connection.call(tool, arguments)).content

    async def has_told(self, *faults: str) -> None:
        """Wait until the connection has told these faults; "" means that the server can be used."""
        async with asyncio.timeout(PATIENCE):
            while self.faults != [*faults]:
                self.told.clear()
                await self.told.wait()


@asynccontextmanager
async def connect(
    settings: McpServerSettings, folder: Path, timings: ConnectionTimings = QUICK, **place: Any
) -> AsyncIterator[Watched]:
    """Run a connection, and end it cleanly."""

    async def on_listing(offered: list[OfferedTool]) -> None:
        watched.listings.append(offered)
        watched.told.set()

    async def on_fault(fault: str) -> None:
        watched.faults.append(fault)
        watched.told.set()

    at = ServerPlace(folder=folder, **place)
    watched = Watched(ServerConnection("raw", settings, at, on_listing, on_fault, timings))
    running = asyncio.create_task(watched.connection.run())
    try:
        yield watched
    finally:
        running.cancel()
        await asyncio.wait([running], timeout=PATIENCE)
        assert running.cancelled()
