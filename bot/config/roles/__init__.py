"""Read the roles: shipped files, the operator's files in `swarm.roles_dir`, and presets in the config. The operator's
file replaces the shipped file of its name. A preset changes only the keys that it has. Names ignore case."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.config import Config
from bot.config.layers import is_role_secret
from bot.config.own_tools import OwnTools, load_own_tools
from bot.config.roles import claude_code_files, texts
from bot.config.roles.file import ROLE_NAME_PATTERN, RoleFile, nearest_name, read_role_file
from bot.config.settings import iterate_keys_and_secrets
from bot.core import prompt_guidance
from bot.core.errors import ConfigError
from bot.core.mcp_settings import all_tools_of, server_of_tool
from bot.core.messages import RoleName
from bot.core.named_hosts import parse_named_hosts
from bot.core.prices import PRICING_BY_MODEL
from bot.core.reply_plan import POST_UPDATE_TOOL_NAME, SEND_FILE_TOOL_NAME, SEND_MESSAGE_TOOL_NAME
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.settings import RolePreset, Section
from bot.delegation.rules import DELEGATION_TOOL_NAMES
from bot.tools import conversations, files, memory, schedules, search_tools, shell, skills, web

SHIPPED_ROLES_FOLDER = Path(__file__).resolve().parents[3] / "roles"
SHIPPED_ROLE_FILE_NAMES = frozenset(
    f"{name}.md" for name in ("analyst", "coder", "lead", "reader", "researcher", "summarizer", "writer")
)
EXISTING_TOOLS = (
    files.FILE_TOOL_NAMES
    | search_tools.SEARCH_TOOL_NAMES
    | web.WEB_TOOL_NAMES
    | memory.MEMORY_TOOL_NAMES
    | schedules.SCHEDULE_TOOL_NAMES
    | conversations.CONVERSATION_TOOL_NAMES
    | skills.SKILL_TOOL_NAMES
    | shell.SHELL_TOOL_NAMES
    | DELEGATION_TOOL_NAMES
    | {POST_UPDATE_TOOL_NAME, SEND_FILE_TOOL_NAME, SEND_MESSAGE_TOOL_NAME, "ask_person"}
)  # including tools that are switched off here
EMPTY_PRESET = RolePreset()


def own_tools(config: Config) -> OwnTools:
    """Return the operator's own tools. Their code runs at the first call."""
    written_by_roles = (config.workspace, config.swarm.groups_dir)
    return load_own_tools(config.tools_dir, config.tool_packages, EXISTING_TOOLS, written_by_roles)


def known_tools(config: Config) -> frozenset[str]:
    """Return the names that roles may list."""
    return EXISTING_TOOLS | own_tools(config).names


RoleFiles = Mapping[str, RoleFile]  # by casefolded name


def read_shipped_role_files() -> RoleFiles:
    return read_role_files(SHIPPED_ROLES_FOLDER)


def effective_role_files(config: Config) -> RoleFiles:
    """Return the files in effect: an operator's file replaces the shipped one of its name. May raise ConfigError."""
    own = read_role_files(config.swarm.roles_dir, known_tools(config))
    workspace = config.workspace.resolve()
    for file in own.values():
        if file.path.resolve().is_relative_to(workspace):
            raise ConfigError(texts.LINK_INTO_WORKSPACE(path=file.path))
    return {**read_shipped_role_files(), **own}


def read_role_files(folder: Path, known: frozenset[str] = EXISTING_TOOLS) -> RoleFiles:
    """Return the role files of a folder; none if it does not exist. `known` are the names of all tools. Raise
    ConfigError at the first mistake."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".md" and path.name[0] != ".")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(texts.ROLES_FOLDER_NOT_READABLE(path=folder, reason=error.strerror)) from None
    found: dict[str, RoleFile] = {}
    for file in (read_role_file(path, known) for path in paths):
        if other := found.get(file.name.casefold()):
            raise ConfigError(texts.NAME_TWICE(path=file.path, other=other.path.name))
        found[file.name.casefold()] = file
    return found


def load_roles(config: Config, origin: str) -> dict[RoleName, Role]:
    """Return every role, including the lead. Raise ConfigError for a mistake; for a preset, it names `origin`."""
    files = effective_role_files(config)
    names = role_names_by_folded_name(config, files)
    for name, preset in config.swarm.roles.items():
        where = f"{origin}: swarm.roles.{name}"
        if not ROLE_NAME_PATTERN.fullmatch(name):
            raise ConfigError(texts.PRESET_NAME_NOT_VALID(where=where))
        if not preset.system_prompt and name.casefold() not in files:
            raise ConfigError(texts.NO_PRESET_PROMPT(where=where))
        reject_unknown_role_references(name, preset, f"{where}.", names, config)
    for key, _ in iterate_keys_and_secrets(config):
        if is_role_secret(key) and key[-1].casefold() not in names.keys() - {LEAD_ROLE_NAME}:
            near = names[nearest_name(key[-1], names.keys() - {LEAD_ROLE_NAME})]
            raise ConfigError(texts.NO_ROLE_OF_SECRET(origin=origin, key=".".join(key), role=key[-1], nearest=near))
    files = {key: file.without_delegating_to(unknown_roles_in_foreign_file(file, names)) for key, file in files.items()}
    for file in files.values():
        reject_unknown_role_references(file.name, file.keys, f"{file.path}: ", names, config, file.ignored_tools)
    presets = {name.casefold(): preset for name, preset in config.swarm.roles.items()}
    return {
        RoleName(name): build_role(RoleName(name), presets.get(key, EMPTY_PRESET), files.get(key), names, config)
        for key, name in sorted(names.items())
    }


def role_names_by_folded_name(config: Config, files: RoleFiles) -> dict[str, str]:
    presets = {name.casefold(): name for name in config.swarm.roles}
    return {key: file.name for key, file in files.items()} | presets | {LEAD_ROLE_NAME: LEAD_ROLE_NAME}


def describe_ignored_parts(config: Config) -> list[str]:
    """Return a line for each role file that has keys, tools or roles that are ignored here."""
    files = effective_role_files(config)
    names = role_names_by_folded_name(config, files)
    lines = []
    for file in files.values():
        parts = []
        if file.ignored_keys:
            parts.append(texts.IGNORED_KEYS(names=claude_code_files.format_name_list(file.ignored_keys)))
        if file.ignored_tools:
            parts.append(texts.IGNORED_TOOLS(names=claude_code_files.format_name_list(file.ignored_tools)))
        if roles := unknown_roles_in_foreign_file(file, names):
            parts.append(texts.IGNORED_ROLES(names=claude_code_files.format_name_list(roles)))
        if parts:
            lines.append(texts.IGNORED(path=file.path, parts="; ".join(parts)))
    return lines


def unknown_roles_in_foreign_file(file: RoleFile, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the roles that a file for Claude Code delegates to and that do not exist here."""
    known = names.keys() - {LEAD_ROLE_NAME}
    named = file.keys.delegates_to or () if file.is_foreign else ()
    return tuple(name for name in named if name.casefold() not in known)


