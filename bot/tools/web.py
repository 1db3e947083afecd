"""The tools for the web. The model's server runs them: here they have a name that a role can list, and no more."""

from bot.errors import ToolError
from bot.plan import PlannedRows
from bot.rights import Right
from bot.tools import Arguments, Effect, Tool, ToolContext, texts
from bot.turn import CallKind
from bot.web import NAMES, SERVER_TOOL_SCHEMAS

__all__ = ["NAMES", "web_tools"]


def web_tools() -> list[Tool]:
    return [server_tool(name) for name in sorted(NAMES)]


def server_tool(name: str) -> Tool:
    async def plan(context: ToolContext, arguments: Arguments) -> PlannedRows | None:
        """Models that imitate what they have seen in the transcript call it as if it were one of ours."""
        raise ToolError(texts.WEB_IS_NOT_CALLED(tool=name))

    # What is searched for leaves this machine, and what comes back may be written by anybody.
    return Tool(
        name=name,
        description="",
        input_schema={},
        kind=CallKind.READ,
        effects=frozenset({Effect.READS_UNTRUSTED, Effect.SENDS_OUT}),
        needs=Right.WEB,
        plan=plan,
        server_schema=SERVER_TOOL_SCHEMAS[name],
    )
