"""`retinue roles`: show each role's source, model, limits and tools, and which tools are off and why."""

import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.assembly import make_web_tools, make_workspace_and_web_tools, no_tools
from bot.cli import texts
from bot.cli.options import config_option
from bot.config import Config, LoadedConfig, load
from bot.config import roles as role_files
from bot.config.resolved_settings import reason_for_no_shell
from bot.config.skills import load_skills
from bot.config.web_tools import reason_for_no_search, reason_for_no_web
from bot.core.limits import DecisionTerms, Limits
from bot.core.named_hosts import hosts_in_both, names_of_hosts, parse_named_hosts
from bot.core.outgoing_files import OUTGOING_FOLDER_NAME
from bot.core.prices import is_claude_model
from bot.core.reply_plan import (
    DELEGATE_TOOL_NAME,
    POST_UPDATE_TOOL_NAME,
    SEND_MESSAGE_TOOL_NAME,
    ResolvedRole,
)
from bot.core.rights import EVERY_RIGHT
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.settings import Settings
from bot.core.texts import escape_unprintable
from bot.delegation.rules import DELEGATION_TOOL_NAMES, DelegationRules
from bot.delegation.tools import delegation_tools
from bot.tools.conversations import conversation_tools
from bot.tools.memory import memory_tools
from bot.tools.outgoing_folder import OutgoingFolder
from bot.tools.schedules import ScheduleTools
from bot.tools.send_file import send_file_tool
from bot.tools.send_message import send_message_tools
from bot.tools.shell import SHELL_TOOL_NAMES, shell_tools
from bot.tools.skills import SKILL_TOOL_NAMES, skill_tools
from bot.tools.web import WEB_TOOL_NAMES as WEB

LIST_LINE_PATTERN = re.compile(r"  (tools|asks|off|ignored): +")


@click.command()
@config_option
def roles(file: Path | None) -> None:
    """List the roles with their models and tools; what is off, and why."""
    width = shutil.get_terminal_size().columns  # 80 if there is no terminal
    for line in format_role_list(load(file)):
        click.echo(wrap_list_line(escape_unprintable(line), width))


def wrap_list_line(line: str, width: int) -> str:
    """Return a line of the roster. If it is a list, wrap it, and indent its other lines to the list's first word."""
    found = LIST_LINE_PATTERN.match(line)
    margin = " " * found.end() if found else ""
    return textwrap.fill(line, width, subsequent_indent=margin, break_on_hyphens=False) if found else line


def format_role_list(loaded: LoadedConfig) -> Iterator[str]:
    """Yield lines that describe all roles, the lead first. Write nothing to the disk and ask no server."""
    rules = load_delegation_rules(loaded)
    no_web = reason_for_no_web(loaded.config) or reason_for_no_search(loaded.config)
    cast = RoleDescriber(rules, loaded.config, rules.resolve_lead(), no_web, reason_for_no_shell(loaded.config))
    sources, files = describe_role_sources(loaded.config), role_files.effective_role_files(loaded.config)
    roles = sorted(rules.roles_by_name.values(), key=lambda each: (each.name != LEAD_ROLE_NAME, each.name.casefold()))
    for role in roles:
        key = role.name.casefold()
        yield role.name
        if role.description:
            yield f"  {' '.join(role.description.split())}"
        for name, value in (*cast.describe_role(role), ("from", sources[key])):
            yield f"  {name + ':':<8}{value}"
        if key in files and (unread := files[key].ignored_keys):
            yield f"  ignored: {', '.join(unread)}"
        yield ""
    yield cast.describe_lead_delegation()


