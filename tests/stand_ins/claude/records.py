"""What the stand-in remembers of each accepted request."""

import asyncio
from dataclasses import dataclass, field

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """Tokens by their price. The four kinds of input add up to the prompt."""

    input: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    output: int = 0
    thinking: int = 0  # part of the output
    searches: int = 0
    fetches: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.read + self.write_5m + self.write_1h

    @property
    def cached(self) -> int:
        return self.read + self.write_5m + self.write_1h

    def as_json(self) -> Json:
        return {
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.write_5m + self.write_1h,
            "cache_read_input_tokens": self.read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.write_5m,
                "ephemeral_1h_input_tokens": self.write_1h,
            },
            "output_tokens": self.output,
            "service_tier": "standard",
        }

    def at_end(self) -> Json:
        """Return the usage as in message_delta, without the split of the writes."""
        whole = self.as_json()
        del whole["cache_creation"], whole["service_tier"]
        looked = {"web_search_requests": self.searches, "web_fetch_requests": self.fetches}
        served = {"server_tool_use": looked} if self.searches or self.fetches else {}
        return {**whole, "output_tokens_details": {"thinking_tokens": self.thinking}, **served}


@dataclass(kw_only=True, eq=False)
class Request:
    """One accepted request. `arrived` and `ended` are by the loop's clock, `at` is by the stand-in's."""

    number: int  # from 1
    asked: Asked
    arrived: float
    at: float
    ended: float | None = None
    extends: "Request | None" = None  # the request whose reply this one continues
    fault: str = ""
    status: int = 0
    hung_up: bool = False  # the client left before the end
    billed: Billed = field(default_factory=Billed)  # by the model that was asked
    others: dict[str, Billed] = field(default_factory=dict)  # by model: those that continued in its place
    reply: list[Json] = field(default_factory=list)  # the blocks that the client has at the end
    left: int = 0  # tokens of its prompt that the cache has, from the beginning
    cached_until: float = 0  # when the first of its cache entries expires
    transformations: list[Json] = field(default_factory=list)
    streaming: asyncio.Event = field(default_factory=asyncio.Event)  # set when the head is sent
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def body(self) -> Json:
        return self.asked.body

    @property
    def headers(self) -> dict[str, str]:
        return self.asked.headers


class Clock:
    """The stand-in's time. It stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def advance(self, seconds: float) -> None:
        self.now += seconds
