"""Lay out the messages of a request, and keep the encoded ones of each chapter.

Each request extends the one before it. So the messages before the newest reply are the same in every later request:
they are laid out and encoded once. What is newer, and where the cache breakpoints are, is laid out each time."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from bot.core.content_blocks import Block, text_block
from bot.core.model import ModelRequest, TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix
from bot.models.claude import substitutes
from bot.models.claude.traits import ModelTraits

MAX_CACHED_BYTES = 16 << 20  # of all chapters; beyond that, the least recently used ones are forgotten
USUAL_EFFORT_REPLIES_AFTER_CALL = 3  # a call in one of these asks for the usual effort
CALL_BLOCK_TYPES = ("tool_use", "server_tool_use")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutState:
    """What earlier messages decide about the layout of those that follow."""

    recent_calls: tuple[bool, ...] = ()  # for each of the last few replies, whether it called a tool
    last_effort: str = ""  # that was named; empty: the usual one
    has_handovers: bool = False  # whether another model continued a reply


NOTHING_BEFORE = LayoutState()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledMessages:
    """The messages of a chapter that no longer change."""

    layout: tuple[ModelTraits, str, str]  # the traits and efforts that they are laid out for
    encoded: tuple[bytes, ...] = ()  # the JSON of each
    entry_count: int = 0  # how many entries they are made of
    last_entry: TranscriptEntry | None = None  # the last of those entries
    state: LayoutState = NOTHING_BEFORE

    @property
    def byte_count(self) -> int:
        return sum(map(len, self.encoded))

    def is_start_of(self, transcript: Sequence[TranscriptEntry]) -> bool:
        """Return True if the transcript begins with these entries. It only grows, so the last one tells for all."""
        return 0 < self.entry_count < len(transcript) and transcript[self.entry_count - 1] is self.last_entry


class MessageCache:
    """The settled messages of each chapter, up to the first image or PDF that a tool has read."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self.max_bytes = max_bytes
        self.used_bytes = 0
        self._settled: OrderedDict[str, SettledMessages] = OrderedDict()  # the most recently used one is the last

    def settle_messages(self, request: ModelRequest, traits: ModelTraits) -> SettledMessages:
        """Return the messages before the newest reply. Encode those that have come since the last request."""
        chapter, prefix, transcript = request.chapter_name, request.prefix, request.transcript
        layout = (traits, prefix.effort, prefix.light_effort)
        settled = self.take_settled_messages(chapter)
        if settled is None or settled.layout != layout or not settled.is_start_of(transcript):
            settled = SettledMessages(layout=layout)
        start = settled.entry_count
        end = find_end_of_settled_entries(transcript, start)
        if end > start:
            messages, state = lay_out_messages(transcript[start:end], prefix, traits, settled.state)
            encoded, last = (*settled.encoded, *map(encode_json, messages)), transcript[end - 1]
            settled = SettledMessages(layout=layout, encoded=encoded, entry_count=end, last_entry=last, state=state)
        if settled.encoded:
            self.keep_settled_messages(chapter, settled)
        return settled

    def take_settled_messages(self, chapter: str) -> SettledMessages | None:
        settled = self._settled.pop(chapter, None)
        self.used_bytes -= settled.byte_count if settled else 0
        return settled

    def keep_settled_messages(self, chapter: str, settled: SettledMessages) -> None:
        self._settled[chapter] = settled
        self.used_bytes += settled.byte_count
        while self.used_bytes > self.max_bytes:
            self.take_settled_messages(next(iter(self._settled)))


def find_end_of_settled_entries(transcript: Sequence[TranscriptEntry], start: int) -> int:
    """Return the index of the newest reply, or of the newest before the first image or PDF; `start` if there is none.
    Whatever follows a reply does not change the messages before it."""
    end = start
    for at in range(start, len(transcript)):
        if transcript[at].role == "assistant":
            end = at
        if transcript[at].media_keys:
            break
    return end


def lay_out_messages(
    entries: Sequence[TranscriptEntry],
    prefix: PromptPrefix,
    traits: ModelTraits,
    before: LayoutState = NOTHING_BEFORE,
) -> tuple[list[Block], LayoutState]:
    """Return entries as messages, and the state for those that follow. `entries` begin with the chapter or a reply, and
    end before a reply."""
    messages, state = build_messages(entries, traits), before
    if traits.may_change_effort(prefix):
        messages, state = insert_reply_efforts(messages, prefix.effort, prefix.light_effort, state)
    if not traits.has_substitutes:
        messages = substitutes.without_handovers(messages)
    return messages, replace(state, has_handovers=state.has_handovers or substitutes.has_handovers(messages))


def encode_json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a number above 64 bits or a key that is no text, which only the slow encoder writes
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


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


def insert_reply_efforts(
    messages: Sequence[Block], usual: str, light: str, before: LayoutState
) -> tuple[list[Block], LayoutState]:
    """Return the messages, with the effort of each reply in an entry before the reply. Such entries keep the cache.

    A reply has the usual effort if one of the last few replies called a tool, else the light one. Only
    earlier messages decide, so an entry never changes. The API does not say whether an effort lasts beyond its own
    turn. So each light effort is named, and the usual one after a light one. If a system message comes before the
    reply, it holds the effort itself."""
    found: list[Block] = []
    calls, last = list(before.recent_calls), before.last_effort or usual
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
    recent = tuple(calls[-USUAL_EFFORT_REPLIES_AFTER_CALL:])
    return found, replace(before, recent_calls=recent, last_effort=last)
