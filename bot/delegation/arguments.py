"""Read a call's arguments. Each function raises ToolError for an invalid value, and the error says what is valid."""

from bot.core.errors import ToolError
from bot.delegation import texts
from bot.tools import Arguments


def require_text(arguments: Arguments, name: str, complaint: str) -> str:
    """Return a text that a call must have. Raise ToolError with the complaint if it is missing or blank."""
    value = text_or_empty(arguments, name)
    if not value.strip():
        raise ToolError(complaint)
    return value


def text_or_empty(arguments: Arguments, name: str) -> str:
    """Return a text that a call may have; empty if it is missing."""
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ToolError(texts.NOT_A_TEXT(argument=name))
    return value


def flag_or_false(arguments: Arguments, name: str) -> bool:
    """Return a truth value that a call may have; False if it is missing."""
    value = arguments.get(name)
    if value is not None and not isinstance(value, bool):
        raise ToolError(texts.NOT_A_TRUTH(argument=name))
    return bool(value)


def names_or_none(arguments: Arguments, name: str) -> frozenset[str] | None:
    """Return the names in a list that a call may have; None if the list is missing. An empty list is not missing."""
    value = arguments.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ToolError(texts.NOT_A_LIST_OF_NAMES(argument=name))
    return frozenset(each.strip() for each in value)


def whole_number_or_none(arguments: Arguments, name: str) -> int | None:
    """Return a whole number, 0 or above, that a call may have; None if it is missing."""
    value = arguments.get(name)
    if value is not None and (type(value) is not int or value < 0):
        raise ToolError(texts.NOT_A_COUNT(argument=name))
    return value


def positive_number_or_none(arguments: Arguments, name: str) -> int | None:
    """Return a whole number above 0 that a call may have; None if it is missing."""
    value = arguments.get(name)
    if value is not None and (type(value) is not int or value < 1):
        raise ToolError(texts.NOT_A_NUMBER(argument=name))
    return value
