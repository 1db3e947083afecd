"""What the API answers. Each field's type is its schema; what is taken from the rows is in `reading.py`."""

from datetime import UTC, date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, RootModel

from bot.core.findings import CheckState
from bot.core.turn import TurnOutcome, TurnState
from bot.store.cost_figures import CostColumn
from bot.web_page.api import texts

Moment = Annotated[datetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
Dollars = Annotated[float, Field(ge=0)]
Number = Annotated[int, Field(ge=0)]
Status = Literal[TurnState.QUEUED, TurnState.RUNNING, TurnState.STOPPING] | TurnOutcome
By = Literal["day"] | CostColumn
Kind = Literal["text", "call", "result", "error", "other"]
Author = Literal["user", "assistant", "system"]


class Conversation(BaseModel):
    id: str
    kind: Literal["conversation"] = "conversation"
    chat: str = Field(description=texts.CHAT)
    group: str | None = Field(description=texts.GROUP)
    active_at: Moment = Field(description=texts.ACTIVE_AT)
    first_words: str = Field(description=texts.FIRST_WORDS)
    last_words: str = Field(description=texts.LAST_WORDS)
    turns: Number
    is_open: bool = Field(description=texts.IS_OPEN)
    cost_usd: Dollars = Field(description=texts.COST_WITH_ALL_BELOW)


class SubSession(BaseModel):
    id: str
    kind: Literal["sub-session"] = "sub-session"
    parent: str | None = Field(description=texts.PARENT_SESSION)
    delegation: str = Field(description=texts.DELEGATION_OF_SESSION)
    role: str
    task: str = Field(description=texts.SHORT_TASK)
    status: Status = Field(description=texts.STATUS_OF_SESSION)
    opened_at: Moment
    ended_at: Moment | None
    turns: Number
    cost_usd: Dollars = Field(description=texts.COST_WITH_ALL_BELOW)


class Session(RootModel[Annotated[Conversation | SubSession, Field(discriminator="kind")]]):
    """A conversation, or the sub-session of a delegation."""


class Block(BaseModel):
    kind: Kind = Field(description=texts.BLOCK_KIND)
    name: str = Field(description=texts.BLOCK_NAME)
    text: str


class Entry(BaseModel):
    chapter: Number
    number: Number
    turn: str
    role: str
    model: str
    author: Author = Field(description=texts.AUTHOR)
    blocks: list[Block]


class Tokens(BaseModel):
    input: Number
    output: Number


class DelegationLine(BaseModel):
    """A delegation as lists have it."""

    id: str
    session: str = Field(description=texts.SESSION_OF_DELEGATION)
    conversation: str = Field(description=texts.CONVERSATION)
    parent: str | None = Field(description=texts.PARENT_DELEGATION)
    role: str
    task: str = Field(description=texts.SHORT_TASK)
    person: str = Field(description=texts.PERSON)
    status: Status
    reason: str = Field(description=texts.REASON)
    begun_at: Moment | None = Field(description=texts.BEGUN_AT)
    ended_at: Moment | None
    seconds: Annotated[float, Field(ge=0)] | None = Field(description=texts.SECONDS)
    tokens: Tokens = Field(description=texts.TOKENS)
    cost_usd: Dollars = Field(description=texts.COST_WITH_ALL_BELOW)


class Delegation(DelegationLine):
    report: str = Field(description=texts.REPORT)
    delegations: list["Delegation"]


class Page(BaseModel):
    next_cursor: str | None = Field(description=texts.NEXT_CURSOR)


class ConversationPage(Page):
    items: list[Conversation]


class SubSessionPage(Page):
    items: list[SubSession]


class Transcript(Page):
    items: list[Entry]


class DelegationPage(Page):
    items: list[DelegationLine]


class Role(BaseModel):
    name: str
    description: str


class RoleList(BaseModel):
    items: list[Role]


class Spent(BaseModel):
    name: str = Field(description=texts.USAGE_NAME)
    cost_usd: Dollars
    tokens: Number = Field(description=texts.USAGE_TOKENS)


class Usage(BaseModel):
    by: By
    since: date
    items: list[Spent]


class Finding(BaseModel):
    state: CheckState
    text: str
    remedy: str


class Health(BaseModel):
    status: CheckState = Field(description=texts.HEALTH_STATUS)
    is_running: bool
    version: str
    findings: list[Finding]
