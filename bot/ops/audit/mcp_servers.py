"""MCP servers: programs outside of the sandbox or open to change, and what is hidden in a server's words."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.core.program_names import retinue_command
from bot.core.texts import escape_unprintable
from bot.ops.audit import texts
from bot.ops.audit.file_rights import find_open_paths
from bot.ops.audit.ownership import WRITE
from bot.ops.audit.subject import AuditedBot, Fault
from bot.store.mcp_tools import McpToolRow, list_mcp_tools

MAX_SHOWN_CHARACTERS = 100


def find_servers_outside_sandbox(bot: AuditedBot) -> Iterator[Fault]:
    for name, server in bot.config.mcp.servers.items():
        if server.is_program and not server.sandbox:
            yield Fault(text=texts.MCP_OUTSIDE(server=name), remedy=texts.MCP_INSIDE)


def find_changeable_programs(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each file of a server's command that a role or another user could change."""
    for server, settings in bot.config.mcp.servers.items():
        if settings.command is None:
            continue
        found = shutil.which(settings.command)
        words = [*([found] if found else []), *settings.args]
        paths = [Path(word) for word in words if word.startswith("/") and Path(word).is_file()]
        for path in paths:
            for name, folder in bot.workspaces.items():
                if path.resolve().is_relative_to(folder.resolve()):
                    text = texts.MCP_IN_WORKSPACE(server=server, path=path, name=name)
                    yield Fault(text=text, remedy=texts.MOVE_VOICE)
        for fault in find_open_paths(bot, texts.MCP_PROGRAM(server=server), paths, WRITE):
            if fault.apply_fix:  # a program of this machine may belong to anybody
                yield Fault(text=fault.text, remedy=fault.remedy)


def find_hidden_words(bot: AuditedBot) -> Iterator[Fault]:
    nothing: Sequence[McpToolRow] = ()
    for row in bot.read_rows(list_mcp_tools, nothing):
        if row.listed.server in bot.config.mcp.servers and row.is_listed and row.listed.hidden_characters:
            says = escape_unprintable(row.listed.description, MAX_SHOWN_CHARACTERS)
            text = texts.MCP_HIDDEN(row.listed.hidden_characters, tool=row.listed.full_name, text=says)
            yield Fault(text=text, remedy=texts.MCP_LOOK(command=retinue_command("mcp-servers")))