def load_delegation_rules(loaded: LoadedConfig) -> DelegationRules:
    """Return the delegation rules with the existing roles and tools. Make no files or folders."""
    rules = DelegationRules(role_files.load_roles(loaded.config, loaded.config_file_named_in_errors), loaded.config)
    terms = DecisionTerms(settings=loaded.config, now=datetime.now(UTC))
    workspace, outgoing = loaded.config.workspace, OutgoingFolder(loaded.config.data_dir / OUTGOING_FOLDER_NAME)
    shell = no_tools if reason_for_no_shell(loaded.config) else shell_tools(loaded.config.shell, [])
    of_workspace = make_workspace_and_web_tools(workspace, web=make_web_tools(loaded.config), shell=shell)
    of_app = [
        *delegation_tools(rules, lambda: terms),
        *memory_tools(lambda: terms),
        *conversation_tools(lambda: terms),
        *ScheduleTools(lambda: terms).tools(),
        send_file_tool(workspace, outgoing),
        *send_message_tools(lambda: terms),
    ]
    skills = skill_tools(load_skills(loaded.config).skills)
    rules.set_tools([*of_app, *of_workspace, *role_files.own_tools(loaded.config).tools, *skills])
    return rules


def switched_off_tools_by_role(rules: DelegationRules) -> dict[str, list[str]]:
    """Return the switched-off tools that each role names, sorted, by role name. Leave out roles that name none."""
    off = role_files.EXISTING_TOOLS - rules.tools.keys()
    roles = rules.roles_by_name.values()
    return {role.name: sorted(role.tools & off) for role in roles if role.tools and role.tools & off}


def models_without_web_by_role(rules: DelegationRules) -> dict[str, str]:
    """Return the model of each role without a Claude model, by role name. Only Claude models surely have web tools of
    the server. Where these run here, all models have them."""
    if not any(rules.tools[name].server_schema for name in WEB & rules.tools.keys()):
        return {}
    models = {role.name: model_of_role(role, rules.settings) for role in rules.roles_by_name.values()}
    return {name: model for name, model in models.items() if not is_claude_model(model)}


def model_of_role(role: Role, settings: Settings) -> str:
    return role.model or (settings.model.lead if role.name == LEAD_ROLE_NAME else settings.model.roles)


def describe_role_sources(config: Config) -> dict[str, str]:
    shipped = role_files.read_shipped_role_files()
    sources = {}
    for key, file in role_files.effective_role_files(config).items():
        path = file.path
        if path.parent.resolve() != role_files.SHIPPED_ROLES_FOLDER:
            replacing = texts.ROLE_REPLACING_SHIPPED(path=path)
            sources[key] = replacing if key in shipped else texts.ROLE_OWN(path=path)
        elif path.name in role_files.SHIPPED_ROLE_FILE_NAMES:
            sources[key] = texts.ROLE_SHIPPED(path=path)
        else:
            sources[key] = texts.ROLE_AMONG_SHIPPED(path=path)
    for name in config.swarm.roles:
        below = sources.get(name.casefold())
        in_config = texts.ROLE_IN_CONFIG_OVER(role=name, source=below) if below else texts.ROLE_IN_CONFIG(role=name)
        sources[name.casefold()] = in_config
    return sources


