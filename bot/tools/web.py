"""The tools for the web. The model's server runs them; here they only have names, so that a role can list them."""

from bot.core.domains import ANY_DOMAIN, DomainRules
from bot.core.errors import ToolError
from bot.core.reply_plan import RowsToWrite
from bot.core.rights import Right
from bot.core.turn import CallKind
from bot.core.web import SERVER_TOOL_SCHEMAS, WEB_FETCH_TOOL_NAME, WEB_SEARCH_TOOL_NAME, WEB_TOOL_NAMES
from bot.tools import Arguments, Effect, Tool, ToolContext, texts
from bot.tools.parameters import closed_object_schema, string_schema

__all__ = ["WEB_TOOL_NAMES", "web_tools"]

CRITICAL_ARGUMENTS = {WEB_SEARCH_TOOL_NAME: "query", WEB_FETCH_TOOL_NAME: "url"}


def web_tools(domains: DomainRules = ANY_DOMAIN) -> list[Tool]:
    return [make_server_tool(name, domains) for name in sorted(WEB_TOOL_NAMES)]


def make_server_tool(name: str, domains: DomainRules) -> Tool:
    async def refuse_call(context: ToolContext, arguments: Arguments) -> RowsToWrite | None:
        """Raise ToolError: models that imitate their transcript call the tool as if it were one of ours."""
        raise ToolError(texts.WEB_IS_NOT_CALLED(tool=name))

    # The search words leave this machine, and anybody may have written the results.
    return Tool(
        name=name,
        description="",
        input_schema=closed_object_schema({CRITICAL_ARGUMENTS[name]: string_schema("")}),  # as the server has it
        kind=CallKind.READ,
        effects=frozenset({Effect.READS_UNTRUSTED, Effect.SENDS_OUT}),
        critical_arguments=frozenset({CRITICAL_ARGUMENTS[name]}),
        needed_right=Right.WEB,
        plan_rows=refuse_call,
        server_schema={**SERVER_TOOL_SCHEMAS[name], **domains.fields_of_server_tool},
    )
