"""What the scripted model says: a test describes it, the server frames it."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from tests.stand_ins.claude.canonical import Json


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    pieces: int = 2  # the number of its deltas


@dataclass(frozen=True, slots=True)
class Thinking:
    """Signed thinking. Its text is sent only if the request asks for it. A note is text for people beside a call that
    the service hides."""

    text: str = "Let me think."
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call. `raw` is sent instead of the input's JSON, even if it is broken."""

    name: str
    input: Json = field(default_factory=dict)
    id: str = ""  # if empty, the server makes one
    raw: str | None = None

    @property
    def wire(self) -> str:
        """Return the input as in the stream. A call without arguments sends nothing."""
        if self.raw is not None:
            return self.raw
        return json.dumps(self.input, ensure_ascii=False) if self.input else ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page on the web, as a search finds it."""

    url: str
    title: str = "A page"
    text: str = "what stands there"


@dataclass(frozen=True, slots=True)
class Search:
    """The service searches the web. If `comes` is False, the next request brings the result."""

    query: str
    found: tuple[Page, ...] = ()
    error: str = ""  # an error code, instead of pages
    comes: bool = True
    id: str = ""

    name = "web_search"

    @property
    def input(self) -> Json:
        return {"query": self.query}


@dataclass(frozen=True, slots=True)
class Fetch:
    """The service fetches a page, as much of it as the request allows."""

    url: str
    text: str = "what stands there"
    title: str = "A page"
    error: str = ""
    comes: bool = True
    id: str = ""

    name = "web_fetch"

    @property
    def input(self) -> Json:
        return {"url": self.url}


@dataclass(frozen=True, slots=True)
class ServerUse:
    """A search or fetch in a reply, before its result."""

    name: str
    input: Json
    id: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A text with citations of pages."""

    text: str
    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """A block that is sent whole at its start."""

    block: Json


@dataclass(frozen=True, slots=True)
class HandOver:
    """The model declines here, and another continues its text. If the request names no other, the reply ends as a
    refusal. A handover at the start comes before any text. `is_sticky`: the model declined lately and is not asked at
    all."""

    to: str = "claude-opus-4-8"
    category: str | None = "cyber"
    is_sticky: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """Send nothing more until the event is set or the client disconnects."""

    until: asyncio.Event


Part = Text | Thinking | ToolUse | Search | Fetch | ServerUse | Cited | Raw | HandOver | Hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    parts: tuple[Part, ...]
    stop_reason: str = ""  # if empty, it depends on the parts
    stop_details: Json | None = None
    seconds: float = 0  # between frames, in real time
    hold_head: asyncio.Event | None = None  # the head waits for this event

    @property
    def ends_by(self) -> str:
        if self.stop_reason:
            return self.stop_reason
        return "tool_use" if any(isinstance(part, ToolUse) for part in self.parts) else "end_turn"


def reply(*parts: Part | str, **more: Any) -> Reply:
    """Return a reply of these parts. A string is a text."""
    return Reply(parts=tuple(Text(part) if isinstance(part, str) else part for part in parts), **more)


def from_json(value: Json) -> Reply:
    """Return a reply from a script file: {"thinking": …, "text": …, "tools": [{"name": …, "input": {…}}], …}."""
    known = {"thinking", "text", "tools", "stop_reason", "seconds"}
    if unknown := set(value) - known:
        raise ValueError(f"a reply has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}")
    parts: list[Part] = []
    if "thinking" in value:
        parts.append(Thinking(value["thinking"]))
    if "text" in value:
        parts.append(Text(value["text"]))
    parts += [ToolUse(tool["name"], tool.get("input", {})) for tool in value.get("tools", [])]
    return Reply(parts=tuple(parts), stop_reason=value.get("stop_reason", ""), seconds=value.get("seconds", 0))
