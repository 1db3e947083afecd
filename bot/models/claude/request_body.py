"""Lay out a request: a pure function of the chapter, so that each request extends the one before it, byte by byte.

The first cache breakpoint ends the prefix, which all chats share. The last one moves along with the newest entry. One
between them marks the previous reply: from a breakpoint, the server looks for the cache only twenty blocks back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.core.content_blocks import Block, text_block
from bot.core.model import ModelRequest, TranscriptEntry
from bot.core.prompt_prefix import STREAMED_INPUT_KEY, STRICT_SCHEMA_KEY
from bot.core.web import tool_with_web_use_limits
from bot.models.claude import substitutes
from bot.models.claude.enforceable_schema import enforceable_reply_schema
from bot.models.claude.refused_content import ThinkingGap, replace_unreadable_media, without_thinking_in_gaps
from bot.models.claude.traits import ModelTraits

PREFIX_CACHE_TTL = "1h"
NOTES_BETA_HEADER, NOTES_DISPLAY = "thinking-display-updates-2026-08-18", "updates"
EFFORT_BETA_HEADER = "mid-conversation-output-config-2026-07-01"
USUAL_EFFORT_REPLIES_AFTER_CALL = 3  # a call in one of these asks for the usual effort
CALL_BLOCK_TYPES = ("tool_use", "server_tool_use")
CACHEABLE_BLOCK_TYPES = ("text", "tool_use", "tool_result")


def build_request_body(
    request: ModelRequest,
    user: str,
    traits: ModelTraits,
    gaps: Sequence[ThinkingGap] = (),
    unread: frozenset[int] = frozenset(),
) -> dict[str, Any]:
    """Return the request as the Messages API takes it, by the model's traits, without what the server has refused. Its
    `betas` belong into a header."""
    prefix = request.prefix
    messages = build_messages(request.transcript, traits)
    if changes_effort := traits.has_thinking and traits.has_system_entries and bool(prefix.light_effort):
        messages = insert_reply_efforts(messages, prefix.effort, prefix.light_effort)
    messages = replace_unreadable_media(without_thinking_in_gaps(messages, gaps), unread)
    messages = messages if traits.has_substitutes else substitutes.without_handovers(messages)
    served = request.server_tools if traits.has_web_tools else frozenset()
    shown = [tool for tool in prefix.tools if "type" not in tool or tool["name"] in served]
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
    if traits.has_substitutes and request.pays_for_substitute:
        body["fallbacks"] = substitutes.FALLBACKS_CHOSEN_BY_SERVER
    needed = {
        EFFORT_BETA_HEADER: changes_effort,
        NOTES_BETA_HEADER: is_thinking_for_people(body),
        substitutes.SUBSTITUTES_BETA_HEADER: may_use_substitute(body) or substitutes.has_handovers(messages),
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
    return {**body, "messages": messages}


def is_thinking_for_people(body: Mapping[str, Any]) -> bool:
    """Return True if the reply's thinking holds only what the model writes for people beside its calls."""
    return bool(body.get("thinking", {}).get("display") == NOTES_DISPLAY)


def may_use_substitute(body: Mapping[str, Any]) -> bool:
    """Return True if another model may answer when the requested model declines."""
    return "fallbacks" in body


def make_cache_breakpoint(traits: ModelTraits, ttl: str) -> dict[str, str]:
    """Return a cache breakpoint. Other servers know only the short lifetime, and do not take its name."""
    return {"type": "ephemeral", "ttl": ttl} if traits.has_automatic_caching else {"type": "ephemeral"}


def build_messages(transcript: Iterable[TranscriptEntry], traits: ModelTraits) -> list[Block]:
    """Return the entries as messages. Neighbouring system entries become one message. If the model takes none, the
    entry before each holds its text."""
    messages: list[Block] = []
    for entry in transcript:
        content = list(entry.content)
        if entry.role != "system":
            messages.append({"role": entry.role, "content": content})
        elif traits.has_system_entries and messages[-1]["role"] == "system":
            messages[-1]["content"] += content
        elif traits.has_system_entries:
            messages.append({"role": "system", "content": content})
        else:
            reminders = [f"<system-reminder>\n{block['text']}\n</system-reminder>" for block in content]
            messages[-1]["content"] += map(text_block, reminders)
    return messages


def insert_reply_efforts(messages: Sequence[Block], usual: str, light: str) -> list[Block]:
    """Return the messages, with the effort of each reply in an entry before the reply. Such entries keep the cache.

    A reply has the usual effort if one of the last few replies called a tool, else the light one. Only
    earlier messages decide, so an entry never changes. The API does not say whether an effort lasts beyond its own
    turn. So each light effort is named, and the usual one after a light one. If a system message comes before the
    reply, it holds the effort itself."""
    found: list[Block] = []
    calls, last = list[bool](), usual  # `calls`: whether each reply so far called a tool
    for message, following in zip(messages, [*messages[1:], {"role": "assistant"}], strict=True):
        found.append(message)
        if message["role"] == "assistant":
            calls.append(any(block["type"] in CALL_BLOCK_TYPES for block in message["content"]))
        elif following["role"] == "assistant":
            effort = usual if any(calls[-USUAL_EFFORT_REPLIES_AFTER_CALL:]) else light
            config = {"output_config": {"effort": effort}}
            if light in (effort, last) and message["role"] == "system":
                found[-1] = message | config
            elif light in (effort, last):
                found.append({"role": "system", "content": [], **config})
            last = effort
    return found


def add_cache_breakpoint(messages: list[Block], at: int, mark: Block) -> list[Block]:
    """Mark the end of a message, if its last block is of a kind that takes a mark."""
    *blocks, last = messages[at]["content"]
    if last["type"] not in CACHEABLE_BLOCK_TYPES:
        return messages
    marked = {**messages[at], "content": [*blocks, {**last, "cache_control": mark}]}
    return [*messages[:at], marked, *messages[at + 1 :]]
