"""Check the MCP servers: what each needs here, and how it was doing when the bot last wrote that down."""

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec

from bot.config import Config
from bot.core.findings import CheckFinding, ok_finding, warning_finding, wrong_finding
from bot.core.mcp_settings import McpServerSettings, filled_secrets
from bot.core.program_names import retinue_command
from bot.core.texts import escape_unprintable
from bot.ops.checks import texts
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.health_rows import HealthRow, list_mcp_health
from bot.store.mcp_tools import McpToolRow, list_listing_faults, list_mcp_tools

MAX_SHOWN_FAULTS = 5  # of one server
Rows = tuple[list[McpToolRow], dict[str, list[str]], dict[str, HealthRow]]
FindSandboxFault = Callable[[], str | None]


def check_mcp_servers(config: Config, find_sandbox_fault: FindSandboxFault) -> Iterator[CheckFinding]:
    """Yield nothing if no server is configured."""
    if not config.mcp.servers:
        return
    if find_spec("mcp") is None:
        yield wrong_finding(texts.NO_MCP_SDK, texts.INSTALL_MCP_SDK)
        return
    nothing: Rows = ([], {}, {})
    tools, faults, health = query_database_file(config.data_dir / "bot.db", read_rows, nothing)
    for name, server in config.mcp.servers.items():
        if needs := [*find_missing_needs(name, server, find_sandbox_fault)]:
            yield from needs
            continue
        for fault in faults.get(name, [])[:MAX_SHOWN_FAULTS]:
            shown = texts.MCP_SERVER_FAULT(server=name, fault=escape_unprintable(fault))
            yield warning_finding(shown, texts.MCP_WITHOUT_IT)
        rows = [row for row in tools if row.listed.server == name and row.is_listed]
        if off := [row.listed.full_name for row in rows if not row.is_on]:
            command = retinue_command(f"mcp-servers allow {name}")
            shown = texts.MCP_TOOLS_OFF(server=name, tools=", ".join(off))
            yield warning_finding(shown, texts.MCP_ALLOW(list=retinue_command("mcp-servers"), command=command))
        is_outside = server.is_program and not server.sandbox
        yield check_health(name, len(rows) - len(off), health.get(name), is_outside=is_outside)


def read_rows(db: Connection) -> Rows:
    return list_mcp_tools(db), list_listing_faults(db), list_mcp_health(db)


def find_missing_needs(
    name: str, server: McpServerSettings, find_sandbox_fault: FindSandboxFault
) -> Iterator[CheckFinding]:
    """Yield what keeps a server from being used, even if it works itself."""
    for key, given in (("env", server.env), ("headers", server.headers)):
        try:
            filled_secrets(given)
        except ValueError as missing:
            key = f"mcp.servers.{name}.{key}.{missing}"
            yield wrong_finding(texts.MCP_NO_VALUE(key=key), texts.MCP_SET_VALUE(file=key.replace(".", "__").lower()))
    if server.command is None:
        return
    if shutil.which(server.command) is None:
        command = escape_unprintable(server.command)
        yield wrong_finding(texts.MCP_NO_PROGRAM(server=name, command=command), texts.MCP_SET_PROGRAM(server=name))
    if server.sandbox and (fault := find_sandbox_fault()):
        shown = texts.MCP_NO_SANDBOX(server=name, fault=fault)
        yield wrong_finding(shown, texts.MCP_SANDBOX_OFF(server=name))


def check_health(name: str, tools: int, health: HealthRow | None, *, is_outside: bool) -> CheckFinding:
    if health and health.fault:
        return warning_finding(texts.MCP_SERVER_FAULT(server=name, fault=health.fault), texts.MCP_RETRIES)
    if health is None:
        return ok_finding(texts.MCP_NOT_SEEN(server=name))
    shown = texts.MCP_SERVER_OUTSIDE if is_outside else texts.MCP_SERVER
    return ok_finding(shown(tools, server=name))
