"""Roles: who the bot can be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.core.limits import Limits
from bot.core.messages import RoleName

LEAD = RoleName("lead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """`tools` None or empty: every tool that is switched on; `delegates_to` None: every role that there is."""

    name: RoleName
    prompt: str
    description: str = ""
    model: str = ""  # empty: the one that the config names for roles, or for the lead
    effort: str = ""
    tools: frozenset[str] | None = None
    delegates_to: frozenset[RoleName] | None = None
    limits: Limits


RolesNow = Callable[[], Mapping[RoleName, Role]]  # another mapping whenever a role has changed
