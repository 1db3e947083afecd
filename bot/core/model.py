"""What the bot needs of a language model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from bot.core.content_blocks import Block
from bot.core.messages import Address
from bot.core.prices import Micros, Usage, usage_of_substitute
from bot.core.prompt_prefix import Prefix
from bot.core.web import CAP_LEVELS, WebCaps

NO_USAGE = Usage(requests=0)
OUTPUT_TOKENS_PER_SECOND = 200  # at most: what a reply that was cut off is charged for


class ShowText(Protocol):
    def __call__(self, text: str | None, activity: str = "") -> None:
        """Take the whole text so far (None: as before), and what the server does now besides writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    """One message of a transcript."""

    role: str  # user | assistant | system: the last is the harness's, and follows the user's
    content: list[Block]
    tokens: int = 0  # about

    def as_json(self) -> dict[str, Any]:
        return {"role": self.role, "content": self.content}


@dataclass(slots=True, kw_only=True)
class RequestMeter:
    """What is known of a request while it runs, so that one that is cut off can be charged truly."""

    prompt: int  # tokens, estimated
    began: float | None = None  # when it was sent, by the loop's clock
    usage: Usage | None = None  # what the server said at the reply's start
    final: Usage | None = None  # what it said at the end
    searches: int = 0  # of the web, begun since the start
    found: int = 0  # tokens, about, that they and the pages fetched have added to the prompt
    substitute: str = ""  # the model that answers, where the one that was asked has declined
    declined: Usage | None = None  # what the one that was asked had come to, if it had begun to answer

    def hand_over(self, model: str, now: float, max_tokens: int) -> None:
        """Another model goes on from here: it reads the prompt and what is written anew."""
        before = self.usage_so_far(now, max_tokens)
        self.usage = Usage(cache_write_1h=before.prompt + before.output)
        self.declined, self.substitute, self.began = before, model, now
        self.found = self.searches = 0

    def usage_so_far(self, now: float, max_tokens: int) -> Usage:
        """What the request has come to by now: nothing if it was never sent."""
        if self.final:
            return self.final
        if self.began is None:
            return NO_USAGE
        written = min(max_tokens, int((now - self.began) * OUTPUT_TOKENS_PER_SECOND) + 1)
        known = self.usage or Usage(cache_write_1h=self.prompt)
        reading = Usage(
            requests=1,
            input=known.input + self.found,
            output=written,
            cache_read=known.cache_read,
            cache_write_5m=known.cache_write_5m,
            cache_write_1h=known.cache_write_1h,
            searches=known.searches + self.searches,
        )
        return usage_of_substitute(self.substitute, reading, self.declined or NO_USAGE) if self.substitute else reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Of a model's server, in seconds: for how long it has failed, running, and how long that may still go on."""

    lasted: float = 0.0
    left: float = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Requests of one chapter extend each other: a cache, and a log, may go by that."""

    chapter: str  # names the chapter
    address: Address
    prefix: Prefix
    transcript: Sequence[TranscriptEntry]
    may_call: bool  # False: the last of its turn; the tools are shown, so that the cache is read, and no call is run
    max_tokens: int
    attempt: int = 1
    outage: Outage = Outage()  # a frozen value
    cache_lifetime: Literal["5m", "1h"] = "5m"  # how soon another request is likely to read what this one writes
    served: frozenset[str] = frozenset()  # the tools run by the server that may be used: no other is sent
    web: WebCaps = CAP_LEVELS[0]  # for those
    reserved: Micros = Micros(0)  # what it may cost
    pays_for_substitute: bool = False  # another model may answer what this one declines, within what is reserved
    form: str = ""  # the JSON Schema that the last reply is to fit; empty: any text will do
    meter: RequestMeter = field(default_factory=lambda: RequestMeter(prompt=0))


class StopReason(StrEnum):
    """Why a reply ended."""

    END = "end"
    CALLS = "calls"
    PAUSE = "pause"  # the server has run tools of its own for long: sent back as it is, the reply goes on
    LENGTH = "length"  # its tokens were used up: calls in it may be cut, and are not run
    WINDOW = "window"  # the context window is full
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    content: list[Block]
    usage: Usage
    stop: StopReason = StopReason.END
    said: str = ""  # its text as people read it, where the blocks that are kept do not tell
    refusal: str = ""  # of a refusal: the category that the server names


class Model(Protocol):
    async def reply(self, request: ModelRequest, show: ShowText) -> ModelReply:
        """Answer the transcript, whole; `show` takes the text as it grows.

        One request and no more, read off on `request.meter`. Raises RequestFailed where it may be made again, and
        ModelFailed where that is of no use.
        """
        ...
