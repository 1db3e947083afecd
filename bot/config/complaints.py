"""What is wrong with the settings, in lines that say where and how to mend it. No value is ever repeated."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.config.layers import Layer
from bot.config.settings import keys
from bot.errors import ConfigError

PLAIN = {  # pydantic's kinds of error, for somebody who knows JSON and not Python
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller number",
    "int_type": "must be a whole number",
    "model_type": "must be an object",
    "path_type": "must be text",
    "string_too_short": "must not be empty; leave it out instead",
    "string_type": "must be text",
    "string_unicode": "holds bytes that are no UTF-8 text; write it anew",
    "too_short": "must not be empty; leave it out instead",
    "tuple_type": "must be a list",
}


def complaint(error: ValidationError, layers: Sequence[Layer]) -> ConfigError:
    """Name each mistake, in the order of the settings."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return ConfigError(*dict.fromkeys(line(each, layers) for each in found))


def line(error: ErrorDetails, layers: Sequence[Layer]) -> str:
    key = tuple(str(part) for part in error["loc"])
    origin = next((origin for layer in layers if (origin := layer.origin(key))), "the settings")
    return f"{origin}: {words(error, 'setting', nearest)}"


def words(error: ErrorDetails, noun: str, nearest: Callable[[str], str]) -> str:
    """`swarm.max_depth must be a whole number`"""
    key = dotted(error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{key} is not a {noun}; the nearest is {nearest(key)}"
    said = error["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
    wrong = PLAIN.get(error["type"], said)
    return f"{key} {wrong}".strip()


def dotted(location: Sequence[str | int]) -> str:
    """`swarm.roles.writer.tools[0]`"""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location if part != "[key]"]
    return "".join(parts).removeprefix(".")


def nearest(key: str) -> str:
    """The key most like this one: its last name counts first, wherever it stands, then the way to it."""
    above, _, name = key.rpartition(".")
    parts = key.split(".")
    role = parts[2] if parts[:2] == ["swarm", "roles"] and len(parts) > 2 else "NAME"

    def likeness(other: str) -> float:
        other_above, _, other_name = other.rpartition(".")
        return 2 * SequenceMatcher(None, name, other_name).ratio() + SequenceMatcher(None, above, other_above).ratio()

    return max(keys(role=role), key=likeness)
