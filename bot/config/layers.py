"""The sources of settings. A layer holds the values of one source, and says which file or variable set a key."""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from bot.config import texts
from bot.core.errors import ConfigError, SecretExposed
from channels.registry import platforms

KeyPath = tuple[str, ...]  # ("model", "lead")
NestedValues = dict[str, Any]

DEFAULT_SECRETS_FOLDER = "secrets"  # the folder of secrets beside the config file, if no setting names one
VARIABLE_PREFIX = "RETINUE_"
KEYS_OF_UNPREFIXED_VARIABLES: dict[str, KeyPath] = {  # names that other programs use too; names with our prefix win
    "ANTHROPIC_API_KEY": ("model", "api_key"),
    **{platform.token_variable: ("channels", name, "token") for name, platform in platforms().items()},
}
KEYS_WITHOUT_CONVERSION = set(KEYS_OF_UNPREFIXED_VARIABLES.values())  # their text needs no conversion


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    values: NestedValues
    origins: Mapping[KeyPath, str]  # the file or variable that set each key, or all keys below it

    def origin_of_key(self, key: KeyPath) -> str | None:
        if not has_key(self.values, key):
            return None
        above = [self.origins[key[:n]] for n in range(len(key), -1, -1) if key[:n] in self.origins]
        return next(iter(above), None) or next(name for below, name in self.origins.items() if below[: len(key)] == key)


def has_key(values: object, key: KeyPath) -> bool:
    """Return True if the values have this key, or a value above it that is no section."""
    for name in key:
        if not isinstance(values, dict):
            break
        if name not in values:
            return False
        values = values[name]
    return True


def merge_layers(layers: Iterable[Layer]) -> NestedValues:
    return reduce(merge_values, (spell_out_web_switch(layer.values) for layer in layers), {})


def spell_out_web_switch(values: NestedValues) -> NestedValues:
    """Return the values with `"web": false`, as earlier versions had it, as a section. Otherwise a key of another layer
    would switch the web on again."""
    switch = values.get("web")
    return {**values, "web": {"enabled": switch}} if isinstance(switch, bool) else values


def merge_values(upper: NestedValues, lower: NestedValues) -> NestedValues:
    """Return `upper`, completed with the values of `lower` that `upper` does not have."""
    shared = {
        key: merge_values(upper[key], value) if isinstance(value, dict) and isinstance(upper[key], dict) else upper[key]
        for key, value in lower.items()
        if key in upper
    }
    return {**lower, **upper, **shared}


def environment_layer(variables: Mapping[str, str]) -> Layer:
    """Return the layer of variables such as `RETINUE_MODEL__LEAD` or ANTHROPIC_API_KEY. Empty ones set nothing."""
    named = {key: name for name, key in KEYS_OF_UNPREFIXED_VARIABLES.items() if variables.get(name)}
    ours = [name for name in variables if name.upper().startswith(VARIABLE_PREFIX) and variables[name]]
    named |= {key_path_from_name(our[len(VARIABLE_PREFIX) :]): our for our in ours if our.upper() != "RETINUE_CONFIG"}
    return layer_from_texts({key: variables[name] for key, name in named.items()}, named)


def secret_folder_layers(folders: Iterable[tuple[str, Path]]) -> list[Layer]:
    """Return a layer for each folder of secrets; the first wins. A folder that a setting names must exist."""
    return [secret_files_layer(name, path) for name, path in folders if name != DEFAULT_SECRETS_FOLDER or path.is_dir()]


def secret_files_layer(name: str, folder: Path) -> Layer:
    """Return the layer of a folder's files, one key per file: `model__api_key`. Skip hidden files and folders."""
    try:
        files = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".") and not path.is_dir()]
    except OSError as error:
        raise ConfigError(texts.SECRETS_FOLDER_NOT_READABLE(path=folder, name=name, reason=error.strerror)) from None
    found = {key_path_from_name(path.name): path for path in files}
    origins = {key: str(path) for key, path in found.items()}
    return layer_from_texts({key: read_secret_file(path) for key, path in found.items()}, origins)


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


def is_role_secret(key: KeyPath) -> bool:
    """Return True if this is a platform's secret for one role: ("channels", "telegram", "voices", "writer")."""
    match key:
        case ("channels", name, setting, _) if name in platforms():
            return setting in platforms()[name].role_secrets
    return False


def key_path_from_name(name: str) -> KeyPath:
    return tuple(name.lower().split("__"))


def layer_from_texts(given: Mapping[KeyPath, str], origins: Mapping[KeyPath, str]) -> Layer:
    values: NestedValues = {}
    if not given.keys() <= KEYS_WITHOUT_CONVERSION:
        from bot.config.text_values import TextSettingsSource  # here: its library takes a third of `retinue health`

        values = TextSettingsSource({"__".join(key): text for key, text in given.items()})()
    for key in given:  # the library drops unknown keys; keep them, so that they are refused
        if not has_key(values, key):
            values = merge_values(values, make_nested_values(key, given[key]))
    return Layer(values=values, origins=origins)


def make_nested_values(key: KeyPath, value: Any) -> NestedValues:
    first, below = key[0], key[1:]
    return {first: make_nested_values(below, value) if below else value}
