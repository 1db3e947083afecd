"""What a call was given, read: each function raises ToolError for what cannot be, and says what can."""

from collections.abc import Mapping
from typing import Any

from bot.delegation import texts
from bot.errors import ToolError
from bot.limits import FIGURES
from bot.tools import Arguments


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
        raise ToolError(texts.NOT_A_TEXT(argument=name))
    return value


def truth_in(arguments: Arguments, name: str) -> bool:
    value = arguments.get(name)
    if value not in (None, True, False):
        raise ToolError(texts.NOT_A_TRUTH(argument=name))
    return value is True


def names_in(arguments: Arguments, name: str) -> frozenset[str] | None:
    """A list of names that a call may have; None if it has not, which is not the same as an empty one."""
    value = arguments.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ToolError(texts.NOT_A_LIST_OF_NAMES(argument=name))
    return frozenset(each.strip() for each in value)


def number_in(arguments: Arguments, name: str) -> int | None:
    """A whole number above 0 that a call may have; None if it has not."""
    value = arguments.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise ToolError(texts.NOT_A_NUMBER(argument=name))
    return value


def figures_in(arguments: Arguments) -> Mapping[str, Any]:
    """The limits that a call names, as fields of Limits."""
    given = {of: number_in(arguments, name) for name, of in FIGURES.items()}
    return {of: value for of, value in given.items() if value is not None}
