"""`retinue roles`: where each role comes from, its model, limits and tools, and which tools are off and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.assembly import make_workspace_tools
from bot.cli import texts
from bot.cli.options import config_option
from bot.config import Config, LoadedConfig, load
from bot.config.resolved_settings import why_no_web
from bot.config.roles import (
    EXISTING_TOOLS,
    FUTURE_TOOLS,
    KNOWN_TOOLS,
    SHIPPED_FILES,
    SHIPPED_FOLDER,
    effective_role_files,
    load_roles,
    read_shipped_roles,
)
from bot.core.limits import Limits, Terms
from bot.core.prices import is_claude_model
from bot.core.printable import escape_unprintable
from bot.core.reply_plan import ResolvedRole
from bot.core.role import LEAD, Role
from bot.core.settings import Settings
from bot.delegation.rules import DELEGATE_TOOL, DELEGATION_TOOL_NAMES, MESSAGE_TOOL, DelegationRules
from bot.delegation.tools import delegation_tools
from bot.tools.memory import memory_tools
from bot.tools.web import NAMES as WEB


@click.command()
@config_option
def command(file: Path | None) -> None:
    """List the roles with their models and tools; what is off, and why."""
    for line in format_roster(load(file)):
        click.echo(escape_unprintable(line))


def format_roster(loaded: LoadedConfig) -> Iterator[str]:
    """Yield lines that describe all roles, the lead first. Raise ConfigError if a role is wrong.

    Write nothing to the disk and ask no server.
    """
    rules = load_rules(loaded)
    cast = RoleResolution(rules, loaded.config, rules.resolve_lead(), why_no_web(loaded.config))
    sources, files = role_sources(loaded.config), effective_role_files(loaded.config)
    for role in sorted(rules.roles.values(), key=lambda role: (role.name != LEAD, role.name.casefold())):
        yield role.name
        if role.description:
            yield f"  {' '.join(role.description.split())}"
        for name, value in cast.describe_role(role):
            yield f"  {name + ':':<8}{value}"
        yield f"  {'from:':<8}{sources[role.name.casefold()]}"
        if unread := files[role.name.casefold()].ignored_keys if role.name.casefold() in files else ():
            yield f"  {'ignored:':<8} {', '.join(unread)}"
        yield ""
    yield cast.describe_lead_delegation()


def load_rules(loaded: LoadedConfig) -> DelegationRules:
    """Return the rules with the existing roles and tools. Make no files or folders for them."""
    rules = DelegationRules(load_roles(loaded.config, loaded.origin), loaded.config)
    terms = Terms(settings=loaded.config, now=datetime.now(UTC))
    of_the_app = [*delegation_tools(rules, lambda: terms), *memory_tools(lambda: terms)]
    rules.set_tools(
        [*of_the_app, *make_workspace_tools(loaded.config.workspace, has_web=not why_no_web(loaded.config))]
    )
    return rules


def find_switched_off_tools(rules: DelegationRules) -> dict[str, list[str]]:
    """Return, by role name, the sorted known tools that the role names and that are switched off here."""
    named = {role.name: (role.tools or frozenset()) & KNOWN_TOOLS - rules.tools.keys() for role in rules.roles.values()}
    return {name: sorted(tools) for name, tools in named.items() if tools}


def roles_without_web(rules: DelegationRules) -> dict[str, str]:
    """Return, by role name, the models that are not Claude models. Only Claude models are known to have web tools."""
    models = {role.name: model_of_role(role, rules.settings) for role in rules.roles.values()}
    return {name: model for name, model in models.items() if not is_claude_model(model)}


def model_of_role(role: Role, settings: Settings) -> str:
    return role.model or (settings.model.lead if role.name == LEAD else settings.model.roles)


def role_sources(config: Config) -> dict[str, str]:
    """Return where each role is defined, by casefolded name."""
    shipped = read_shipped_roles()
    sources = {}
    for key, file in effective_role_files(config).items():
        sources[key] = describe_role_file_origin(file.path, is_replacing=key in shipped)
    for name in config.swarm.roles:
        key = name.casefold()
        if key in sources:
            sources[key] = texts.ROLE_IN_CONFIG_OVER(role=name, source=sources[key])
        else:
            sources[key] = texts.ROLE_IN_CONFIG(role=name)
    return sources


def describe_role_file_origin(path: Path, *, is_replacing: bool) -> str:
    if path.parent.resolve() == SHIPPED_FOLDER:
        is_shipped = path.name in SHIPPED_FILES
        return texts.ROLE_SHIPPED(path=path) if is_shipped else texts.ROLE_AMONG_SHIPPED(path=path)
    return texts.ROLE_REPLACING_SHIPPED(path=path) if is_replacing else texts.ROLE_OWN(path=path)


@dataclass(frozen=True, slots=True)
class RoleResolution:
    """Every role with the tools and limits that it has when the lead asks it."""

    rules: DelegationRules
    settings: Settings
    lead: ResolvedRole
    no_web_reason: str  # why no role has the web tools; "" if the web is on

    def describe_role(self, role: Role) -> Iterator[tuple[str, str]]:
        is_lead = role.name == LEAD
        has = self.lead.tools if is_lead else self.rules.tools_of_role(role, self.lead.tools, 1)
        if role.name in roles_without_web(self.rules):
            has -= WEB
        effort = role.effort or self.settings.model.effort
        yield "model", texts.ROLE_MODEL(model=model_of_role(role, self.settings), effort=effort)
        yield "limits", format_limits(self.settings.limits.turn if is_lead else self.rules.limits_of_role(role))
        yield "tools", ", ".join(sorted(has)) or "none"
        if DELEGATE_TOOL in has and role.delegates_to is not None:
            yield "asks", ", ".join(sorted(self.rules.delegable_roles(role))) or texts.ASKS_NOBODY
        for reason, names in self.missing_tools(role, has).items():
            yield "off", texts.TOOLS_OFF(tools=", ".join(names), reason=reason)
        if not (is_lead or role.name in self.rules.delegable_roles(self.rules.roles[LEAD])):
            yield "off", texts.LEAD_CANNOT_ASK

    def missing_tools(self, role: Role, has: frozenset[str]) -> dict[str, list[str]]:
        """Return the tools that a role lacks, by reason.

        A role wants the tools that it names, or all existing ones if it names none.
        """
        speaking = {MESSAGE_TOOL} if role.name != LEAD else set()
        wanted = (role.tools or EXISTING_TOOLS - {MESSAGE_TOOL}) | speaking
        found: dict[str, list[str]] = {}
        for name in sorted(wanted - has):
            found.setdefault(self.reason_for_missing(role, name), []).append(name)
        return found

    def reason_for_missing(self, role: Role, name: str) -> str:
        if name == MESSAGE_TOOL:
            return texts.LEAD_SPEAKS_BY_TEXT if role.name == LEAD else texts.NO_UPDATES
        if name in DELEGATION_TOOL_NAMES and (no := self.why_no_delegation(0 if role.name == LEAD else 1)):
            return no
        if name in WEB and self.no_web_reason:
            return self.no_web_reason
        if name in WEB and (model := roles_without_web(self.rules).get(role.name)):
            return texts.NO_CLAUDE(model=model)
        if name not in self.rules.tools:
            if name in FUTURE_TOOLS:
                return texts.TOOL_OF_LATER_VERSION
            return texts.TOOL_SWITCHED_OFF if name in KNOWN_TOOLS else texts.NO_SUCH_TOOL
        return texts.LEAD_LACKS_IT

    def why_no_delegation(self, depth: int) -> str:
        """Return why no role can delegate at this depth, or "" if some can."""
        if not self.settings.swarm.enabled:
            return texts.SWARM_IS_OFF
        return "" if self.rules.may_delegate_at(depth) else texts.TOO_DEEP(depth=self.settings.swarm.max_depth)

    def describe_lead_delegation(self) -> str:
        """Return the last line: whether the lead can ask other roles, and which ones besides those in the list."""
        if no := self.why_no_delegation(0):
            return texts.LEAD_ASKS_NOBODY(reason=no)
        if DELEGATE_TOOL not in self.lead.tools:
            return texts.LEAD_HAS_NO_DELEGATE
        lead = self.rules.roles[LEAD]
        if self.rules.may_make_up_roles(lead):
            return texts.LEAD_MAY_MAKE_UP_ROLES
        if lead.delegates_to is not None:
            return texts.LEAD_ASKS_THOSE_NAMED
        return texts.LEAD_ASKS_ONLY_THESE


def format_limits(limits: Limits) -> str:
    return texts.ROLE_LIMITS(steps=limits.iterations, tokens=limits.tokens, seconds=limits.seconds)
