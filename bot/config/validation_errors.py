"""What is wrong with the settings, in lines that say where and how to mend it. No value is ever repeated."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.config import texts
from bot.config.layers import Layer
from bot.config.settings import list_setting_keys
from bot.core.errors import ConfigError
from bot.core.texts import setting_values

PLAIN_MESSAGES = {  # pydantic's kinds of error, for somebody who knows JSON and not Python
    "bool_parsing": setting_values.MUST_BE_BOOLEAN,
    "bool_type": setting_values.MUST_BE_BOOLEAN,
    "dict_type": setting_values.MUST_BE_OBJECT,
    "float_parsing": setting_values.MUST_BE_NUMBER,
    "float_type": setting_values.MUST_BE_NUMBER,
    "int_from_float": setting_values.MUST_BE_WHOLE,
    "int_parsing": setting_values.MUST_BE_WHOLE,
    "int_parsing_size": setting_values.MUST_BE_SMALLER,
    "int_type": setting_values.MUST_BE_WHOLE,
    "model_type": setting_values.MUST_BE_OBJECT,
    "path_type": setting_values.MUST_BE_TEXT,
    "string_too_short": setting_values.MUST_NOT_BE_EMPTY,
    "string_type": setting_values.MUST_BE_TEXT,
    "string_unicode": setting_values.BYTES_NOT_UTF8,
    "too_short": setting_values.MUST_NOT_BE_EMPTY,
    "tuple_type": setting_values.MUST_BE_LIST,
}


def settings_error(error: ValidationError, layers: Sequence[Layer]) -> ConfigError:
    """Return an error that names each mistake, in the order of the settings."""
    lines = []
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        key = tuple(str(part) for part in each["loc"])
        origin = next((origin for layer in layers if (origin := layer.origin(key))), texts.THE_SETTINGS)
        said = describe_validation_error(each, lambda key: texts.UNKNOWN_SETTING(key=key, nearest=nearest_key(key)))
        lines.append(f"{origin}: {said}")
    return ConfigError(*dict.fromkeys(lines))


def describe_validation_error(
    error: ErrorDetails, unknown: Callable[[str], str], name: Callable[[str], str] = str
) -> str:
    """Return `swarm.max_depth must be a whole number`.

    `unknown` returns what to say of a key that does not exist; `name` returns what the file calls a key.
    """
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"] if part != "[key]"]
    key = "".join(parts).removeprefix(".")  # `swarm.roles.writer.tools[0]`
    if error["type"] == "extra_forbidden":
        return unknown(key)
    said = error["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
    return texts.WRONG_VALUE(key=name(key), problem=PLAIN_MESSAGES.get(error["type"], said)).strip()


def nearest_key(key: str) -> str:
    """Return the setting most like this key. Its last name counts first, wherever it stands, then the way to it."""
    above, _, name = key.rpartition(".")
    parts = key.split(".")
    role = parts[2] if parts[:2] == ["swarm", "roles"] and len(parts) > 2 else "NAME"

    def likeness(other: str) -> float:
        other_above, _, other_name = other.rpartition(".")
        return 2 * SequenceMatcher(None, name, other_name).ratio() + SequenceMatcher(None, above, other_above).ratio()

    return max(list_setting_keys(role=role), key=likeness)
