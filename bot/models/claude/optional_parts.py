"""The optional parts of a request, which are left out if a server does not accept them. That is noted only in memory:
after a restart the server refuses once more, free of charge."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from bot.core.web import server_tool_names
from bot.models.claude.substitutes import has_handovers


class OptionalRequestPart(Enum):
    """The optional parts, in the order in which they are left out if the server names none. The values match the
    complaints that name one."""

    SUBSTITUTES = r"fallback"  # another model answers what the first declines
    REMINDERS = r"\brole\b.{0,20}\bsystem\b|\bsystem\b.{0,20}\brole\b"  # system entries
    THINKING = r"\bthinking\b(?!` block)|\beffort\b|\boutput_config\b"
    WEB = r"^(?!messages\.).*\bweb.?(search|fetch)"  # the server's tools for the web, not what such a tool found
    MARKS = r"\bcache_control\b"  # breakpoints of the cache

    def is_named_in_complaint(self, complaint: str) -> bool:
        return bool(re.search(self.value, complaint, re.IGNORECASE))

    def is_in_request_body(self, body: Mapping[str, Any]) -> bool:
        match self:
            case OptionalRequestPart.SUBSTITUTES:
                return "fallbacks" in body or has_handovers(body["messages"])
            case OptionalRequestPart.REMINDERS:
                return any(message["role"] == "system" for message in body["messages"])
            case OptionalRequestPart.THINKING:
                return "thinking" in body or "output_config" in body
            case OptionalRequestPart.WEB:
                return bool(server_tool_names(body.get("tools", ())))
            case OptionalRequestPart.MARKS:
                return "cache_control" in body or isinstance(body.get("system"), list)


class RefusedRequestParts:
    """The parts that each model's requests go without, and the parts left out on trial in each chapter."""

    def __init__(self) -> None:
        self._refused: dict[str, frozenset[OptionalRequestPart]] = {}
        self._tried: dict[str, tuple[OptionalRequestPart, ...]] = {}

    def parts_to_leave_out(self, model: str, chapter: str) -> frozenset[OptionalRequestPart]:
        return self._refused.get(model, frozenset()).union(self._tried.get(chapter, ()))

    def try_leaving_out_next_part(self, chapter: str, body: Mapping[str, Any], complaint: str) -> bool:
        """Leave one more part out of a chapter's requests, preferably one that the server names. Return False if none
        is left. Then no part was the cause, and the next request has all of them again."""
        left = [part for part in OptionalRequestPart if part.is_in_request_body(body)]
        left.sort(key=lambda part: not part.is_named_in_complaint(complaint))
        if left:
            self._tried[chapter] = (*self._tried.get(chapter, ()), left[0])
        else:
            self._tried.pop(chapter, None)
        return bool(left)

    def leave_out_for_model(self, model: str, part: OptionalRequestPart) -> None:
        self._refused[model] = self._refused.get(model, frozenset()) | {part}

    def confirm_left_out_part(self, model: str, chapter: str) -> OptionalRequestPart | None:
        """Note that a request was accepted. Return the part that the model's requests go without from now on: the one
        left out last, because the others are tried again. Return None if there is no new part."""
        tried = self._tried.pop(chapter, ())
        if not tried or tried[-1] in self._refused.get(model, ()):
            return None
        self.leave_out_for_model(model, tried[-1])
        return tried[-1]
