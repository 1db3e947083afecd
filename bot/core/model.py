"""The protocol of a language model, with its requests and replies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, Protocol

from bot.core.content_blocks import Block
from bot.core.messages import Address
from bot.core.prices import Micros, Usage, make_substitute_usage
from bot.core.prompt_prefix import PromptPrefix
from bot.core.sent_request import SentRequest
from bot.core.web import WEB_USE_LEVELS, WebUseLimits

NO_USAGE = Usage(requests=0)
MAX_OUTPUT_TOKENS_PER_SECOND = 200  # an upper bound: it decides the charge for a reply that was cut off


class ShowTextCallback(Protocol):
    def __call__(self, text: str | None, activity: str = "") -> None:
        """Show the whole text so far (None: as before). `activity` is what the server does now besides writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    role: str  # user | assistant | system: the bot writes a system entry, after a user entry
    content: list[Block]
    tokens: int = 0  # estimated
    media_keys: tuple[str, ...] = ()  # the images and PDFs that it shows, by the call or file that each is of

    def as_json(self) -> dict[str, Any]:
        return {"role": self.role, "content": self.content}


@dataclass(slots=True, kw_only=True)
class RequestMeter:
    """What is known about a request while it runs. If the request is cut off, this decides its cost."""

    estimated_prompt_tokens: int  # tokens of its prompt, as its chapter counts them
    cached_prompt_tokens: int = 0  # of these, what a cache should hold
    sent_at_loop_seconds: float | None = None  # when it was sent, by the loop's clock
    last_piece_at_loop_seconds: float | None = None  # when the newest piece of the reply came; None before the first
    usage_at_start: Usage | None = None  # as the server reports it at the start of the reply
    usage_at_end: Usage | None = None  # as the server reports it at the end
    searches_since_start: int = 0  # web searches that have begun since the start
    estimated_found_tokens: int = 0  # tokens, estimated, that searches and fetched pages have added to the prompt
    substitute_model: str = ""  # the model that answers instead, if the one that was asked has declined
    declined_usage: Usage | None = None  # the usage until the substitute took over
    sent: SentRequest | None = None  # how it was built; None before that, and for models that keep nothing of it

    def record_handover_to_substitute(self, model: str, now: float, max_tokens: int) -> None:
        """Note that another model continues from here. It reads the prompt and the text written so far again."""
        before = self.estimate_usage_so_far(now, max_tokens)
        self.usage_at_start = Usage(cache_write_1h=before.prompt_tokens + before.output)
        self.declined_usage, self.substitute_model, self.sent_at_loop_seconds = before, model, now
        self.estimated_found_tokens = self.searches_since_start = 0

    def estimate_usage_so_far(self, now: float, max_tokens: int) -> Usage:
        """Return what the request has used so far: what the server has reported, and the rest at its worst case;
        NO_USAGE if it was never sent. `now` is the loop's clock."""
        if self.usage_at_end:
            return self.usage_at_end
        if self.sent_at_loop_seconds is None:
            return NO_USAGE
        written = min(max_tokens, int((now - self.sent_at_loop_seconds) * MAX_OUTPUT_TOKENS_PER_SECOND) + 1)
        known = self.usage_at_start or Usage(
            cache_write_1h=self.estimated_prompt_tokens, expected_cache_read=self.cached_prompt_tokens
        )
        found, searches = known.input + self.estimated_found_tokens, known.searches + self.searches_since_start
        reading = replace(known, requests=1, input=found, output=written, searches=searches)
        if self.substitute_model:
            return make_substitute_usage(self.substitute_model, reading, self.declined_usage or NO_USAGE)
        return reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """An outage of a model's server, in seconds: how long it has lasted, and how much longer a turn waits for it."""

    lasted_seconds: float = 0.0
    patience_left_seconds: float = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request to a model. Requests of one chapter extend each other; a cache and a log may rely on that."""

    chapter_name: str  # names the chapter
    address: Address
    prefix: PromptPrefix
    transcript: Sequence[TranscriptEntry]
    last_entry: int = 0  # the number of the transcript's last entry
    may_call_tools: bool  # False: the turn's last request. It shows the tools, for the cache, but no call is run
    max_tokens: int
    attempt: int = 1
    outage: Outage = Outage()  # a shared default is safe, because it is frozen
    cache_lifetime: Literal["5m", "1h"] = "5m"  # long enough for the next request to read what this one writes
    server_tools: frozenset[str] = frozenset()  # names of the server's own tools that it may use; no others are sent
    withheld_tools: frozenset[str] = frozenset()  # of these, calls that a person must agree to are offered instead
    may_lose_thinking: bool = False  # earlier requests of the chapter may have had other tools: some thinking is lost
    web_use_limits: WebUseLimits = WEB_USE_LEVELS[0]  # of the tools in `server_tools`
    reserved: Micros = Micros(0)  # the money that is reserved for it
    pays_for_substitute: bool = False  # if this model declines, the reserved money also pays for another one
    form: str = ""  # the JSON Schema that the last reply must fit; empty: any text
    meter: RequestMeter = field(default_factory=lambda: RequestMeter(estimated_prompt_tokens=0))


class StopReason(StrEnum):
    END = "end"
    CALLS = "calls"
    PAUSE = "pause"  # the server ran its own tools for long; it continues the reply if we send it back unchanged
    LENGTH = "length"  # max_tokens is reached; its calls may be cut off, so they are not run
    WINDOW = "window"  # the context window is full
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    content: list[Block]
    usage: Usage
    stop_reason: StopReason = StopReason.END
    text_for_people: str = ""  # the text as people read it, if `content` alone does not tell
    refusal_category: str = ""  # the category that the server names, if `stop_reason` is REFUSAL


class Model(Protocol):
    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        """Return the reply to one request. Keep `request.meter` up to date, and pass the growing text to `show`. Raise
        RetryableModelFailure if the request may be repeated, otherwise ModelFailed."""
