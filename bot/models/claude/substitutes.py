"""Where another model answers what the one that was asked has declined: Anthropic's server does that within a reply.

The reply holds a block of type `fallback` at each handover. A text before it stands, and the next model goes on where
it breaks off; what the first model thought and called is gone. What each attempt came to is in
`usage.iterations` alone. Source: the SDK's docstrings (`beta_fallback_*.py`, `lib/middleware/_fallbacks.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bot.core.content_blocks import HANDOVER, THINKING_TYPES, Block, pending_server_uses, text_block
from bot.core.model import OUTPUT_TOKENS_PER_SECOND, RequestMeter
from bot.core.prices import (
    MILLION,
    SEARCH_PRICE,
    Micros,
    Usage,
    cost_of_usage,
    find_pricing,
    plain_model_name,
    sum_usages,
    usage_of_substitute,
)
from bot.core.texts import model as texts

SUBSTITUTES_BETA = "server-side-fallback-2026-07-01"
BY_CATEGORY = "default"  # the server picks the model
DECLINED_BLOCKS = (*THINKING_TYPES, "connector_text", "tool_use")  # before a handover: not to be sent back


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstituteAllowance:
    """What another model may cost that answers in the place of the one that was asked."""

    asked: str
    max_tokens: int
    reserved: Micros
    page: int = 0  # tokens that the server may add to the prompt at once, of what it finds on the web

    def seconds_left(self, meter: RequestMeter, now: float) -> float:
        """Return how long it may go on: until what both may have cost by then is all that is reserved."""
        pricing = find_pricing(meter.substitute)
        if pricing is None:
            return 0
        next_page = self.page * pricing.card.write_5m // MILLION + (SEARCH_PRICE if self.page else 0)
        left = self.reserved - cost_of_usage(self.asked, meter.usage_so_far(now, self.max_tokens)) - next_page
        return left * MILLION / (pricing.card.output * OUTPUT_TOKENS_PER_SECOND)


def keep_after_handovers(content: Sequence[Block]) -> list[Block]:
    """A reply as it is kept and sent back: without what its declined attempts have thought and called."""
    last = max((at for at, block in enumerate(content) if block["type"] == HANDOVER), default=-1)
    open_uses = [use["id"] for use in pending_server_uses(content[: last + 1])]
    kept = [
        block
        for at, block in enumerate(content)
        if at > last or (block["type"] not in DECLINED_BLOCKS and block.get("id") not in open_uses)
    ]
    return [] if all(block["type"] == HANDOVER for block in kept) else kept  # no message may hold handovers alone


def has_handovers(messages: Iterable[Block]) -> bool:
    return any(block["type"] == HANDOVER for message in messages for block in message["content"])


def without_handovers(messages: list[Block]) -> list[Block]:
    """The messages for a server that does not know such blocks."""
    return [message_without_handovers(message) for message in messages] if has_handovers(messages) else messages


def message_without_handovers(message: Block) -> Block:
    kept = [block for block in message["content"] if block["type"] != HANDOVER]
    return {**message, "content": kept or [text_block(texts.NO_WORDS)]} if message["content"] else message


def is_other_model(model: str, asked: str) -> bool:
    """Return whether a reply is another model's than the one that was asked, whose id may be an alias."""
    return bool(model) and plain_model_name(model) != plain_model_name(asked)


def total_usage_of_attempts(
    iterations: Sequence[Mapping[str, Any]], asked: str, usages: Sequence[Usage]
) -> Usage | None:
    """What a request came to, given its iterations and their usages; None if only the model that was asked was at
    work."""
    attempts = [(str(each.get("model") or asked), usage) for each, usage in zip(iterations, usages, strict=True)]
    found = sum_usages(usage for model, usage in attempts if not is_other_model(model, asked))
    others = [(model, usage) for model, usage in attempts if is_other_model(model, asked)]
    for model, run in groupby(others, key=lambda attempt: attempt[0]):
        found = usage_of_substitute(model, sum_usages(usage for _, usage in run), found)
    return found if others else None
