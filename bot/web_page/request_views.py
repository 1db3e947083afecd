"""The requests of a turn and the effects of its calls, in the form in which the templates show them."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.core.messages import InboundMessage
from bot.core.prices import format_micro_dollars
from bot.core.turn import RequestId, Turn, TurnId
from bot.ops.rebuilt_requests import RebuiltRequest, rebuild_request, rebuild_requests_of_turn
from bot.ops.request_verdicts import describe_verdict, request_as_json
from bot.store import effects, inbox, sent_requests, turns
from bot.store.connection import Connection
from bot.store.effects import Effect
from bot.store.sent_requests import KeptRequest
from bot.web_page import request_texts as texts
from bot.web_page.transcript_blocks import pretty_json

MAX_DATA_CHARACTERS = 200  # of base64 that the page shows; the JSON has all


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLine:
    """A request in a list."""

    row: KeptRequest
    verdict: str
    is_as_sent: bool
    can_be_shown: bool

    @property
    def facts(self) -> list[str]:
        """Return its model, its state, its tokens and its cost."""
        facts = [self.row.model, self.row.state]
        facts += [texts.ATTEMPT(number=self.row.attempt)] if self.row.attempt > 1 else []
        if usage := self.row.usage:
            facts += [texts.PROMPT(usage.prompt_tokens), texts.WRITTEN(usage.output)]
        return [*facts, *([] if self.row.cost is None else [format_micro_dollars(self.row.cost)])]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """A request, and what it is built to today; None if it cannot be built."""

    line: RequestLine
    rebuilt: RebuiltRequest | None

    def as_json(self) -> dict[str, Any]:
        return request_as_json(self.line.row, self.rebuilt)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessage:
    number: int
    role: str
    text: str  # its content as JSON, without long data


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyView:
    """A request's body, part by part."""

    system: str
    tools: list[tuple[str, str]]  # the name of each, and its JSON
    messages: list[ShownMessage]
    options: str
    headers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsView:
    """What a turn and those below it have done, and the messages that asked for it."""

    turn: Turn
    messages: list[InboundMessage]
    effects: list[Effect]


def load_requests(db: Connection, id: TurnId) -> list[RequestLine] | None:
    """Return the requests of a turn, oldest first; None if there is no such turn."""
    turn = find_turn(db, id)
    return None if turn is None else [describe_line(*request) for request in rebuild_requests_of_turn(db, turn)]


def load_request(db: Connection, id: RequestId) -> RequestView | None:
    row = sent_requests.find_request(db, id)
    if row is None:
        return None
    rebuilt = rebuild_request(db, turns.get_turn(db, row.turn), row)
    return RequestView(line=describe_line(row, rebuilt), rebuilt=rebuilt)


def describe_line(row: KeptRequest, rebuilt: RebuiltRequest | None) -> RequestLine:
    return RequestLine(
        row=row,
        verdict=describe_verdict(row, rebuilt),
        is_as_sent=rebuilt is not None and rebuilt.is_as_sent,
        can_be_shown=rebuilt is not None,
    )


def load_words_of_turn(db: Connection, id: TurnId) -> str | None:
    """Return what people wrote to a turn of the lead, as far as it is kept; None if there is no such turn."""
    turn = find_turn(db, id)
    if turn is None or not turn.is_root:
        return None
    return "\n".join(message.text for message in inbox.list_messages_of_turn(db, id) if message.text)


def find_turn(db: Connection, id: TurnId) -> Turn | None:
    with suppress(LookupError):
        return turns.get_turn(db, id)
    return None


def load_effects(db: Connection, turn: TurnId) -> EffectsView | None:
    """Return what a turn and those below it have done; None if there is no such turn."""
    found, top = find_turn(db, turn), TurnId(turn.partition("/")[0])
    if found is None:
        return None
    return EffectsView(
        turn=found, messages=inbox.list_messages_of_turn(db, top), effects=effects.list_effects_of_tree(db, turn)
    )


def body_view(rebuilt: RebuiltRequest) -> BodyView:
    body = rebuilt.body
    system, tools = body.get("system", ""), body.get("tools", ())
    options = {name: value for name, value in body.items() if name not in ("system", "tools", "messages")}
    return BodyView(
        system=system if isinstance(system, str) else "\n".join(block["text"] for block in system),
        tools=[(tool["name"], pretty_json(tool)) for tool in tools],
        messages=[
            ShownMessage(number=number, role=message["role"], text=pretty_json(without_long_data(message["content"])))
            for number, message in enumerate(body["messages"], 1)
        ],
        options=pretty_json(options),
        headers=pretty_json(rebuilt.headers),
    )


def without_long_data(value: Any) -> Any:
    """Return JSON with a word in place of long base64."""
    if isinstance(value, list):
        return list(map(without_long_data, value))
    if not isinstance(value, dict):
        return value
    return {
        name: leave_out_data(name, each) if isinstance(each, str) else without_long_data(each)
        for name, each in value.items()
    }


def leave_out_data(name: str, text: str) -> str:
    is_long = name == "data" and len(text) > MAX_DATA_CHARACTERS
    return texts.DATA_LEFT_OUT(count=len(text)) if is_long else text
