"""What a call was given, read: each function raises ToolError for what cannot be, and says what can."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from bot.errors import ToolError
from bot.limits import FIGURES
from bot.tools import Arguments


def known(arguments: Arguments, tool: str, names: Collection[str]) -> None:
    """Whether there are only arguments that the tool has."""
    for name in arguments:
        if name not in names:
            near = get_close_matches(name, names, 1)
            like = f", but {near[0]!r}" if near else ""
            raise ToolError(f"no argument {name[:80]!r}{like}; {tool} takes {', '.join(names) or 'none'}")


def needed(arguments: Arguments, name: str, complaint: str) -> str:
    """A text that a call must have; raises ToolError with the complaint if it has not."""
    value = text_in(arguments, name)
    if not value.strip():
        raise ToolError(complaint)
    return value


def text_in(arguments: Arguments, name: str) -> str:
    """A text that a call may have; empty if it has not."""
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ToolError(f"{name!r} must be a text")
    return value


def truth_in(arguments: Arguments, name: str) -> bool:
    value = arguments.get(name)
    if value not in (None, True, False):
        raise ToolError(f"{name!r} must be true or false")
    return value is True


def names_in(arguments: Arguments, name: str) -> frozenset[str] | None:
    """A list of names that a call may have; None if it has not, which is not the same as an empty one."""
    value = arguments.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ToolError(f"{name!r} must be a list of names; an empty one means none")
    return frozenset(each.strip() for each in value)


def number_in(arguments: Arguments, name: str) -> int | None:
    """A whole number above 0 that a call may have; None if it has not."""
    value = arguments.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise ToolError(f"{name!r} must be a whole number above 0")
    return value


def figures_in(arguments: Arguments) -> Mapping[str, Any]:
    """The limits that a call names, as fields of Limits."""
    given = {of: number_in(arguments, name) for name, of in FIGURES.items()}
    return {of: value for of, value in given.items() if value is not None}
