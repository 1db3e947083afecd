"""The settings of one tenant, gathered and checked: command line, environment, secret files, config.json, defaults."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.config import config_file, texts
from bot.config.layers import Layer, environment_layer, merge_layers, secret_files_layer
from bot.config.paths import DefaultFolders, check_workspace
from bot.config.settings import NAMED_SECTIONS, Config, list_setting_keys
from bot.config.validation_errors import settings_error
from bot.core.errors import ConfigError

__all__ = ["Config", "LoadedConfig", "load"]

NO_OVERRIDES: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """The settings, and the file they were read from, if there was one."""

    config: Config
    path: Path | None
    secret_folders: tuple[tuple[str, Path], ...] = ()  # what names each folder that holds them, and where it is
    origins_outside_file: tuple[tuple[str, str], ...] = ()  # each key that the file does not decide, and what sets it
    given_keys: frozenset[str] = frozenset()  # each key that somebody has given, wherever

    @property
    def origin(self) -> str:
        """Return what to name where a setting is missing."""
        return str(self.path or texts.NO_CONFIG_FILE)


def load(
    path: Path | None = None,
    overrides: Mapping[str, Any] = NO_OVERRIDES,
    variables: Mapping[str, str] | None = None,
) -> LoadedConfig:
    """Return the settings. `overrides` come from the command line, nested as in the file. Raise ConfigError if
    something is wrong."""
    variables = os.environ if variables is None else variables
    named = config_file.explicit_config_file(path, variables)
    path = config_file.find_config_file(path, variables)
    folders = DefaultFolders.for_config_file(path)
    written = [config_file.read_config_file(path)] if path else []
    for layer in written:
        is_found = path not in (named, config_file.user_config_file())
        if is_found and len(layer.values) > 1 and not layer.values.keys() & Config.model_fields.keys():
            raise ConfigError(texts.NOT_OURS(path=path))  # none of its several keys is a setting
        check_file_types(layer)
    upper = [Layer(values=dict(overrides), origins={(): texts.COMMAND_LINE}), environment_layer(variables)]
    given = merge_layers([*upper, *written])
    secrets = [secret_files_layer(name, folder) for name, folder in folders.secret_folders(given, variables)]
    layers = [*upper, *secrets, *written]
    kept = tuple(folders.possible_secret_folders(given, variables))
    loaded = LoadedConfig(
        config=folders.make_absolute(validate_settings(layers, folders)),
        path=path,
        secret_folders=kept,
        origins_outside_file=tuple(key_origins([*upper, *secrets])),
        given_keys=frozenset(key for key, _ in key_origins(layers)),
    )
    check_workspace(loaded.config, loaded.origin, path, kept)
    return loaded


def key_origins(layers: Sequence[Layer]) -> Iterator[tuple[str, str]]:
    """Yield each dotted key that a layer sets, with the origin of the first layer that sets it."""
    for key in list_setting_keys():
        parts = tuple(key.split("."))
        origin = next((found for layer in layers if (found := layer.origin(parts))), None)
        if origin and (key in NAMED_SECTIONS or not any(each.startswith(f"{key}.") for each in list_setting_keys())):
            yield key, origin


def check_file_types(written: Layer) -> None:
    """Raise ConfigError if a value of the file has the wrong type.

    In a variable "3" is a number, but in a file it is text. So the file is checked alone, and strictly.
    """
    try:
        Config.model_validate_json(json.dumps(written.values), strict=True)
    except ValidationError as error:
        raise settings_error(error, [written]) from None


def validate_settings(layers: Sequence[Layer], folders: DefaultFolders) -> Config:
    try:
        return Config.model_validate(merge_layers([*layers, Layer(values=folders.default_values(), origins={})]))
    except ValidationError as error:
        raise settings_error(error, layers) from None
