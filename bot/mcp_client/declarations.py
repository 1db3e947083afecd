"""Make tools of what an MCP server lists and of what the operator has declared. What nobody has declared counts as the
worst: it reads private and untrusted things, it sends out, and all its arguments are critical."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from bot.core.acts import CONSEQUENTIAL_EFFECTS, Critical, Effect, Effects, Part
from bot.core.errors import ToolError
from bot.core.mcp_settings import McpServerSettings, McpToolSettings
from bot.core.mcp_tools import ListedTool
from bot.core.messages import GroupName
from bot.core.sources import Source
from bot.core.turn import CallKind
from bot.mcp_client import texts
from bot.tools import Arguments, RunTool, Tool, ToolContext

UNDECLARED_EFFECTS: Effects = frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED, Effect.SENDS_OUT})
UNDECLARED = McpToolSettings()
HARMLESS_TYPES = ("boolean",)  # an argument that can only be one of two things names nothing


def make_tool(listed: ListedTool, server: McpServerSettings, run: RunTool) -> Tool:
    declared, effects = server.tools.get(listed.name, UNDECLARED), effects_of_tool(listed.name, server)
    critical, uncritical = split_arguments(listed.input_schema, declared)
    return Tool(
        name=listed.full_name,
        description=listed.description,
        input_schema=listed.input_schema,
        kind=CallKind.CHANGE if effects & CONSEQUENTIAL_EFFECTS else CallKind.READ,
        effects=effects,
        acts=frozenset(declared.acts),
        things=frozenset(declared.things),
        critical_arguments=critical,
        uncritical_arguments=uncritical,
        is_query=declared.is_query,
        needed_right=server.right,
        may_take_long_text=True,
        time_limit_seconds=2.0 * server.call_seconds,  # to wait for other calls, and for its own
        untrusted_source=Source.SERVERS,
        private_source=Source.PRIVATE_THINGS,
        # An operator who declares a tool has read its description.
        description_source=None if listed.name in server.tools else Source.SERVERS,
        run=run,
        is_offered=lambda role, group: may_use_server(server, role, group),
    )


def effects_of_tool(tool: str, server: McpServerSettings) -> Effects:
    """Return the effects that the operator has declared, or those of a tool about which nobody has."""
    declared = server.tools.get(tool, UNDECLARED)
    return UNDECLARED_EFFECTS if declared.effects is None else frozenset(declared.effects)


def make_waiting_tool(listed: ListedTool, server: McpServerSettings) -> Tool:
    """Return a tool that nobody is offered, and whose calls are refused where they are planned, also those that a
    person has agreed to: the owner has not allowed it."""
    why = texts.TOOL_WAITS_FOR_OWNER(tool=listed.full_name)

    async def refuse(context: ToolContext, arguments: Arguments) -> NoReturn:
        raise ToolError(why)

    return replace(make_tool(listed, server, refuse), plan_rows=refuse, denial_reason=lambda turn: why)


def split_arguments(schema: Mapping[str, Any], declared: McpToolSettings) -> tuple[dict[str, Critical], frozenset[str]]:
    """Return the critical and the other arguments of a tool. Of a critical one that nobody has declared nothing is
    known."""
    arguments = schema.get("properties", {})
    harmless = {name for name, of in arguments.items() if isinstance(of, Mapping) and of.get("type") in HARMLESS_TYPES}
    uncritical = ({*declared.uncritical} | harmless) - declared.critical.keys()
    said = {name: critical.as_declared for name, critical in declared.critical.items()}
    critical = {name: said.get(name, Critical(Part.VALUE)) for name in arguments if name not in uncritical}
    return critical, frozenset(arguments.keys() & uncritical)


def may_use_server(server: McpServerSettings, role: str, group: GroupName | None) -> bool:
    """Return True if a role may have the server's tools in a group. None: those who ask have them there already."""
    may_role = server.roles is None or role.casefold() in map(str.casefold, server.roles)
    may_group = server.groups is None or group is None or group.casefold() in map(str.casefold, server.groups)
    return may_role and may_group


def declaration_faults(name: str, server: McpServerSettings, listed: Mapping[str, ListedTool]) -> Iterator[str]:
    """Yield what is declared and does not exist: a misspelt name would leave an argument undeclared."""
    for tool, declared in server.tools.items():
        if tool not in listed:
            yield texts.DECLARED_UNKNOWN_TOOL(server=name, tool=tool)
            continue
        arguments = listed[tool].input_schema.get("properties", {})
        for argument in (*declared.critical, *declared.uncritical):
            if argument not in arguments:
                yield texts.DECLARED_UNKNOWN_ARGUMENT(server=name, tool=tool, argument=argument)
