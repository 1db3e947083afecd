"""Describe mistakes in the settings: where they are and how to fix them. The lines never repeat a value."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from pydantic import ValidationError

from bot.config import texts
from bot.config.layers import KeyPath, Layer
from bot.config.settings import SECTIONS_WITH_OPERATOR_NAMES, list_setting_keys
from bot.core.errors import ConfigError
from bot.core.texts import setting_values

MESSAGES_BY_ERROR_TYPE = {  # by pydantic's type of error; for operators who know JSON but not Python
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


def config_error_from_validation(error: ValidationError, layers: Sequence[Layer]) -> ConfigError:
    lines = []
    for where, said in describe_mistakes(
        error, lambda key: texts.UNKNOWN_SETTING(key=key, nearest=most_similar_setting_key(key))
    ):
        origin = next((origin for layer in layers if (origin := layer.origin_of_key(where))), texts.THE_SETTINGS)
        lines.append(f"{origin}: {said}")
    return ConfigError(*dict.fromkeys(lines))


def describe_mistakes(
    error: ValidationError, unknown: Callable[[str], str], name: Callable[[str], str] = str
) -> Iterator[tuple[KeyPath, str]]:
    """Yield each mistake's key, and a text such as `swarm.max_depth must be a whole number`. `unknown` returns the text
    for an unknown key. `name` returns the name of a key in the file."""
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in each["loc"] if part != "[key]"]
        key = "".join(parts).removeprefix(".")  # `swarm.roles.writer.tools[0]`
        plain = each["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
        said = texts.WRONG_VALUE(key=name(key), problem=MESSAGES_BY_ERROR_TYPE.get(each["type"], plain)).strip()
        yield tuple(map(str, each["loc"])), unknown(key) if each["type"] == "extra_forbidden" else said


def most_similar_setting_key(key: str) -> str:
    """Return the setting that is most like this key. The last part counts twice as much as the part before it."""
    above, _, name = key.rpartition(".")
    parts = key.split(".")
    named = next((each for each in SECTIONS_WITH_OPERATOR_NAMES if key.startswith(f"{each}.")), "")
    role = parts[named.count(".") + 1] if named else "NAME"

    def likeness(other: str) -> float:
        other_above, _, other_name = other.rpartition(".")
        return 2 * SequenceMatcher(None, name, other_name).ratio() + SequenceMatcher(None, above, other_above).ratio()

    return max(list_setting_keys(role=role), key=likeness)
