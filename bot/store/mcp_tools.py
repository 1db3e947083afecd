"""The tools of MCP servers: what each server lists, and which form of each tool was accepted."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.core.mcp_tools import ListedTool, listed_tool_from_json
from bot.store.connection import MCP_TOOLS_TOPIC, Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class McpToolRow:
    """A tool as its server lists it now, and as it was accepted. A tool is on if both are the same."""

    listed: ListedTool
    accepted: ListedTool | None  # None: never
    refused_hash: str  # the form that the owner does not want; empty: none
    is_listed: bool  # the server still lists it

    @property
    def is_on(self) -> bool:
        return self.is_listed and self.accepted is not None and self.accepted.hash == self.listed.hash

    @property
    def is_waiting(self) -> bool:
        """Return True if the owner has not decided about the form that the server lists."""
        return self.is_listed and not self.is_on and self.refused_hash != self.listed.hash


def list_mcp_tools(db: Connection, server: str | None = None) -> list[McpToolRow]:
    """Return the tools of a server, or of all, by server and name."""
    rows = db.fetch_rows("SELECT * FROM mcp_tools WHERE server = ifnull(?, server) ORDER BY server, tool", server)
    return [mcp_tool_from_row(row) for row in rows]


def mcp_tool_from_row(row: sqlite3.Row) -> McpToolRow:
    whose = row["server"], row["tool"]
    accepted = listed_tool_from_json(*whose, row["accepted_hash"], row["accepted"]) if row["accepted_hash"] else None
    return McpToolRow(
        listed=listed_tool_from_json(*whose, row["listed_hash"], row["listed"]),
        accepted=accepted,
        refused_hash=row["refused_hash"],
        is_listed=bool(row["is_listed"]),
    )


def save_listed_tool(db: Connection, tool: ListedTool, now: datetime, *, is_accepted: bool) -> None:
    """Write down what a server says of a tool. If `is_accepted`, that form of it is on from now on."""
    said = {"listed_hash": tool.hash, "listed": tool.as_json, "is_listed": True, "seen_at": now}
    if is_accepted:
        said |= {"accepted_hash": tool.hash, "accepted": tool.as_json}
    if not db.insert_if_new("mcp_tools", server=tool.server, tool=tool.name, **said):
        db.update("mcp_tools", said, server=tool.server, tool=tool.name)
    db.add_wake_up(MCP_TOOLS_TOPIC)


def mark_unlisted_tools(db: Connection, server: str, listed: Iterable[str]) -> None:
    """Note that a server lists only these of its tools."""
    gone = "UPDATE mcp_tools SET is_listed = 0 WHERE server = ? AND tool NOT IN (SELECT value FROM json_each(?))"
    db.execute(gone, (server, list(listed)))
    db.add_wake_up(MCP_TOOLS_TOPIC)


def accept_listed_form(db: Connection, server: str, tool: str) -> None:
    form = "accepted_hash = listed_hash, accepted = listed, refused_hash = ''"
    db.execute(f"UPDATE mcp_tools SET {form} WHERE server = ? AND tool = ?", (server, tool))
    db.add_wake_up(MCP_TOOLS_TOPIC)


def refuse_listed_form(db: Connection, server: str, tool: str) -> None:
    db.execute("UPDATE mcp_tools SET refused_hash = listed_hash WHERE server = ? AND tool = ?", (server, tool))
    db.add_wake_up(MCP_TOOLS_TOPIC)


def save_listing_faults(db: Connection, server: str, faults: Iterable[str]) -> None:
    """Write down what is wrong with the last list of a server."""
    db.upsert("mcp_servers", server=server, faults=list(faults))


def list_listing_faults(db: Connection) -> dict[str, list[str]]:
    """Return what is wrong with the last list of each server that has ever listed its tools."""
    return {row["server"]: json.loads(row["faults"]) for row in db.fetch_rows("SELECT * FROM mcp_servers")}


def forget_other_servers(db: Connection, servers: Iterable[str]) -> None:
    """Forget all servers but these: a server that is configured again is seen for the first time."""
    for table in ("mcp_tools", "mcp_servers"):
        db.execute(f"DELETE FROM {table} WHERE server NOT IN (SELECT value FROM json_each(?))", (list(servers),))
