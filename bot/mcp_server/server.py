"""The tools of the MCP server. Who calls is known before: over stdio by the command, over HTTP by a token."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from bot.core.errors import DelegationRefused
from bot.mcp_server import texts
from bot.ops.control.delegations import RunningBot

MAX_DESCRIPTION_CHARACTERS = 300  # of a role, in the description of `delegate_task`

Context = ServerRequestContext[Any, Any]
FindClient = Callable[[Context], str]
Delegation = dict[str, Any]  # as `ClientDelegation.as_json` makes it


class ToolArguments(BaseModel):
    """The arguments of a tool. Their names are in camel case outside, as the protocol's own are."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, strict=True)


class NoArguments(ToolArguments):
    """A tool without arguments."""


class DelegateArguments(ToolArguments):
    profile: str | None = Field(default=None, description=texts.PROFILE)
    role: str | None = Field(default=None, description=texts.ROLE_ARGUMENT)
    task: str = Field(description=texts.TASK)
    context: str = Field(default="", description=texts.CONTEXT)
    max_tokens: int | None = Field(default=None, ge=1, le=10**9, description=texts.MAX_TOKENS)
    timeout: int | None = Field(default=None, ge=1, le=10**9, description=texts.TIMEOUT)

    @model_validator(mode="after")
    def reject_none_or_two_roles(self) -> "DelegateArguments":
        if (self.profile is None) == (self.role is None):
            raise ValueError(texts.PROFILE_OR_ROLE)
        return self


class DelegationArguments(ToolArguments):
    delegation_id: str = Field(description=texts.DELEGATION_ID)


class TokenUsage(BaseModel):
    prompt: int
    completion: int
    cost: float = Field(description="in dollars")


class DelegationOutput(BaseModel):
    """A delegation as the tools return it."""

    model_config = ConfigDict(alias_generator=to_camel)

    delegation_id: str
    profile: str
    task: str
    status: str = Field(description="running, completed, failed, timeout or cancelled")
    result: str
    reason: str
    token_usage: TokenUsage
    duration: int = Field(description="milliseconds")
    sub_delegations: list["DelegationOutput"]


class DelegationList(BaseModel):
    delegations: list[DelegationOutput]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTool:
    description: str
    arguments: type[ToolArguments]
    run: Callable[..., Awaitable[mcp_types.CallToolResult]]
    output: type[BaseModel] = DelegationOutput
    names_roles: bool = False  # its description names the roles that may work for the client
    is_read_only: bool = False


