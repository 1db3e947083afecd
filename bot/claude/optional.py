"""What a request can do without, and goes without where a server does not accept it.

What is noted here is in memory alone: after a restart the server refuses once more, free of charge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bot.claude.substitutes import has_handovers
from bot.web import served

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """How an optional part is known: in a request, and in a server's complaint."""

    is_in: Callable[[Body], bool]
    is_named: re.Pattern[str]


def named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class Part(Enum):
    """In the order in which they are left out, if the server names none."""

    SUBSTITUTES = "substitutes"  # another model for what it declines
    REMINDERS = "reminders"  # system entries
    THINKING = "thinking"
    WEB = "web"  # its server's tools
    MARKS = "marks"  # of the cache


KNOWN = {
    Part.SUBSTITUTES: Mark(
        lambda body: "fallbacks" in body.get("extra_body", {}) or has_handovers(body["messages"]), named(r"fallback")
    ),
    Part.REMINDERS: Mark(
        lambda body: any(message["role"] == "system" for message in body["messages"]),
        named(r"\brole\b.{0,20}\bsystem\b|\bsystem\b.{0,20}\brole\b"),
    ),
    Part.THINKING: Mark(
        lambda body: "thinking" in body or "output_config" in body,
        named(r"\bthinking\b(?!` block)|\beffort\b|\boutput_config\b"),
    ),
    Part.WEB: Mark(lambda body: bool(served(body.get("tools", ()))), named(r"^(?!messages\.).*\bweb.?(search|fetch)")),
    Part.MARKS: Mark(
        lambda body: "cache_control" in body or isinstance(body.get("system"), list), named(r"\bcache_control\b")
    ),
}


def is_about_web(complaint: str) -> bool:
    """Return True if a server complains of a tool that it would have to run itself, not of what such a tool found."""
    return bool(KNOWN[Part.WEB].is_named.search(complaint))


class Optional:
    """What each model's requests go without, and what is left out on trial, by chapter."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[Part]] = {}
        self._tried: dict[str, tuple[Part, ...]] = {}

    def left_out(self, model: str, chapter: str) -> frozenset[Part]:
        return self._refused.get(model, frozenset()).union(self._tried.get(chapter, ()))

    def leave_out(self, chapter: str, body: Body, complaint: str) -> Part | None:
        """Leave one more part out of a chapter's requests, the one that the server names first, and return it. Return
        None if nothing is left to leave out: then it was none of them, and the next request has all of them again."""
        rest = [part for part in Part if KNOWN[part].is_in(body)]
        rest.sort(key=lambda part: not KNOWN[part].is_named.search(complaint))
        if not rest:
            self._tried.pop(chapter, None)
            return None
        self._tried[chapter] = (*self._tried.get(chapter, ()), rest[0])
        return rest[0]

    def refuse(self, model: str, part: Part) -> None:
        """Leave a part out of a model's requests from now on."""
        self._refused[model] = self._refused.get(model, frozenset()) | {part}

    def accepted(self, model: str, chapter: str) -> Part | None:
        """A request was accepted. Return the part that the model's requests go without from now on, if there is a new
        one: the last that was left out. (The others are tried again.)"""
        tried = self._tried.pop(chapter, ())
        if not tried or tried[-1] in self._refused.get(model, ()):
            return None
        self.refuse(model, tried[-1])
        return tried[-1]
