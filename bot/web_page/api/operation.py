"""What an operation of the API is: its address, who may ask for it, what it takes, and what it answers."""

import string
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from bot.core.client_settings import ApiScope
from bot.core.clients import chat_of_client
from bot.core.turn import Turn
from bot.web_page.api import texts

CURSOR_DIGITS = string.digits + string.ascii_lowercase
MAX_CURSOR_DIGITS = 12  # of base 36: less than 2**63, which SQLite takes
DEFAULT_ITEMS, MAX_ITEMS = 50, 200
MAX_DIGITS = 9


def read_whole_number(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    raise PydanticCustomError("whole_number", texts.NOT_DIGITS)


def read_switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise PydanticCustomError("switch", texts.NOT_A_SWITCH)
    return text == "true"


# In a query everything is text. Pydantic would also take " 7", "7.0" or "yes", which no JSON Schema says.
WholeNumber = Annotated[int, BeforeValidator(read_whole_number)]
Switch = Annotated[bool, BeforeValidator(read_switch)]
Cursor = Annotated[str, Field(pattern=f"^[0-9a-z]{{1,{MAX_CURSOR_DIGITS}}}$")]


class Query(BaseModel):
    """The parameters of an address. Others are refused."""

    model_config = ConfigDict(extra="forbid")


class PageQuery(Query):
    """The parameters of a list that comes by pages."""

    limit: WholeNumber = Field(default=DEFAULT_ITEMS, ge=1, le=MAX_ITEMS, description=texts.LIMIT)
    cursor: Cursor | None = Field(default=None, description=texts.CURSOR)

    def place(self, first: int) -> int:
        """Return the place in the list that the cursor names; `first` if there is no cursor."""
        return first if self.cursor is None else int(self.cursor, 36)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The client that asks."""

    name: str
    scopes: frozenset[ApiScope]

    def may_see(self, turn: Turn) -> bool:
        """Return True for a delegation of its own, and for all if it may read what everybody does."""
        return ApiScope.SESSIONS in self.scopes or turn.address.whole_chat == chat_of_client(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that was let in, and whose parts are valid."""

    caller: Caller
    id: str  # of the address; empty if that has none
    query: Any  # of the operation's type, as is the body
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    name: str
    method: str
    path: str  # as OpenAPI writes it; `{id}` also stands for ids with slashes
    summary: str
    scopes: tuple[ApiScope, ...]  # one of them opens it
    answer: type[BaseModel]
    run: Callable[[Call], Awaitable[BaseModel]]  # may raise Problem, DelegationRefused and RowsOfOtherVersion
    query: type[Query] = Query
    body: type[BaseModel] | None = None
    created_at: str = ""  # the address of what it makes, if it makes something
    asks_bot: bool = False  # the bot may refuse it, or be away

    @property
    def has_id(self) -> bool:
        return "{id}" in self.path


def cursor_of(place: int) -> str:
    """Return the opaque form of a place in a list. Every cursor names one, so none is refused."""
    digits = ""
    while place:
        place, digit = divmod(place, len(CURSOR_DIGITS))
        digits = CURSOR_DIGITS[digit] + digits
    return digits or "0"
