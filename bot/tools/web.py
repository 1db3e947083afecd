"""The tools for the web. The model's server runs them; here they only have names, so that a role can list them."""

from bot.core.acts import Critical, Effect, Part
from bot.core.domains import ANY_DOMAIN, DomainRules
from bot.core.errors import ToolError
from bot.core.rights import Right
from bot.core.turn import CallKind
from bot.core.web import CRITICAL_WEB_ARGUMENTS, SERVER_TOOL_SCHEMAS, WEB_TOOL_NAMES
from bot.tools import Arguments, Tool, ToolContext, texts
from bot.tools.parameters import closed_object_schema, string_schema

__all__ = ["WEB_TOOL_NAMES", "web_tools"]


def web_tools(domains: DomainRules = ANY_DOMAIN) -> list[Tool]:
    return [make_server_tool(name, domains) for name in sorted(WEB_TOOL_NAMES)]


def make_server_tool(name: str, domains: DomainRules) -> Tool:
    async def tell_model(context: ToolContext, arguments: Arguments) -> str:
        """Say that the server's tool is offered again, if a person has agreed. If not, raise ToolError: models that
        imitate their transcript call the tool as if it were one of ours."""
        if context.is_approved:
            return texts.WEB_IS_OFFERED_AGAIN(tool=name)
        raise ToolError(texts.WEB_IS_NOT_CALLED(tool=name))

    # The search words leave this machine, and anybody may have written the results.
    return Tool(
        name=name,
        description="",
        input_schema=closed_object_schema({CRITICAL_WEB_ARGUMENTS[name]: string_schema("")}),  # as the server has it
        kind=CallKind.READ,
        effects=frozenset({Effect.READS_UNTRUSTED, Effect.SENDS_OUT}),
        is_query=True,
        critical_arguments={CRITICAL_WEB_ARGUMENTS[name]: Critical(Part.WHERE)},
        needed_right=Right.WEB,
        run=tell_model,
        server_schema={**SERVER_TOOL_SCHEMAS[name], **domains.fields_of_server_tool},
    )
