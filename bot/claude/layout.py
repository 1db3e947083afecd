"""How a request is laid out: a pure function of the chapter, so that each extends the one before it, byte by byte.

The first breakpoint of the cache ends the prefix, which all chats share; the last moves along at the newest entry. One
between them stands at the reply before: from a breakpoint the cache is looked for only twenty blocks back, and a burst
of messages may be longer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.blocks import Block, words
from bot.claude.effort import EFFORT_BETA, with_efforts
from bot.claude.grammar import grammar_beside, loose
from bot.claude.thinking import Gap, without_thinking
from bot.claude.unread import without_media
from bot.model import Entry, ModelRequest
from bot.prices import PRICES
from bot.web import capped

PREFIX_TTL = "1h"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What cannot be learnt from the Models API. Checked with the price table, and of its date."""

    thinks: bool = True  # adaptive thinking, and effort
    default_effort: str = "high"
    hears_system: bool = True  # entries of the harness's own, in mid-conversation
    caches: bool = True
    has_web: bool = True  # tools for it that the server runs
    has_grammars: bool = True  # it holds arguments and replies to a schema


OLDER = Traits(hears_system=False)
TRAITS = {
    "claude-fable-5": OLDER,
    "claude-opus-5-5": Traits(default_effort="medium"),
    "claude-opus-4-8": OLDER,
    "claude-opus-4-7": OLDER,
    "claude-opus-4-6": OLDER,
    "claude-sonnet-5": OLDER,
    "claude-sonnet-4-6": OLDER,
    "claude-haiku-5-5": Traits(default_effort="medium"),
    "claude-haiku-4-5": Traits(thinks=False, hears_system=False),
}
UNKNOWN = Traits(thinks=False, hears_system=False, caches=False, has_web=False, has_grammars=False)


def traits_of(model: str) -> Traits:
    return TRAITS.get(model, Traits()) if model in PRICES else UNKNOWN


def body_of(
    request: ModelRequest, user: str, gaps: Sequence[Gap], unread: Collection[int] = (), *, has_web: bool = True
) -> dict[str, Any]:
    """The request as the Messages API takes it, without what the server has said that it will not take: thinking,
    messages' images and PDFs, and tools that it would have to run itself."""
    prefix, traits = request.prefix, traits_of(request.prefix.model)
    marks = traits.caches and request.keeps_cache
    messages = messages_of(request.transcript, traits)
    if changes_effort := traits.thinks and traits.hears_system and bool(prefix.light_effort):
        messages = with_efforts(messages, prefix.effort, prefix.light_effort)
    messages = without_media(without_thinking(messages, gaps), unread)
    served = request.served if has_web and traits.has_web else frozenset()
    tools = [capped(tool, request.web) for tool in prefix.tools if "type" not in tool or tool["name"] in served]
    tools = tools if traits.has_grammars else [loose(tool) for tool in tools]
    body: dict[str, Any] = {"model": prefix.model, "max_tokens": request.max_tokens, "metadata": {"user_id": user}}
    if prefix.system.strip():
        body["system"] = system_of(prefix.system, traits)
    if tools:
        body["tools"] = tools
        if not request.may_call:
            body["tool_choice"] = {"type": "none"}
    if traits.thinks:
        body["thinking"] = {"type": "adaptive"}
        if prefix.effort and prefix.effort != traits.default_effort:
            body["output_config"] = {"effort": prefix.effort}
    if changes_effort:
        body["extra_headers"] = {"anthropic-beta": EFFORT_BETA}
    if traits.has_grammars and (grammar := grammar_beside(request.form, tools)):
        body["output_config"] = {**body.get("output_config", {}), "format": {"type": "json_schema", "schema": grammar}}
    if marks:
        body["cache_control"] = ephemeral(request.cached_for)
        messages = marked_at_reply(messages, request.cached_for)
    return {**body, "messages": messages}


def system_of(text: str, traits: Traits) -> list[Block] | str:
    return [{**words(text), "cache_control": ephemeral(PREFIX_TTL)}] if traits.caches else text


def ephemeral(ttl: str) -> dict[str, str]:
    return {"type": "ephemeral", "ttl": ttl}


def messages_of(transcript: Iterable[Entry], traits: Traits) -> list[Block]:
    """The entries as they are kept. Where a model knows no system entries, the person's entry before each holds it."""
    messages: list[Block] = []
    for entry in transcript:
        content = list(entry.content)
        if entry.role != "system" or traits.hears_system:
            messages.append({"role": entry.role, "content": content})
        else:
            messages[-1]["content"] += [reminder(block) for block in content]
    return messages


def reminder(block: Block) -> Block:
    return words(f"<system-reminder>\n{block['text']}\n</system-reminder>")


def marked_at_reply(messages: list[Block], ttl: str) -> list[Block]:
    """Mark the end of the newest reply, if its last block is of a kind that can be marked."""
    at = next((at for at in reversed(range(len(messages))) if messages[at]["role"] == "assistant"), None)
    if at is None or messages[at]["content"][-1]["type"] not in ("text", "tool_use"):
        return messages
    *blocks, last = messages[at]["content"]
    marked = {**messages[at], "content": [*blocks, {**last, "cache_control": ephemeral(ttl)}]}
    return [*messages[:at], marked, *messages[at + 1 :]]
