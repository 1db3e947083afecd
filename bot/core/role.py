"""Roles: the characters in which the bot can work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.limits import Limits
from bot.core.mcp_settings import ALL_TOOLS_SIGN, all_tools_of, server_of_tool
from bot.core.messages import RoleName
from bot.core.named_hosts import NO_HOSTS, NamedHosts

LEAD_ROLE_NAME = RoleName("lead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role. If `tools` is None or empty, it may use all tools; if `delegates_to` is None, it may call all roles."""

    name: RoleName
    prompt: str
    description: str = ""
    model: str = ""  # empty: the config's model for roles, or for the lead
    effort: str = ""
    tools: frozenset[str] | None = None
    delegates_to: frozenset[RoleName] | None = None
    hosts: NamedHosts = NO_HOSTS  # that its commands may reach, as far as the operator names them, too
    limits: Limits
    picture: bytes = field(default=b"", repr=False)  # a PNG, JPEG or GIF; empty if the role has none

    def tools_among(self, names: frozenset[str]) -> frozenset[str]:
        """Return which of these tools the role lists, by name or with all tools of their MCP server."""
        if not self.tools:
            return names
        servers = {name for name in self.tools if name.endswith(ALL_TOOLS_SIGN)}
        of_servers = {name for name in names if servers and all_tools_of(server_of_tool(name)) in servers}
        return names & self.tools | of_servers


GetCurrentRoles = Callable[[], Mapping[RoleName, Role]]  # returns a new mapping after a role has changed
