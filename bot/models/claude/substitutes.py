"""Substitutes: another model answers what the requested one declined. Anthropic's server does that within one reply.

The reply holds a block of type `fallback` at each handover. Text before it stays, and the next model goes on where that
text breaks off. The first model's thinking and calls are dropped. Only `usage.iterations` has the usage of each
attempt. Source: the SDK's docstrings (`beta_fallback_*.py`, `lib/middleware/_fallbacks.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bot.core import prices
from bot.core.content_blocks import MODEL_HANDOVER_BLOCK_TYPE, THINKING_BLOCK_TYPES, Block, unanswered_server_tool_uses
from bot.core.model import MAX_OUTPUT_TOKENS_PER_SECOND, RequestMeter
from bot.core.prices import Micros, Usage, canonical_model_id, sum_usages
from bot.models.claude.refused_content import filter_message_blocks

SUBSTITUTES_BETA_HEADER = "server-side-fallback-2026-07-01"
FALLBACKS_CHOSEN_BY_SERVER = "default"
# Before a handover; these must not be sent back
BLOCK_TYPES_DROPPED_AFTER_DECLINE = (*THINKING_BLOCK_TYPES, "connector_text", "tool_use")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstituteAllowance:
    """How much another model may cost that answers in place of the requested one."""

    requested_model: str
    max_tokens: int
    reserved_micros: Micros
    web_page_tokens: int = 0  # tokens from the web that the server may add to the prompt at once

    def payable_seconds_left(self, meter: RequestMeter, now: float) -> float:
        """Return for how many more seconds the reservation can pay for both models if the substitute goes on."""
        pricing = prices.find_pricing(meter.substitute_model)
        if pricing is None:
            return 0
        next_page = self.web_page_tokens * pricing.card.cache_write_5m // prices.MILLION
        next_search = prices.MICROS_PER_WEB_SEARCH if self.web_page_tokens else 0
        used = prices.cost_of_usage(self.requested_model, meter.estimate_usage_so_far(now, self.max_tokens))
        left = self.reserved_micros - used - next_page - next_search
        return left * prices.MILLION / (pricing.card.output * MAX_OUTPUT_TOKENS_PER_SECOND)


def drop_declined_thinking_and_calls(content: Sequence[Block]) -> list[Block]:
    """Return a reply as it is stored and sent back, without the thinking and calls of its declined attempts."""
    last = max((at for at, block in enumerate(content) if block["type"] == MODEL_HANDOVER_BLOCK_TYPE), default=-1)
    open_uses = [use["id"] for use in unanswered_server_tool_uses(content[: last + 1])]
    before = [block for block in content[: last + 1] if block["type"] not in BLOCK_TYPES_DROPPED_AFTER_DECLINE]
    kept = [*(block for block in before if block.get("id") not in open_uses), *content[last + 1 :]]
    return (
        [] if all(block["type"] == MODEL_HANDOVER_BLOCK_TYPE for block in kept) else kept
    )  # no message may hold only handovers


def has_handovers(messages: Iterable[Block]) -> bool:
    return any(block["type"] == MODEL_HANDOVER_BLOCK_TYPE for message in messages for block in message["content"])


def without_handovers(messages: list[Block]) -> list[Block]:
    """Return the messages without handovers, for a server that does not know such blocks."""
    if not has_handovers(messages):
        return messages
    return filter_message_blocks(messages, lambda at, place, block: block["type"] != MODEL_HANDOVER_BLOCK_TYPE)


def is_other_model(model: str, asked: str) -> bool:
    """Return True if a reply is from another model than the requested one. The requested id may be an alias."""
    return bool(model) and canonical_model_id(model) != canonical_model_id(asked)


def find_usage_with_substitutes(
    iterations: Sequence[Mapping[str, Any]], asked: str, used: Sequence[Usage]
) -> Usage | None:
    """Return the usage of a request from its iterations and their usages; None if only the requested model worked."""
    attempts = [(str(each.get("model") or asked), usage) for each, usage in zip(iterations, used, strict=True)]
    found = sum_usages(usage for model, usage in attempts if not is_other_model(model, asked))
    others = [(model, usage) for model, usage in attempts if is_other_model(model, asked)]
    for model, run in groupby(others, key=lambda attempt: attempt[0]):
        found = prices.make_substitute_usage(model, sum_usages(usage for _, usage in run), found)
    return found if others else None
