"""Where settings come from: each layer holds what one place gave, and can say which file or variable gave a key."""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.config import texts
from bot.core.errors import ConfigError, SecretExposed
from channels.registry import platforms

Key = tuple[str, ...]  # ("model", "lead")
Values = dict[str, Any]

VARIABLE_PREFIX = "RETINUE_"
COMMON_VARIABLES: dict[str, Key] = {  # the names that everybody uses for these; ours win over them
    "ANTHROPIC_API_KEY": ("model", "api_key"),
    **{platform.token_variable: ("channels", name, "token") for name, platform in platforms().items()},
}
PLAIN_TEXT_KEYS = set(COMMON_VARIABLES.values())  # text as it stands: nothing has to be made of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    values: Values
    origins: Mapping[Key, str]  # what set each key, or all that is below it

    def origin(self, key: Key) -> str | None:
        """Return what set this key, or None if it is not in this layer."""
        if not has_value(self.values, key):
            return None
        above = [self.origins[key[:n]] for n in range(len(key), -1, -1) if key[:n] in self.origins]
        return next(iter(above), None) or next(name for below, name in self.origins.items() if below[: len(key)] == key)


def has_value(values: object, key: Key) -> bool:
    """Return True if a value stands at this key. What is inside a value belongs to it."""
    for name in key:
        if not isinstance(values, dict):
            break
        if name not in values:
            return False
        values = values[name]
    return True


def merge_layers(layers: Iterable[Layer]) -> Values:
    """Merge all layers into one tree. The first layer wins, key by key."""
    merged: Values = {}
    for layer in layers:
        merged = merge_values(merged, layer.values)
    return merged


def merge_values(upper: Values, lower: Values) -> Values:
    """Return `upper`, completed with the values of `lower` that `upper` does not have."""
    shared = {
        key: merge_values(upper[key], value) if isinstance(value, dict) and isinstance(upper[key], dict) else upper[key]
        for key, value in lower.items()
        if key in upper
    }
    return {**lower, **upper, **shared}


def environment_layer(variables: Mapping[str, str]) -> Layer:
    """Return what variables set: `RETINUE_MODEL__LEAD`, and the names that other programs use too.

    An empty variable sets nothing.
    """
    named = {key: name for name, key in COMMON_VARIABLES.items() if variables.get(name)}
    ours = [name for name in variables if name.upper().startswith(VARIABLE_PREFIX) and variables[name]]
    named |= {key_from_name(name[len(VARIABLE_PREFIX) :]): name for name in ours if name.upper() != "RETINUE_CONFIG"}
    return layer_from_texts({key: variables[name] for key, name in named.items()}, named)


def secret_files_layer(name: str, folder: Path) -> Layer:
    """Return what a folder's files set, one key a file: `model__api_key`. Skip hidden files and folders."""
    try:
        files = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".") and not path.is_dir()]
    except OSError as error:
        raise ConfigError(texts.SECRETS_FOLDER_NOT_READABLE(path=folder, name=name, reason=error.strerror)) from None
    found = {key_from_name(path.name): path for path in files}
    return layer_from_texts(
        {key: read_secret_file(path) for key, path in found.items()}, {key: str(path) for key, path in found.items()}
    )


def read_secret_file(path: Path) -> str:
    try:
        if os.name == "posix" and path.stat().st_mode & stat.S_IROTH:
            raise SecretExposed(path)
        text = path.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise ConfigError(texts.SECRET_NOT_READABLE(path=path, reason=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.SECRET_NOT_UTF8(path=path)) from None
    if not text:
        raise ConfigError(texts.SECRET_EMPTY(path=path))
    return text


def key_from_name(name: str) -> Key:
    return tuple(name.lower().split("__"))


def layer_from_texts(given: Mapping[Key, str], origins: Mapping[Key, str]) -> Layer:
    values: Values = {}
    if not given.keys() <= PLAIN_TEXT_KEYS:
        from bot.config.text_values import TextSettingsSource  # here: its library takes a third of `retinue health`

        values = TextSettingsSource({"__".join(key): text for key, text in given.items()})()
    for key in given:  # what the library does not know it leaves out; here it must be seen, to be refused
        if not has_value(values, key):
            values = merge_values(values, nest_value(key, given[key]))
    return Layer(values=values, origins=origins)


def nest_value(key: Key, value: Any) -> Values:
    first, *rest = key
    return {first: nest_value(tuple(rest), value) if rest else value}