class DelegationServer:
    """The tools, for all clients of one front."""

    def __init__(self, bot: RunningBot, find_client: FindClient, version: str) -> None:
        self.bot = bot
        self.find_client = find_client
        self.tools = {
            "delegate_task": ServedTool(
                description=texts.DELEGATE_TASK,
                arguments=DelegateArguments,
                run=self.delegate_task,
                names_roles=True,
            ),
            "list_sub_agents": ServedTool(
                description=texts.LIST_SUB_AGENTS,
                arguments=NoArguments,
                run=self.list_sub_agents,
                output=DelegationList,
                is_read_only=True,
            ),
            "get_delegation_result": ServedTool(
                description=texts.GET_DELEGATION_RESULT,
                arguments=DelegationArguments,
                run=self.get_delegation_result,
                is_read_only=True,
            ),
            "cancel_delegation": ServedTool(
                description=texts.CANCEL_DELEGATION,
                arguments=DelegationArguments,
                run=self.cancel_delegation,
            ),
        }
        self.server: Server[Any] = Server(
            "retinue",
            version=version,
            instructions=texts.INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
        )

    async def list_tools(self, context: Context, params: object) -> mcp_types.ListToolsResult:
        try:
            roles = await self.bot.ask("list roles", self.find_client(context))
        except DelegationRefused as error:
            raise MCPError(mcp_types.INTERNAL_ERROR, str(error)) from None
        lines = [texts.ROLE(name=each["name"], description=shorten_description(each["description"])) for each in roles]
        shown = texts.ROLES(roles="\n".join(lines)) if lines else texts.NO_ROLES
        tools = [
            mcp_types.Tool(
                name=name,
                description=f"{tool.description}\n\n{shown}" if tool.names_roles else tool.description,
                input_schema=tool.arguments.model_json_schema(),
                output_schema=object_schema(tool.output),
                annotations=mcp_types.ToolAnnotations(read_only_hint=tool.is_read_only),
            )
            for name, tool in self.tools.items()
        ]
        return mcp_types.ListToolsResult(tools=tools)

    async def call_tool(self, context: Context, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        """Carry out a call. What is wrong with it is a result, so that the client's model can mend it."""
        tool = self.tools.get(params.name)
        if tool is None:
            return failure(texts.NO_SUCH_TOOL(name=params.name[:80]))
        try:
            given = tool.arguments.model_validate(params.arguments or {})
            return await tool.run(context, self.find_client(context), given)
        except ValidationError as error:
            return failure("; ".join(map(describe_mistake, error.errors(include_url=False))))
        except DelegationRefused as error:
            return failure(str(error))

    async def delegate_task(self, context: Context, client: str, given: DelegateArguments) -> mcp_types.CallToolResult:
        """Begin a delegation and wait for its end. If the client cancels the call or goes away, the delegation goes
        on: only `cancel_delegation` ends it."""
        role, seconds = given.profile or given.role or "", given.timeout and given.timeout / 1000
        limits = {"max_tokens": given.max_tokens, "max_seconds": seconds}
        id = await self.bot.begin(client, role=role, task=given.task, context=given.context, **limits)
        count = 0

        async def report(text: str) -> None:
            nonlocal count
            count += 1
            await context.session.report_progress(count, message=text or texts.WORKS(role=role))

        await report(texts.STARTED(role=role, id=id))
        return success(await self.bot.ask("follow", client, report, id=id))

    async def list_sub_agents(self, context: Context, client: str, given: NoArguments) -> mcp_types.CallToolResult:
        found: Sequence[Delegation] = await self.bot.ask("list", client)
        lines = [texts.ENTRY(heading=heading_of(each), task=each["task"]) for each in found]
        text = "\n".join(lines) or texts.NO_DELEGATIONS
        return mcp_types.CallToolResult(content=[text_content(text)], structured_content={"delegations": found})

    async def get_delegation_result(
        self, context: Context, client: str, given: DelegationArguments
    ) -> mcp_types.CallToolResult:
        return success(await self.bot.ask("find", client, id=given.delegation_id))

    async def cancel_delegation(
        self, context: Context, client: str, given: DelegationArguments
    ) -> mcp_types.CallToolResult:
        """Cancel a delegation, and wait until it has ended: it keeps what it has said."""
        await self.bot.ask("cancel", client, id=given.delegation_id)
        return success(await self.bot.ask("follow", client, id=given.delegation_id))


def object_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return a model's JSON schema as the protocol wants it: its root names its type, also where it is a reference, as
    the root of a model that contains itself is."""
    return {"type": "object", **model.model_json_schema()}


def success(delegation: Delegation) -> mcp_types.CallToolResult:
    text = "\n\n".join(filter(None, [heading_of(delegation), delegation["result"]]))
    return mcp_types.CallToolResult(content=[text_content(text)], structured_content=delegation)


def failure(text: str) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[text_content(text)], is_error=True)


def text_content(text: str) -> mcp_types.TextContent:
    return mcp_types.TextContent(text=text)


def heading_of(delegation: Delegation) -> str:
    reason = texts.REASON(reason=delegation["reason"]) if delegation["reason"] else ""
    return texts.HEADING(
        role=delegation["profile"],
        id=delegation["delegationId"],
        status=delegation["status"],
        seconds=delegation["duration"] / 1000,
        cost=delegation["tokenUsage"]["cost"],
        reason=reason,
    )


def describe_mistake(error: Any) -> str:
    fault = error["msg"].removeprefix("Value error, ")
    name = ".".join(map(str, error["loc"]))
    return texts.WRONG_ARGUMENT(name=name, fault=fault) if name else fault


def shorten_description(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_DESCRIPTION_CHARACTERS else f"{line[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
