"""Glob patterns, matched name by name, so that a walk can skip folders where nothing can match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property

from bot.core.errors import ToolError
from bot.tools import texts

MOST_CHARACTERS = 1_000
MOST_CHOICES = 100  # patterns that the braces of one pattern may expand to
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")  # matches the innermost braces
ANY_FOLDERS = "**"
HIDDEN_NAMES = frozenset({"node_modules", "__pycache__"})  # treated like dot names: large, and rarely meant


@dataclass(frozen=True)
class Segment:
    """The part of a pattern between two slashes."""

    text: str

    def is_match(self, name: str) -> bool:
        """Return True if the segment matches a name. As in a shell, a dot name needs a segment that begins with one."""
        is_hidden = name in HIDDEN_NAMES or (name.startswith(".") and not self.text.startswith("."))
        return (self.text == name or not is_hidden) and self.regex.match(name) is not None

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(translate(self.text))  # `translate` makes patterns that do not backtrack


PatternPosition = tuple[int, int]  # the index of a choice, and how many of its segments have matched
PatternPositions = frozenset[PatternPosition]


class GlobPattern:
    """`*`, `?` and `[…]` within a name, `**` for any folders, `{a,b}` for either; without a slash, at every depth.

    Raise ToolError if the pattern can match nothing. A path is matched from the top: each name leads from one set of
    positions to the next. If that set is empty, nothing below can match.
    """

    def __init__(self, text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            raise ToolError(texts.GLOB_TOO_LONG(most=MOST_CHARACTERS))
        if text.startswith("/") or ".." in text.split("/"):
            raise ToolError(texts.GLOB_LEADS_OUT)
        self.choices = [split_segments(choice) for choice in expand_braces(text)]
        if not any(self.choices):
            raise ToolError(texts.GLOB_IS_EMPTY)

    @property
    def start_positions(self) -> PatternPositions:
        return self.add_empty_steps((number, 0) for number in range(len(self.choices)))

    def positions_after(self, places: PatternPositions, name: str) -> PatternPositions:
        """Return the positions after a name. A file matches if `is_match_complete` is True for them."""
        ahead = ((number, met, self.choices[number][met]) for number, met in places if met < len(self.choices[number]))
        return self.add_empty_steps(
            (number, met if segment.text == ANY_FOLDERS else met + 1)
            for number, met, segment in ahead
            if segment.is_match(name)
        )

    def is_match_complete(self, places: PatternPositions) -> bool:
        return any(met == len(self.choices[number]) for number, met in places)

    def add_empty_steps(self, places: Iterator[PatternPosition]) -> PatternPositions:
        """Add the positions that need no name: `**` may also stand for no folder."""
        found = set()
        for number, start in places:
            met, all_ = start, self.choices[number]
            found.add((number, met))
            while met < len(all_) and all_[met].text == ANY_FOLDERS:
                met += 1
                found.add((number, met))
        return frozenset(found)


def expand_braces(text: str) -> list[str]:
    """Return the patterns without braces that this pattern stands for. Raise ToolError if there are too many."""
    open_: list[str] = [text]
    done: list[str] = []
    while open_:
        if len(open_) + len(done) > MOST_CHOICES:
            raise ToolError(texts.GLOB_HAS_TOO_MANY_CHOICES(most=MOST_CHOICES))
        text = open_.pop()
        if found := BRACES.search(text):
            open_ += [text[: found.start()] + each + text[found.end() :] for each in found[1].split(",")]
        else:
            done.append(text)
    return done


def split_segments(text: str) -> list[Segment]:
    names = [name for name in text.split("/") if name not in ("", ".")]
    anywhere = [ANY_FOLDERS] if len(names) == 1 and "/" not in text else []
    file = ["*"] if names[-1:] == [ANY_FOLDERS] else []  # x/** means everything below x, but not x itself
    return [Segment(name) for name in [*anywhere, *names, *file]]
