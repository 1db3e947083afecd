"""Role resolution: a role with its tools and limits, and the prompt prefix that all its turns share."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from bot.core.limits import Limits
from bot.core.messages import RoleName
from bot.core.prompt_prefix import Prefix
from bot.core.reply_plan import ResolvedRole
from bot.core.role import LEAD, Role
from bot.core.settings import Settings
from bot.tools import Tool

LIGHT_EFFORT = "low"  # for an agent's replies in a chat while it uses no tools


def resolve_role(
    role: Role, tools: Iterable[Tool], limits: Limits, settings: Settings, *, answers_people: bool = False
) -> ResolvedRole:
    """Resolve a role with these tools. Its prefix is static and sorted, so that it stays in the cache.

    If the role's file names an effort, that effort holds for every reply.
    """
    usual_effort = settings.model.effort
    shown = sorted(tools, key=lambda tool: tool.name)
    prefix = Prefix(
        model=role.model or (settings.model.lead if role.name == LEAD else settings.model.roles),
        effort=role.effort or usual_effort,
        light_effort=LIGHT_EFFORT if answers_people and not role.effort and usual_effort != LIGHT_EFFORT else "",
        system=role.prompt,
        tools=tuple(tool.schema for tool in shown),
    )
    names = frozenset(tool.name for tool in shown)
    return ResolvedRole(role=RoleName(role.name), prefix=prefix, tools=names, limits=limits)


def drop_forbidden_web_tools(prefix: Prefix, tools: Collection[str]) -> Prefix:
    """Return the prefix without the forbidden tools that the model's server runs: nobody here could refuse their calls.

    All other tools stay as they were, so that the prefix stays in the cache.
    """
    shown = tuple(tool for tool in prefix.tools if "type" not in tool or tool["name"] in tools)
    return replace(prefix, tools=shown)
