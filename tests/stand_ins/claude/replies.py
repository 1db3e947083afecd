"""What the scripted model says: described by a test, framed by the server."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from tests.stand_ins.claude.canonical import Json


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    pieces: int = 2  # in how many deltas it comes


@dataclass(frozen=True, slots=True)
class Thinking:
    """Comes signed. Its text is sent only if the request asked to see it. A note is what the model writes for people
    beside a call, and the service hides."""

    text: str = "Let me think."
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """`raw` is sent in place of the input's JSON, however broken it is."""

    name: str
    input: Json = field(default_factory=dict)
    id: str = ""  # made up if empty
    raw: str | None = None

    @property
    def wire(self) -> str:
        """The input as the stream spells it: a call without arguments sends nothing at all."""
        if self.raw is not None:
            return self.raw
        return json.dumps(self.input, ensure_ascii=False) if self.input else ""


@dataclass(frozen=True, slots=True)
class Page:
    """Something on the web, as a search finds it."""

    url: str
    title: str = "A page"
    text: str = "what stands there"


@dataclass(frozen=True, slots=True)
class Search:
    """The service searches the web; `comes` False: its result is for the next request to bring."""

    query: str
    found: tuple[Page, ...] = ()
    error: str = ""  # the code of one, in place of pages
    comes: bool = True
    id: str = ""

    name = "web_search"

    @property
    def input(self) -> Json:
        return {"query": self.query}


@dataclass(frozen=True, slots=True)
class Fetch:
    """The service fetches a page, as far as the request lets it."""

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
    """What a search or a fetch is in a reply, before its result."""

    name: str
    input: Json
    id: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A text that says where it is from."""

    text: str
    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """A block that comes whole in its start, as it is."""

    block: Json


@dataclass(frozen=True, slots=True)
class HandOver:
    """The model declines here, and another goes on with its text; if the request asks for no other, the reply ends here
    as a refusal. First in a reply, it comes before anything was written; `is_sticky`: the model was not asked at all,
    since it has declined of late."""

    to: str = "claude-opus-4-8"
    category: str | None = "cyber"
    is_sticky: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """Nothing more is sent until the event is set, or the client hangs up."""

    until: asyncio.Event


Part = Text | Thinking | ToolUse | Search | Fetch | ServerUse | Cited | Raw | HandOver | Hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    parts: tuple[Part, ...]
    stop_reason: str = ""  # if empty, by what it holds
    stop_details: Json | None = None
    seconds: float = 0  # between frames, of real time
    hold_head: asyncio.Event | None = None  # not even the head is sent before

    @property
    def ends_by(self) -> str:
        if self.stop_reason:
            return self.stop_reason
        return "tool_use" if any(isinstance(part, ToolUse) for part in self.parts) else "end_turn"


def reply(*parts: Part | str, **more: Any) -> Reply:
    """The short way: a string is a text."""
    return Reply(parts=tuple(Text(part) if isinstance(part, str) else part for part in parts), **more)


def from_json(value: Json) -> Reply:
    """A reply as a script file has it: {"thinking": …, "text": …, "tools": [{"name": …, "input": {…}}], …}."""
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
