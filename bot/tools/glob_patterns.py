"""Glob patterns, matched name by name, so that a walk can skip folders where nothing can match.

`*`, `?` and `[…]` match within a name, `**` matches any folders, and `{a,b}` matches `a` or `b`. A pattern without a
slash matches at every depth.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from bot.core.errors import ToolError
from bot.tools import texts

MAX_GLOB_CHARACTERS = 1_000
MAX_BRACE_CHOICES = 100  # patterns that the braces of one pattern may expand to
INNERMOST_BRACES_PATTERN = re.compile(r"\{([^{}]*,[^{}]*)\}")  # matches the innermost braces
ANY_FOLDERS = "**"
NAMES_TREATED_AS_HIDDEN = frozenset({"node_modules", "__pycache__"})  # large, and rarely meant

GlobSegments = tuple[str, ...]  # the parts of a pattern between its slashes
RemainingChoices = frozenset[GlobSegments]  # what names leave of each choice; if it is empty, nothing below matches
FULLY_MATCHED: GlobSegments = ()  # nothing is left of a choice: the file matches


def parse_glob(text: str) -> RemainingChoices:
    """Return the choices of a pattern, unmatched. Raise ToolError if the pattern can match nothing."""
    if len(text) > MAX_GLOB_CHARACTERS:
        raise ToolError(texts.GLOB_TOO_LONG(most=MAX_GLOB_CHARACTERS))
    if text.startswith("/") or ".." in text.split("/"):
        raise ToolError(texts.GLOB_LEADS_OUT)
    choices = [segments for choice in expand_braces(text) if (segments := split_and_normalise_glob(choice))]
    if not choices:
        raise ToolError(texts.GLOB_IS_EMPTY)
    return expand_leading_folder_wildcards(choices)


def remaining_choices_after_name(unmatched: RemainingChoices, name: str) -> RemainingChoices:
    """Return what is left to match below a folder or file of this name."""
    fitting = [segments for segments in unmatched if segments and is_segment_match(name, segments[0])]
    return expand_leading_folder_wildcards(each if each[0] == ANY_FOLDERS else each[1:] for each in fitting)


def is_segment_match(name: str, segment: str) -> bool:
    """Return True if a name matches a segment. As in a shell, a dot name needs a segment that begins with one."""
    is_hidden = name in NAMES_TREATED_AS_HIDDEN or (name.startswith(".") and not segment.startswith("."))
    return (segment == name or not is_hidden) and fnmatchcase(name, segment)  # its patterns do not backtrack


def expand_leading_folder_wildcards(choices: Iterable[GlobSegments]) -> RemainingChoices:
    """Return each choice, and each also without its leading `**`, which may match no folder."""
    found = set()
    for segments in choices:
        found.add(segments)
        while segments[:1] == (ANY_FOLDERS,):
            segments = segments[1:]
            found.add(segments)
    return frozenset(found)


def expand_braces(text: str) -> list[str]:
    """Expand the braces of a pattern. Raise ToolError if that makes more than MAX_BRACE_CHOICES patterns."""
    open_: list[str] = [text]
    done: list[str] = []
    while open_:
        if len(open_) + len(done) > MAX_BRACE_CHOICES:
            raise ToolError(texts.GLOB_HAS_TOO_MANY_CHOICES(most=MAX_BRACE_CHOICES))
        text = open_.pop()
        if found := INNERMOST_BRACES_PATTERN.search(text):
            open_ += [text[: found.start()] + each + text[found.end() :] for each in found[1].split(",")]
        else:
            done.append(text)
    return done


def split_and_normalise_glob(text: str) -> GlobSegments:
    names = [name for name in text.split("/") if name not in ("", ".")]
    anywhere = [ANY_FOLDERS] if len(names) == 1 and "/" not in text else []
    file = ["*"] if names[-1:] == [ANY_FOLDERS] else []  # x/** means everything below x, but not x itself
    return (*anywhere, *names, *file)
