"""`retinue mcp-servers`: the MCP servers, their tools in the servers' own words, and what waits to be allowed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from bot.cli import texts
from bot.cli.options import config_option, print_lines
from bot.cli.order_client import print_order_answer_and_get_status, send_or_run_order
from bot.config import load
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.mcp_settings import McpServerSettings
from bot.core.program_names import retinue_command
from bot.core.texts import escape_unprintable
from bot.journal import mcp_tools
from bot.mcp_client.declarations import effects_of_tool
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.health_rows import HealthRow, list_mcp_health
from bot.store.mcp_tools import McpToolRow, list_listing_faults, list_mcp_tools


class KnownServers(NamedTuple):
    """What the rows hold about MCP servers."""

    tools: Sequence[McpToolRow] = ()
    faults: Mapping[str, Sequence[str]] = {}
    health: Mapping[str, HealthRow] = {}


@click.group(invoke_without_command=True)
@config_option
@click.pass_context
def mcp_servers(context: click.Context, file: Path | None) -> None:
    """List the MCP servers with their tools; allow changed tools."""
    if context.invoked_subcommand is None:
        print_servers(file)


@mcp_servers.command("list")
@config_option
def list_servers(file: Path | None) -> None:
    """List the MCP servers and their tools, in the servers' own words."""
    print_servers(file)


@mcp_servers.command("allow")
@config_option
@click.argument("server")
def allow_tools(file: Path | None, server: str) -> ExitStatus:
    """Allow all tools of a SERVER as it describes them now."""
    config = load(file).config
    if server not in config.mcp.servers:
        names = ", ".join(sorted(config.mcp.servers)) or texts.NO_MCP_SERVER_AT_ALL
        raise ConfigError(texts.NO_SUCH_MCP_SERVER(server=escape_unprintable(server), servers=names))
    said = send_or_run_order(
        config.data_dir,
        "allow mcp tools",
        lambda db, terms: mcp_tools.allow_for_operator(db, server, terms),
        server=server,
    )
    return print_order_answer_and_get_status(said)


def print_servers(file: Path | None) -> None:
    config = load(file).config
    found = query_database_file(config.data_dir / "bot.db", read_known_servers, KnownServers())
    print_lines(server_lines(config.mcp.servers, found))


def read_known_servers(db: Connection) -> KnownServers:
    return KnownServers(list_mcp_tools(db), list_listing_faults(db), list_mcp_health(db))


def server_lines(servers: Mapping[str, McpServerSettings], found: KnownServers) -> Iterator[str]:
    if not servers:
        yield texts.NO_MCP_SERVERS
    for name, settings in sorted(servers.items()):
        tools = [row for row in found.tools if row.listed.server == name and row.is_listed]
        yield describe_server(name, len(tools), found.health.get(name))
        for fault in found.faults.get(name, ()):
            yield texts.MCP_FAULT(fault=escape_unprintable(fault))
        for row in tools:
            effects = ", ".join(sorted(effects_of_tool(row.listed.name, settings)))
            if row.is_on:
                yield texts.MCP_TOOL_ON(tool=row.listed.full_name, effects=effects or texts.NO_EFFECTS)
            else:
                command = retinue_command(f"mcp-servers allow {name}")
                yield texts.MCP_TOOL_OFF(tool=row.listed.full_name, command=command)
            yield texts.MCP_TOOL_SAYS(text=escape_unprintable(row.listed.description) or texts.SAYS_NOTHING)
            if not row.is_on:
                arguments = json.dumps(row.listed.input_schema, ensure_ascii=False)
                yield texts.MCP_TOOL_ARGUMENTS(arguments=escape_unprintable(arguments))
            if row.listed.hidden_characters:
                yield texts.MCP_HIDDEN(row.listed.hidden_characters)


def describe_server(name: str, tools: int, health: HealthRow | None) -> str:
    if health is None:
        return texts.MCP_NEVER_CONNECTED(server=name)
    if health.fault:
        return texts.MCP_AWAY(server=name, fault=health.fault)
    return texts.MCP_CONNECTED(tools, server=name)
