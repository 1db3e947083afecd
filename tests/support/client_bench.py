"""A bot in the test that clients reach over its control socket, and the official MCP client before it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp
from mcp_types import CallToolResult, TextContent
from pydantic import SecretStr

from bot.app import BotServices
from bot.core.access import Access
from bot.core.client_settings import ClientSettings, access_of_clients
from bot.core.messages import Address, PersonId
from bot.core.rights import EVERY_RIGHT, Right
from bot.mcp_server.server import DelegationServer
from bot.ops.control.delegations import DELEGATIONS_REQUEST, RunningBot, make_delegations_answerer
from bot.ops.control.server import ControlServer
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import FakeChannel

VERSION = "1"
TOKEN = "editor-" + "e" * 40
CLIENTS = {
    "editor": ClientSettings(rights=EVERY_RIGHT, token=SecretStr(TOKEN)),
    "script": ClientSettings(rights=EVERY_RIGHT, token=SecretStr("script-" + "s" * 40)),
    "reader": ClientSettings(rights=frozenset({Right.TALK})),
    "mute": ClientSettings(rights=frozenset({Right.DELEGATE})),
}
OWNER_AT = Address(channel="fake", chat="owner")
ACCESS = {"fake": Access(owner_id=PersonId("Owner"), owner_address=OWNER_AT)}


@asynccontextmanager
async def running_for_clients(bench: Bench, **options: Any) -> AsyncIterator[RunningBot]:
    """Run a bot with the clients above, and yield it as a front sees it. `options` are those of `engine_options`, and
    fields of an Assembly."""

    async def serve(services: BotServices) -> None:
        answer = make_delegations_answerer(services.clients, VERSION)
        await ControlServer(bench.data, {DELEGATIONS_REQUEST: answer}).run()

    fields: dict[str, Any] = {name: options.pop(name) for name in ("tools", "now", "secrets") if name in options}
    made_of: dict[str, Any] = {**engine_options(**{"clients": CLIENTS, **options}), **fields}
    access = {**ACCESS, **access_of_clients(made_of["settings"].clients)}
    bench.chat = FakeChannel()
    async with bench.run(access=access, serve_control_socket=serve, **made_of):
        yield RunningBot(bench.data, VERSION)


@dataclass(frozen=True)
class Connected:
    """The official client, connected as one of the clients."""

    client: mcp.Client
    told: list[str] = field(default_factory=list)
    has_heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool. What it reports meanwhile comes to `told`."""

        async def note(progress: float, total: float | None, message: str | None) -> None:
            self.told.append(message or "")
            self.has_heard.set()

        return await self.client.call_tool(tool, arguments, progress_callback=note)

    async def delegation(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that returns a delegation, and return that."""
        found = await self.call(tool, **arguments)
        assert not found.is_error, found
        return dict(found.structured_content)

    async def refusal(self, tool: str, **arguments: Any) -> str:
        """Call a tool that refuses, and return why."""
        found = await self.call(tool, **arguments)
        assert found.is_error, found
        return text_of(found)


def text_of(found: CallToolResult) -> str:
    [content] = found.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def connected(bot: RunningBot, name: str = "editor", **options: Any) -> AsyncIterator[Connected]:
    """Connect the official client in memory. `options` are those of the client."""
    server = DelegationServer(bot, lambda _: name, VERSION)
    async with mcp.Client(server.server, **options) as client:
        yield Connected(client)
