"""The optional parts of a request, which are left out if a server does not accept them.

The notes are only in memory: after a restart the server refuses once more, free of charge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bot.core.web import server_tool_names
from bot.models.claude.substitutes import has_handovers

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PartPattern:
    """How to recognise an optional part in a request and in a server's complaint."""

    is_in: Callable[[Body], bool]
    complaint_pattern: str

    def is_about(self, complaint: str) -> bool:
        return bool(re.search(self.complaint_pattern, complaint, re.IGNORECASE))


class OptionalPart(Enum):
    """The optional parts, in the order in which they are left out if the server names none."""

    SUBSTITUTES = "substitutes"  # another model answers what the first declines
    REMINDERS = "reminders"  # system entries
    THINKING = "thinking"
    WEB = "web"  # the server's tools for the web
    MARKS = "marks"  # breakpoints of the cache


PART_PATTERNS = {
    OptionalPart.SUBSTITUTES: PartPattern(
        lambda body: "fallbacks" in body.get("extra_body", {}) or has_handovers(body["messages"]),
        r"fallback",
    ),
    OptionalPart.REMINDERS: PartPattern(
        lambda body: any(message["role"] == "system" for message in body["messages"]),
        r"\brole\b.{0,20}\bsystem\b|\bsystem\b.{0,20}\brole\b",
    ),
    OptionalPart.THINKING: PartPattern(
        lambda body: "thinking" in body or "output_config" in body,
        r"\bthinking\b(?!` block)|\beffort\b|\boutput_config\b",
    ),
    OptionalPart.WEB: PartPattern(
        lambda body: bool(server_tool_names(body.get("tools", ()))),
        r"^(?!messages\.).*\bweb.?(search|fetch)",
    ),
    OptionalPart.MARKS: PartPattern(
        lambda body: "cache_control" in body or isinstance(body.get("system"), list),
        r"\bcache_control\b",
    ),
}


def is_about_web(complaint: str) -> bool:
    """Return True if a server complains about a tool that it must run itself, not about what such a tool found."""
    return PART_PATTERNS[OptionalPart.WEB].is_about(complaint)


class RefusedParts:
    """The parts that each model's requests go without, and the parts left out on trial in each chapter."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[OptionalPart]] = {}
        self._tried: dict[str, tuple[OptionalPart, ...]] = {}

    def parts_left_out(self, model: str, chapter: str) -> frozenset[OptionalPart]:
        return self._refused.get(model, frozenset()).union(self._tried.get(chapter, ()))

    def leave_out_next(self, chapter: str, body: Body, complaint: str) -> OptionalPart | None:
        """Leave one more part out of a chapter's requests and return it. Prefer a part that the server names.

        Return None if no part is left. Then no part was the cause, and the next request has all of them again.
        """
        rest = [part for part in OptionalPart if PART_PATTERNS[part].is_in(body)]
        rest.sort(key=lambda part: not PART_PATTERNS[part].is_about(complaint))
        if not rest:
            self._tried.pop(chapter, None)
            return None
        self._tried[chapter] = (*self._tried.get(chapter, ()), rest[0])
        return rest[0]

    def refuse_part(self, model: str, part: OptionalPart) -> None:
        """Leave a part out of a model's requests from now on."""
        self._refused[model] = self._refused.get(model, frozenset()) | {part}

    def note_accepted(self, model: str, chapter: str) -> OptionalPart | None:
        """Note that a request was accepted. Return the part that the model's requests go without from now on.

        That is the part that was left out last; the others are tried again. Return None if there is no new part.
        """
        tried = self._tried.pop(chapter, ())
        if not tried or tried[-1] in self._refused.get(model, ()):
            return None
        self.refuse_part(model, tried[-1])
        return tried[-1]