@dataclass(frozen=True, slots=True)
class RoleDescriber:
    """Describe each role with the tools and limits that it has when the lead asks it."""

    rules: DelegationRules
    settings: Settings
    resolved_lead: ResolvedRole
    no_web_reason: str  # why no role has the web tools, or one of them; "" if the web is on
    no_shell_reason: str  # why no role has the shell; "" if one may have it

    def describe_role(self, role: Role) -> Iterator[tuple[str, str]]:
        is_lead = role.name == LEAD_ROLE_NAME
        granted = self.rules.only_grantable_tool_names(self.rules.roles_by_name[LEAD_ROLE_NAME], EVERY_RIGHT)
        of_lead = self.resolved_lead.tools
        has = of_lead if is_lead else self.rules.child_tool_names(role, of_lead | granted, 1)
        if role.name in models_without_web_by_role(self.rules):
            has -= WEB
        effort = role.effort or self.settings.model.effort
        yield "model", texts.ROLE_MODEL(model=model_of_role(role, self.settings), effort=effort)
        yield "limits", format_limits(self.settings.limits.turn_limits if is_lead else self.rules.capped_limits(role))
        yield "tools", ", ".join(sorted(has)) or "none"
        if role.hosts:
            reached = hosts_in_both(role.hosts, parse_named_hosts(self.settings.shell.hosts))
            yield "hosts", names_of_hosts(reached if has & SHELL_TOOL_NAMES else ()) or texts.REACHES_NO_HOST
        if DELEGATE_TOOL_NAME in has and role.delegates_to is not None:
            yield "asks", ", ".join(sorted(self.rules.delegable_role_names(role))) or texts.ASKS_NOBODY
        for reason, names in self.missing_tools_by_reason(role, has).items():
            yield "off", texts.TOOLS_OFF(tools=", ".join(names), reason=reason)
        if not (is_lead or role.name in self.rules.delegable_role_names(self.rules.roles_by_name[LEAD_ROLE_NAME])):
            yield "off", texts.LEAD_CANNOT_ASK

    def missing_tools_by_reason(self, role: Role, has: frozenset[str]) -> dict[str, list[str]]:
        """Return the wanted tools that a role lacks, by reason. A role that names no tools wants all existing tools."""
        unasked = {POST_UPDATE_TOOL_NAME, SEND_MESSAGE_TOOL_NAME} | SKILL_TOOL_NAMES | SHELL_TOOL_NAMES
        wanted = role.tools or role_files.EXISTING_TOOLS - unasked
        if role.name != LEAD_ROLE_NAME:
            wanted |= {POST_UPDATE_TOOL_NAME}
        found: dict[str, list[str]] = {}
        for name in sorted(wanted - has):
            found.setdefault(self.reason_for_missing_tool(role, name), []).append(name)
        return found

    def reason_for_missing_tool(self, role: Role, name: str) -> str:
        is_lead = role.name == LEAD_ROLE_NAME
        if name == POST_UPDATE_TOOL_NAME:
            return texts.LEAD_SPEAKS_BY_TEXT if is_lead else texts.NO_UPDATES
        if name in DELEGATION_TOOL_NAMES and (no := self.reason_for_no_delegation(0 if is_lead else 1)):
            return no
        if name in WEB - self.rules.tools.keys() and self.no_web_reason:
            return self.no_web_reason
        if name in WEB and (model := models_without_web_by_role(self.rules).get(role.name)):
            return texts.NO_CLAUDE(model=model)
        if name in SHELL_TOOL_NAMES and self.no_shell_reason:
            return self.no_shell_reason
        if name in self.rules.tools:
            return texts.LEAD_LACKS_IT
        if name in SKILL_TOOL_NAMES:
            return texts.NO_SKILLS(folder=self.settings.skills_dir)
        return texts.TOOL_SWITCHED_OFF if name in role_files.EXISTING_TOOLS else texts.NO_SUCH_TOOL

    def reason_for_no_delegation(self, depth: int) -> str:
        """Return why no role can delegate at this depth, or "" if roles can."""
        if not self.settings.swarm.enabled:
            return texts.SWARM_IS_OFF
        return "" if self.rules.may_delegate_at_depth(depth) else texts.TOO_DEEP(depth=self.settings.swarm.max_depth)

    def describe_lead_delegation(self) -> str:
        """Return the roster's last line: whether the lead can ask other roles, and which besides those listed."""
        if no := self.reason_for_no_delegation(0):
            return texts.LEAD_ASKS_NOBODY(reason=no)
        if DELEGATE_TOOL_NAME not in self.resolved_lead.tools:
            return texts.LEAD_HAS_NO_DELEGATE
        lead = self.rules.roles_by_name[LEAD_ROLE_NAME]
        if self.rules.may_use_adhoc_roles(lead):
            return texts.LEAD_MAY_MAKE_UP_ROLES
        return texts.LEAD_ASKS_ONLY_THESE if lead.delegates_to is None else texts.LEAD_ASKS_THOSE_NAMED


def format_limits(limits: Limits) -> str:
    return texts.ROLE_LIMITS(steps=limits.iterations, tokens=limits.tokens, seconds=limits.seconds)
