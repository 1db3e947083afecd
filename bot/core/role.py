"""Roles: the characters in which the bot can work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.limits import Limits
from bot.core.messages import RoleName

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
    limits: Limits
    picture: bytes = field(default=b"", repr=False)  # a PNG, JPEG or GIF; empty if the role has none


GetCurrentRoles = Callable[[], Mapping[RoleName, Role]]  # returns a new mapping after a role has changed
