"""The operations that ask the running bot, as `retinue mcp` does: begin a delegation, cancel it, list the roles."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bot.core.client_settings import ApiScope
from bot.core.clients import MAX_CONTEXT_CHARACTERS, MAX_TASK_CHARACTERS
from bot.ops.control.delegations import RunningBot
from bot.web_page.api import answers, texts
from bot.web_page.api.operation import Call, Caller, Operation
from bot.web_page.api.reading import Reading

MAX_LIMIT = 10**9


def without_fraction(value: object) -> object:
    """Return 7 for 7.0, which is a whole number in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT), BeforeValidator(without_fraction)]


class Order(BaseModel):
    """What a role is to do."""

    model_config = ConfigDict(extra="forbid", strict=True)

    role: str = Field(min_length=1, max_length=200, description=texts.ROLE, examples=["researcher"])
    task: str = Field(min_length=1, max_length=MAX_TASK_CHARACTERS, description=texts.TASK)
    context: str = Field(default="", max_length=MAX_CONTEXT_CHARACTERS, description=texts.CONTEXT)
    max_tokens: Limit | None = Field(default=None, description=texts.MAX_TOKENS)
    max_seconds: Limit | None = Field(default=None, description=texts.MAX_SECONDS)
    key: str | None = Field(default=None, pattern="^[A-Za-z0-9_-]{1,64}$", description=texts.KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegating:
    """The operations of clients with the scope `delegate`. The answers come from the rows, as those of all others."""

    bot: RunningBot
    reading: Reading

    def operations(self) -> list[Operation]:
        scopes = (ApiScope.DELEGATE,)
        return [
            Operation(
                name="beginDelegation",
                method="POST",
                path="/v1/delegations",
                summary=texts.BEGIN_DELEGATION,
                scopes=scopes,
                answer=answers.Delegation,
                run=self.begin,
                body=Order,
                created_at="/v1/delegations/{id}",
                asks_bot=True,
            ),
            Operation(
                name="cancelDelegation",
                method="POST",
                path="/v1/delegations/{id}/cancel",
                summary=texts.CANCEL_DELEGATION,
                scopes=scopes,
                answer=answers.Delegation,
                run=self.cancel,
                asks_bot=True,
            ),
            Operation(
                name="listRoles",
                method="GET",
                path="/v1/roles",
                summary=texts.LIST_ROLES,
                scopes=scopes,
                answer=answers.RoleList,
                run=self.list_roles,
                asks_bot=True,
            ),
        ]

    async def begin(self, call: Call) -> BaseModel:
        order: Order = call.body
        id = await self.bot.begin(call.caller.name, **order.model_dump(exclude_none=True))
        return await self.reading.load_delegation(call.caller, id)

    async def cancel(self, call: Call) -> BaseModel:
        own = Caller(name=call.caller.name, scopes=frozenset())
        await self.reading.load_delegation(own, call.id)  # those of others are not found
        await self.bot.ask("cancel", call.caller.name, id=call.id)
        return await self.reading.load_delegation(own, call.id)

    async def list_roles(self, call: Call) -> BaseModel:
        return answers.RoleList(items=await self.bot.ask("list roles", call.caller.name))
