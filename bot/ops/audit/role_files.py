"""What the operator's roles and groups may do, and what is hidden in their files."""

from collections.abc import Iterator
from pathlib import Path

from bot.config.roles import is_known_tool, known_tools, read_role_files
from bot.config.web_tools import reason_for_no_web
from bot.core.errors import ConfigError
from bot.core.invisible_characters import find_hidden
from bot.core.role import LEAD_ROLE_NAME
from bot.ops.audit import texts
from bot.ops.audit.subject import AuditedBot, Fault, plain_files, read_beginning
from bot.tools.conversations import CONVERSATION_TOOL_NAMES
from bot.tools.files import FILE_TOOL_NAMES
from bot.tools.memory import MEMORY_TOOL_NAMES
from bot.tools.search_tools import SEARCH_TOOL_NAMES
from bot.tools.web import WEB_TOOL_NAMES

WRITING_TOOLS = frozenset({"write_file", "edit_file", "memory_save", "memory_forget"})
PRIVATE_TOOLS = (FILE_TOOL_NAMES | SEARCH_TOOL_NAMES | MEMORY_TOOL_NAMES | CONVERSATION_TOOL_NAMES) - WRITING_TOOLS
MAX_FILE_BYTES = 1_000_000

ISOLATES = "\u2066\u2067\u2068\u2069"  # a translation needs them around what it fills in


def find_roles_with_web_and_private(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each role or group of the operator that names tools of the web beside those that read what is
    private. The lead has all tools, and so have those that name none: there the rule for calls is what helps."""
    if reason_for_no_web(bot.config):
        return
    for name, tools in list_own_tools(bot):
        web, private = sorted(tools & WEB_TOOL_NAMES), sorted(tools & PRIVATE_TOOLS)
        if web and private:
            text = texts.WEB_AND_PRIVATE(name=name, web=", ".join(web), private=", ".join(private))
            yield Fault(text=text, remedy=texts.SPLIT_ROLE(name=name))


def list_own_tools(bot: AuditedBot) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the name and the tools of each role and group of the operator that names its tools."""
    try:
        own = set(read_role_files(bot.config.swarm.roles_dir, known_tools(bot.config)))
    except ConfigError:
        own = set()
    own |= {name.casefold() for name in bot.config.swarm.roles}
    for role in bot.roles.values():
        if role.name.casefold() in own and role.name != LEAD_ROLE_NAME and role.tools:
            yield texts.ROLE(name=role.name), role.tools
    for group in bot.groups.groups if bot.groups else ():
        if group.agent.tools:
            yield texts.GROUP(name=group.name), group.agent.tools


def find_missing_tools(bot: AuditedBot) -> Iterator[Fault]:
    """Yield a fault for each role that names tools which do not exist: it was written for another program or version,
    and would get a tool of that name that comes later."""
    _, fault = bot.roles_or_fault
    if fault:
        yield Fault(text=texts.ROLES_UNREADABLE(fault=fault), remedy=texts.MEND_ROLE)
        return
    ignored = {
        file.name: frozenset(file.ignored_tools)
        for file in read_role_files(bot.config.swarm.roles_dir, known_tools(bot.config)).values()
    }
    for name, tools in list_own_tools(bot):
        missing = {tool for tool in tools if not is_known_tool(tool, bot.config)}
        if missing:
            yield Fault(text=texts.NO_SUCH_TOOLS(name=name, tools=", ".join(sorted(missing))), remedy=texts.TAKE_OUT)
    for file_name, tools in ignored.items():
        if tools:
            text = texts.NO_SUCH_TOOLS(name=texts.ROLE(name=file_name), tools=", ".join(sorted(tools)))
            yield Fault(text=text, remedy=texts.TAKE_OUT)


def find_hidden_characters(bot: AuditedBot) -> Iterator[Fault]:
    paths = [*plain_files([bot.config.swarm.roles_dir])]
    paths += [file.path for file in bot.groups.group_files] if bot.groups else []
    for path in paths:
        if path.suffix.lower() == ".md":
            yield from find_hidden_in_text(str(path), read_short_text(path))
    for path in plain_files(bot.language_folders):
        if path.suffix.lower() == ".toml":
            yield from find_hidden_in_text(str(path), read_short_text(path), allowed=ISOLATES)
    for name, preset in bot.config.swarm.roles.items():
        yield from find_hidden_in_text(
            f"swarm.roles.{name}", f"{preset.description or ''}\n{preset.system_prompt or ''}"
        )


def find_hidden_in_text(where: str, text: str, *, allowed: str = "") -> Iterator[Fault]:
    if found := find_hidden(text, allowed):
        line, code = found
        yield Fault(text=texts.HIDDEN_CHARACTER(path=where, line=line, code=code), remedy=texts.TAKE_OUT_CHARACTERS)


def read_short_text(path: Path) -> str:
    return read_beginning(path, MAX_FILE_BYTES).decode(errors="replace")