def resolve_role_model(keys: RolePreset, config: Config) -> str:
    """Return a role's model; empty: the default. An alias means the configured model of that family, or else the newest
    one. On another server, without Claude's models, it means the default."""
    name, model = keys.model or "", config.model
    if name == claude_code_files.INHERIT_MODEL_ALIAS:
        return model.lead
    if name not in claude_code_files.MODEL_FAMILY_ALIASES:
        return name
    newest = () if model.base_url else tuple(PRICING_BY_MODEL)
    return next((id for id in (model.lead, model.roles, *newest) if name in id), "")


def is_known_tool(tool: str, config: Config) -> bool:
    """Return True if there is a tool of this name, or an MCP server whose tool it may be: only that server knows which
    it has. It may also be one of the operator's own that could not be loaded: then its file is at fault, not the
    role."""
    is_ours = tool in known_tools(config) or bool(own_tools(config).faults)
    return is_ours or server_of_tool(tool) in config.mcp.servers


def list_known_tools(config: Config) -> list[str]:
    """Return the names that roles may list, with one for all tools of each MCP server."""
    return sorted([*known_tools(config), *map(all_tools_of, config.mcp.servers)])


def reject_unknown_role_references(
    name: str,
    keys: RolePreset,
    where: str,
    names: Mapping[str, str],
    config: Config,
    ignored: Collection[str] = (),
) -> None:
    """Raise ConfigError if a role names an unknown tool or role. `where` is the beginning of the error."""
    for tool in keys.tools or ():
        if tool not in ignored and not is_known_tool(tool, config):
            near = nearest_name(tool, list_known_tools(config))
            raise ConfigError(texts.NO_SUCH_TOOL(where=where, role=name, tool=tool, nearest=near))
    others = names.keys() - {LEAD_ROLE_NAME}
    for other in keys.delegates_to or ():
        if other.casefold() not in others:
            near = names[nearest_name(other, others)]
            raise ConfigError(texts.NO_SUCH_DELEGATE(where=where, role=name, other=other, nearest=near))
    if name.casefold() == LEAD_ROLE_NAME and nonempty_values(keys.limits):
        raise ConfigError(texts.LIMITS_OF_LEAD(where=where))


def nonempty_values(section: Section) -> dict[str, Any]:
    values = {key: getattr(section, key) for key in type(section).model_fields}
    return {key: value for key, value in values.items() if value not in (None, "")}


def build_role(
    name: RoleName, preset: RolePreset, file: RoleFile | None, names: Mapping[str, str], config: Config
) -> Role:
    """Return the role of a preset over its file. `names` are those of all roles, by casefolded name."""
    written = file.keys if file else EMPTY_PRESET
    keys = written.model_copy(update=nonempty_values(preset))
    limits = nonempty_values(written.limits) | nonempty_values(preset.limits)
    below, own, can_speak = keys.delegates_to, keys.system_prompt or "", config.swarm.max_updates > 0
    is_lead = name == LEAD_ROLE_NAME
    return Role(
        name=name,
        prompt=prompt_guidance.chat_prompt(own) if is_lead else prompt_guidance.task_prompt(own, can_speak=can_speak),
        description=keys.description or "",
        model=resolve_role_model(keys, config),
        effort=file.effort if file else "",
        picture=file.picture if file else b"",
        tools=frozenset(keys.tools) if keys.tools else None,  # an empty list means all tools
        hosts=parse_named_hosts(keys.hosts or ()),
        delegates_to=None if below is None else frozenset(RoleName(names[other.casefold()]) for other in below),
        limits=replace(config.swarm.default_delegation_limits, **limits),
    )
