"""Lay out a request: a pure function of the chapter, so that each request extends the one before it, byte by byte.
message_layout.py lays out its messages.

The first cache breakpoint ends the prefix, which all chats share. The last one moves along with the newest entry. One
between them marks the previous reply: from a breakpoint, the server looks for the cache only twenty blocks back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core.content_blocks import Block, text_block
from bot.core.model import ModelRequest
from bot.core.prompt_prefix import STREAMED_INPUT_KEY, STRICT_SCHEMA_KEY
from bot.core.web import tool_with_web_use_limits, withheld_tool_schema
from bot.models.claude import substitutes
from bot.models.claude.enforceable_schema import enforceable_reply_schema
from bot.models.claude.message_layout import MessageCache, encode_json, lay_out_messages
from bot.models.claude.refused_content import ThinkingGap, replace_unreadable_media, without_thinking_in_gaps
from bot.models.claude.traits import ModelTraits

PREFIX_CACHE_TTL = "1h"
BETA_HEADER_NAME = "anthropic-beta"
NOTES_BETA_HEADER, NOTES_DISPLAY = "thinking-display-updates-2026-08-18", "updates"
BINDING_BETA_HEADER = "thinking-binding-controls-2026-08-01"
EFFORT_BETA_HEADER = "mid-conversation-output-config-2026-07-01"
CACHEABLE_BLOCK_TYPES = ("text", "image", "document", "tool_use", "tool_result")


def build_request_body(
    request: ModelRequest,
    user: str,
    traits: ModelTraits,
    gaps: Sequence[ThinkingGap] = (),
    unread: frozenset[int] = frozenset(),
    cache: MessageCache | None = None,
) -> dict[str, Any]:
    """Return the request as the Messages API takes it, by the model's traits, without what the server has refused. Its
    `betas` belong into a header. Each message that `cache` has is its JSON, as bytes."""
    prefix, encoded = request.prefix, tuple[bytes, ...]()
    if cache and not (gaps or unread):
        settled = cache.settle_messages(request, traits)
        encoded = settled.encoded
        messages, state = lay_out_messages(request.transcript[settled.entry_count :], prefix, traits, settled.state)
    else:
        messages, state = lay_out_messages(request.transcript, prefix, traits)
        messages = replace_unreadable_media(without_thinking_in_gaps(messages, gaps), unread)
    served = request.server_tools if traits.has_web_tools else frozenset()
    withheld = request.withheld_tools if traits.has_web_tools else frozenset()
    offered = [withheld_tool_schema(tool["name"]) if tool["name"] in withheld else tool for tool in prefix.tools]
    shown = [tool for tool in offered if "type" not in tool or tool["name"] in served]
    # Fields that the server may not know
    knows = {STREAMED_INPUT_KEY: traits.has_streamed_arguments, STRICT_SCHEMA_KEY: traits.has_enforced_schemas}
    known = [{name: value for name, value in tool.items() if knows.get(name, True)} for tool in shown]
    tools = [tool_with_web_use_limits(tool, request.web_use_limits) for tool in known]
    body: dict[str, Any] = {"model": prefix.model, "max_tokens": request.max_tokens, "metadata": {"user_id": user}}
    if prefix.system.strip():
        marked = {**text_block(prefix.system), "cache_control": make_cache_breakpoint(traits, PREFIX_CACHE_TTL)}
        body["system"] = [marked] if traits.has_caching else prefix.system
    if tools:
        body["tools"] = tools
    if traits.has_thinking:
        body["thinking"] = {"type": "adaptive", **({"display": NOTES_DISPLAY} if traits.has_notes_in_thinking else {})}
        if prefix.effort in traits.efforts - {traits.default_effort}:
            body["output_config"] = {"effort": prefix.effort}
        if request.may_lose_thinking:
            body["thinking"]["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    if traits.has_substitutes and request.pays_for_substitute:
        body["fallbacks"] = substitutes.FALLBACKS_CHOSEN_BY_SERVER
    needed = {
        EFFORT_BETA_HEADER: traits.may_change_effort(prefix),
        NOTES_BETA_HEADER: is_thinking_for_people(body),
        BINDING_BETA_HEADER: "block_binding" in body.get("thinking", {}),
        substitutes.SUBSTITUTES_BETA_HEADER: may_use_substitute(body) or state.has_handovers,
    }
    if betas := [beta for beta, is_needed in needed.items() if is_needed]:
        body["betas"] = betas
    if traits.has_enforced_schemas and (grammar := enforceable_reply_schema(request.form, tools)):
        body["output_config"] = {**body.get("output_config", {}), "format": {"type": "json_schema", "schema": grammar}}
    if traits.has_caching:
        mark = make_cache_breakpoint(traits, request.cache_lifetime)
        replies = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
        messages = add_cache_breakpoint(messages, replies[-1], mark) if replies else messages
        if traits.has_automatic_caching:
            body["cache_control"] = mark
        else:
            messages = add_cache_breakpoint(messages, len(messages) - 1, mark)
    return {**body, "messages": [*encoded, *messages]}


def split_betas_from_body(body: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the header that a request needs besides, and its body, as they are sent."""
    headers = {BETA_HEADER_NAME: ",".join(body["betas"])} if body.get("betas") else {}
    return headers, {name: value for name, value in body.items() if name != "betas"} | {"stream": True}


def encode_messages(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body that was built here, with each message as its JSON."""
    messages = [each if isinstance(each, bytes) else encode_json(each) for each in body["messages"]]
    return {**body, "messages": messages}


def encode_request(body: Mapping[str, Any]) -> bytes:
    """Return the JSON of a body that was built here."""
    messages = b",".join(encode_messages(body)["messages"])
    fields = encode_json({name: value for name, value in body.items() if name != "messages"})
    return b'%s,"messages":[%s]}' % (fields[:-1], messages)


def is_thinking_for_people(body: Mapping[str, Any]) -> bool:
    """Return True if the reply's thinking holds only what the model writes for people beside its calls."""
    return bool(body.get("thinking", {}).get("display") == NOTES_DISPLAY)


def may_use_substitute(body: Mapping[str, Any]) -> bool:
    """Return True if another model may answer when the requested model declines."""
    return "fallbacks" in body


def make_cache_breakpoint(traits: ModelTraits, ttl: str) -> dict[str, str]:
    """Return a cache breakpoint. Other servers know only the short lifetime, and do not take its name."""
    return {"type": "ephemeral", "ttl": ttl} if traits.has_automatic_caching else {"type": "ephemeral"}


def add_cache_breakpoint(messages: list[Block], at: int, mark: Block) -> list[Block]:
    """Mark the end of a message, if its last block is of a kind that takes a mark."""
    *blocks, last = messages[at]["content"]
    if last["type"] not in CACHEABLE_BLOCK_TYPES:
        return messages
    marked = {**messages[at], "content": [*blocks, {**last, "cache_control": mark}]}
    return [*messages[:at], marked, *messages[at + 1 :]]
