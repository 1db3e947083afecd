"""Load and check a tenant's settings: command line, environment, secret files, config.json, defaults."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.config import config_file, texts
from bot.config.layers import (
    Layer,
    environment_layer,
    merge_layers,
    secret_folder_layers,
    spell_out_web_switch,
)
from bot.config.paths import DefaultFolders, reject_guarded_paths_in_workspace
from bot.config.settings import SECTIONS_WITH_OPERATOR_NAMES, Config, list_setting_keys
from bot.config.validation_errors import config_error_from_validation
from bot.core.errors import ConfigError

__all__ = ["Config", "LoadedConfig", "load"]

NO_OVERRIDES: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    config: Config
    path: Path | None
    secret_folders: tuple[tuple[str, Path], ...] = ()  # the name of each folder's source, and the folder
    origins_outside_file: tuple[tuple[str, str], ...] = ()  # each key that the file does not decide, and its origin
    explicit_keys: frozenset[str] = frozenset()  # each key that any source sets

    @property
    def config_file_named_in_errors(self) -> str:
        """Return the file to name in an error about a missing setting."""
        return str(self.path or texts.NO_CONFIG_FILE)


def load(
    path: Path | None = None, overrides: Mapping[str, Any] = NO_OVERRIDES, variables: Mapping[str, str] | None = None
) -> LoadedConfig:
    """Return the settings. `overrides` come from the command line, nested as in the file. May raise ConfigError."""
    variables = os.environ if variables is None else variables
    named = config_file.explicit_config_file(path, variables)
    path = config_file.find_config_file(path, variables)
    folders = DefaultFolders.for_config_file(path)
    written = [config_file.read_config_file_layer(path)] if path else []
    for layer in written:
        is_found = path not in (named, config_file.user_config_file())
        if is_found and len(layer.values) > 1 and not layer.values.keys() & Config.model_fields.keys():
            raise ConfigError(texts.NOT_OURS(path=path))  # it has several keys, and none is a setting
        try:  # "3" is a number in a variable, but text in a file; so check the file alone, strictly
            Config.model_validate_json(json.dumps(spell_out_web_switch(layer.values)), strict=True)
        except ValidationError as error:
            raise config_error_from_validation(error, written) from None
    upper = [Layer(values=dict(overrides), origins={(): texts.COMMAND_LINE}), environment_layer(variables)]
    given = merge_layers([*upper, *written])
    kept = tuple(folders.named_secret_folders(given, variables))
    secrets = secret_folder_layers(kept)
    layers = [*upper, *secrets, *written]
    loaded = LoadedConfig(
        config=config_from_layers(layers, folders),
        path=path,
        secret_folders=kept,
        origins_outside_file=tuple(iterate_key_origins([*upper, *secrets])),
        explicit_keys=frozenset(key for key, _ in iterate_key_origins(layers)),
    )
    reject_guarded_paths_in_workspace(loaded.config, loaded.config_file_named_in_errors, path, kept)
    return loaded


def iterate_key_origins(layers: Sequence[Layer]) -> Iterator[tuple[str, str]]:
    """Yield each dotted key that a layer sets, with the origin of the first layer that sets it."""
    keys = [*list_setting_keys()]
    for key in keys:
        parts = tuple(key.split("."))
        origin = next((found for layer in layers if (found := layer.origin_of_key(parts))), None)
        if origin and (key in SECTIONS_WITH_OPERATOR_NAMES or not any(each.startswith(f"{key}.") for each in keys)):
            yield key, origin


def config_from_layers(layers: Sequence[Layer], folders: DefaultFolders) -> Config:
    """Return the settings from the layers and the default folders. All paths are absolute."""
    values = merge_layers([*layers, Layer(values=folders.default_path_values(), origins={})])
    try:
        return Config.model_validate(values, context={"anchor": folders.base_of_relative_paths})
    except ValidationError as error:
        raise config_error_from_validation(error, layers) from None
