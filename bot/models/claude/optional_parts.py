"""The optional parts of a request, which are left out if a server does not accept them. That is noted only in memory:
after a restart the server refuses once more, free of charge."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from bot.core.web import server_tool_names
from bot.models.claude.substitutes import has_handovers


class OptionalPart(Enum):
    """The optional parts, in the order in which they are left out if the server names none. The values match the
    complaints that name one."""

    SUBSTITUTES = r"fallback"  # another model answers what the first declines
    REMINDERS = r"\brole\b.{0,20}\bsystem\b|\bsystem\b.{0,20}\brole\b"  # system entries
    THINKING = r"\bthinking\b(?!` block)|\beffort\b|\boutput_config\b"
    WEB = r"^(?!messages\.).*\bweb.?(search|fetch)"  # the server's tools for the web, not what such a tool found
    MARKS = r"\bcache_control\b"  # breakpoints of the cache

    def is_named_in(self, complaint: str) -> bool:
        return bool(re.search(self.value, complaint, re.IGNORECASE))

    def is_in(self, body: Mapping[str, Any]) -> bool:
        match self:
            case OptionalPart.SUBSTITUTES:
                return "fallbacks" in body.get("extra_body", {}) or has_handovers(body["messages"])
            case OptionalPart.REMINDERS:
                return any(message["role"] == "system" for message in body["messages"])
            case OptionalPart.THINKING:
                return "thinking" in body or "output_config" in body
            case OptionalPart.WEB:
                return bool(server_tool_names(body.get("tools", ())))
            case OptionalPart.MARKS:
                return "cache_control" in body or isinstance(body.get("system"), list)


class RefusedParts:
    """The parts that each model's requests go without, and the parts left out on trial in each chapter."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[OptionalPart]] = {}
        self._tried: dict[str, tuple[OptionalPart, ...]] = {}

    def parts_left_out(self, model: str, chapter: str) -> frozenset[OptionalPart]:
        return self._refused.get(model, frozenset()).union(self._tried.get(chapter, ()))

    def leave_out_next(self, chapter: str, body: Mapping[str, Any], complaint: str) -> bool:
        """Leave one more part out of a chapter's requests, preferably one that the server names. Return False if none
        is left. Then no part was the cause, and the next request has all of them again."""
        left = [part for part in OptionalPart if part.is_in(body)]
        left.sort(key=lambda part: not part.is_named_in(complaint))
        if left:
            self._tried[chapter] = (*self._tried.get(chapter, ()), left[0])
        else:
            self._tried.pop(chapter, None)
        return bool(left)

    def refuse_part(self, model: str, part: OptionalPart) -> None:
        self._refused[model] = self._refused.get(model, frozenset()) | {part}

    def note_accepted(self, model: str, chapter: str) -> OptionalPart | None:
        """Note that a request was accepted. Return the part that the model's requests go without from now on: the one
        left out last, because the others are tried again. Return None if there is no new part."""
        tried = self._tried.pop(chapter, ())
        if not tried or tried[-1] in self._refused.get(model, ()):
            return None
        self.refuse_part(model, tried[-1])
        return tried[-1]
