"""The tools that MCP servers list, as they are kept: cleaned, and with a hash of what the server said of each."""

import json
from dataclasses import dataclass
from typing import Any

from bot.core.mcp_settings import SERVER_TOOL_SEPARATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool of a server. Name, description and schema are words of others."""

    server: str
    name: str  # as the server calls it
    description: str
    input_schema: dict[str, Any]
    hash: str  # of all that the server said of it, before it was cleaned
    hidden_characters: int = 0  # invisible ones, that were taken out

    @property
    def full_name(self) -> str:
        """Return the name under which models call it."""
        return full_tool_name(self.server, self.name)

    @property
    def as_json(self) -> str:
        said = {"description": self.description, "schema": self.input_schema, "hidden": self.hidden_characters}
        return json.dumps(said, sort_keys=True)


def full_tool_name(server: str, tool: str) -> str:
    return f"{server}{SERVER_TOOL_SEPARATOR}{tool.replace('.', '_').replace('/', '_')}"


def listed_tool_from_json(server: str, name: str, hash: str, text: str) -> ListedTool:
    said = json.loads(text)
    return ListedTool(
        server=server,
        name=name,
        description=said["description"],
        input_schema=said["schema"],
        hash=hash,
        hidden_characters=said["hidden"],
    )
