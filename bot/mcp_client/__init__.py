"""The MCP client: the tools of other programs, for roles. `bot/app.py` runs one if servers are configured.

Which tools there are is decided by the rows, not by who is connected: the tools of a server that is away stay in the
prompts, and their calls fail. So a server that comes and goes begins no new chapter in any conversation.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from bot.core.guarded_fetch import GuardedFetcher
from bot.core.host_proxy import HostProxy
from bot.core.limits import GetCurrentTerms
from bot.core.mcp_settings import McpServerSettings
from bot.core.mcp_tools import ListedTool
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.journal.mcp_tools import save_listing
from bot.mcp_client import texts
from bot.mcp_client.connection import DEFAULT_TIMINGS, ConnectionTimings, ServerConnection, ServerPlace
from bot.mcp_client.declarations import declaration_faults, make_tool, make_waiting_tool
from bot.mcp_client.listing import OfferedTool, read_listing
from bot.mcp_client.sandboxing import NO_SANDBOX, Sandbox
from bot.store import Store, health_rows
from bot.store import mcp_tools as rows
from bot.store.connection import MCP_TOOLS_TOPIC, Connection
from bot.tools import Arguments, CallResult, Tool, ToolContext, refuse_secrets

log = logging.getLogger(__name__)

SERVER_FOLDERS_NAME = "mcp"  # below the data folder: where servers' programs work
MAX_KEPT_FAULTS = 20  # of one listing
OnToolsChanged = Callable[[], None]


class McpClient:
    """All configured servers. `load_tools` reads the rows; `run` keeps the connections, until cancelled."""

    def __init__(
        self,
        servers: Mapping[str, McpServerSettings],
        store: Store,
        terms: GetCurrentTerms,
        data: Path,
        network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
        *,
        sandbox: Sandbox = NO_SANDBOX,
        timings: ConnectionTimings = DEFAULT_TIMINGS,
    ) -> None:
        self.servers = servers
        self.store = store
        self.terms = terms
        self.offered: list[Tool] = []  # what roles may have
        self.waiting: list[Tool] = []  # what the owner has not allowed; calls of these are refused
        self.on_tools_changed: OnToolsChanged = lambda: None
        self.connections = {
            name: ServerConnection(
                name,
                settings,
                ServerPlace(
                    folder=data / SERVER_FOLDERS_NAME / name,
                    network=network,
                    sandbox=sandbox,
                    proxy=HostProxy(GuardedFetcher(network)),
                ),
                partial(self.take_listing, name),
                partial(self.note_fault, name),
                timings,
            )
            for name, settings in servers.items()
        }

    async def load_tools(self) -> None:
        """Read which tools are on."""
        found = [row for row in await self.store.read(rows.list_mcp_tools) if row.listed.server in self.servers]
        self.offered = [self.make_tool(row.listed) for row in found if row.is_on]
        self.waiting = [
            make_waiting_tool(row.listed, self.servers[row.listed.server])
            for row in found
            if row.is_listed and not row.is_on
        ]

    def make_tool(self, listed: ListedTool) -> Tool:
        connection = self.connections[listed.server]

        async def run(context: ToolContext, arguments: Arguments) -> CallResult:
            refuse_secrets(context, listed.full_name, arguments)
            return await connection.call(listed.name, arguments, context.report_progress)

        return make_tool(listed, self.servers[listed.server], run)

    async def run(self) -> None:
        await self.store.write(self.forget_former_servers)
        with self.store.signals.listen(MCP_TOOLS_TOPIC) as changed:
            async with asyncio.TaskGroup() as owners:
                for name, connection in self.connections.items():
                    owners.create_task(connection.run(), name=f"MCP server {name}")
                while True:
                    await changed.wait()
                    changed.take_names_and_clear()
                    await self.load_tools()
                    self.on_tools_changed()

    def forget_former_servers(self, db: Connection) -> None:
        rows.forget_other_servers(db, self.servers)
        health_rows.clear_mcp_health(db)

    async def take_listing(self, server: str, offered: list[OfferedTool]) -> None:
        listing = read_listing(server, offered)
        by_name = {tool.name: tool for tool in listing.tools}
        faults = [*listing.faults, *declaration_faults(server, self.servers[server], by_name)]
        for fault in faults[:MAX_KEPT_FAULTS]:
            log.warning(texts.LISTING_FAULT, server, fault)
        log.info(texts.SERVER_READY, server, len(listing.tools))
        await self.store.write(save_listing, server, listing.tools, faults[:MAX_KEPT_FAULTS], self.terms())

    async def note_fault(self, server: str, fault: str) -> None:
        if fault:
            log.warning(texts.SERVER_FAULT, server, fault)
        await self.store.write(health_rows.save_mcp_fault, server, fault, self.terms().now)
