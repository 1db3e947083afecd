"""Find and read config.json."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from platformdirs import user_config_path

from bot.config import texts
from bot.config.layers import Layer, NestedValues
from bot.core.errors import ConfigError

CONFIG_FILE_NAME = "config.json"
SURROGATE_PATTERN = re.compile("[\ud800-\udfff]")  # JSON can contain half of a pair, which is no character


def find_config_file(given: Path | None, variables: Mapping[str, str]) -> Path | None:
    if named := explicit_config_file(given, variables):
        return named
    usual = (user_config_file(), Path(CONFIG_FILE_NAME).absolute())
    return next((path for path in usual if os.path.lexists(path)), None)


def explicit_config_file(given: Path | None, variables: Mapping[str, str]) -> Path | None:
    """Return the file that the command line or the environment names; None if neither names one."""
    named = given or variables.get("RETINUE_CONFIG")
    return Path(named).absolute() if named else None


def user_config_file() -> Path:
    return user_config_path("retinue", appauthor=False).absolute() / CONFIG_FILE_NAME


def read_config_file_layer(path: Path) -> Layer:
    """Return the file's layer; its types are not checked yet. Raise ConfigError if the file is no JSON object."""
    try:
        text = read_config_text(path)
        values = json.loads(text, object_pairs_hook=object_with_unique_keys, parse_constant=reject_json_constant)
        half = next(
            (place for place, each in iterate_texts_with_places(values) if SURROGATE_PATTERN.search(each)), None
        )
    except json.JSONDecodeError as error:
        raise ConfigError(texts.NOT_JSON(path=path, line=error.lineno, reason=error.msg, column=error.colno)) from None
    except RecursionError:
        raise ConfigError(texts.TOO_DEEP(path=path)) from None
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    if half:
        raise ConfigError(texts.HALF_A_CHARACTER(path=path, key=half))
    if not isinstance(values, dict):
        raise ConfigError(texts.NOT_AN_OBJECT(path=path))
    return Layer(values=values, origins={(): str(path)})


def read_config_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise ConfigError(texts.NOT_UTF8(path=path)) from None
    except OSError as error:
        raise ConfigError(texts.FILE_NOT_READABLE(path=path, reason=error.strerror)) from None


def iterate_texts_with_places(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text with its place in the file, keys included."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, each in value.items():
            place = f"{key}.{name}".removeprefix(".")
            yield texts.KEY_AT(key=place), name
            yield from iterate_texts_with_places(each, place)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from iterate_texts_with_places(each, f"{key}[{number}]")


def object_with_unique_keys(pairs: list[tuple[str, Any]]) -> NestedValues:
    """Return an object if no key occurs twice. A duplicate would otherwise be lost silently."""
    values: NestedValues = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(texts.KEY_TWICE(key=json.dumps(key)))
        values[key] = value
    return values


def reject_json_constant(name: str) -> NoReturn:
    raise ValueError(texts.NO_NUMBER(value=name))
