"""The settings of one tenant, gathered and checked: command line, environment, secret files, config.json, defaults."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.config import file, texts
from bot.config.complaints import complaint
from bot.config.layers import Layer, command_line, environment, merge, secret_files
from bot.config.paths import Folders, check_workspace
from bot.config.settings import NAMED, Config, keys
from bot.errors import ConfigError

__all__ = ["Config", "Loaded", "load"]

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The settings, and the file they were read from, if there was one."""

    config: Config
    path: Path | None
    secrets: tuple[tuple[str, Path], ...] = ()  # what names each folder that holds them, and where it is
    elsewhere: tuple[tuple[str, str], ...] = ()  # each key that the file does not decide, and what gives it
    given: frozenset[str] = frozenset()  # each key that somebody has given, wherever

    @property
    def origin(self) -> str:
        """What to name where a setting is missing."""
        return str(self.path or texts.NO_CONFIG_FILE)


def load(
    path: Path | None = None,
    overrides: Mapping[str, Any] = NOTHING,
    variables: Mapping[str, str] | None = None,
) -> Loaded:
    """The settings. `overrides` are the command line's, nested as in the file. ConfigError says what is wrong."""
    variables = os.environ if variables is None else variables
    named = file.named_file(path, variables)
    path = file.find(path, variables)
    folders = Folders.beside(path)
    written = [file.read(path)] if path else []
    for layer in written:
        if path not in (named, file.users_file()):
            reject_foreign_file(layer)
        check_types(layer)
    upper = [command_line(dict(overrides)), environment(variables)]
    given = merge([*upper, *written])
    secrets = [secret_files(name, folder) for name, folder in folders.of_secrets(given, variables)]
    layers = [*upper, *secrets, *written]
    kept = tuple(folders.meant_for_secrets(given, variables))
    loaded = Loaded(
        config=folders.placed(checked(layers, folders)),
        path=path,
        secrets=kept,
        elsewhere=tuple(given_by([*upper, *secrets])),
        given=frozenset(key for key, _ in given_by(layers)),
    )
    check_workspace(loaded.config, loaded.origin, path, kept)
    return loaded


def given_by(layers: Sequence[Layer]) -> Iterator[tuple[str, str]]:
    """Each key that one of these gives, dotted, with the first that does."""
    for key in keys():
        parts = tuple(key.split("."))
        origin = next((found for layer in layers if (found := layer.origin(parts))), None)
        if origin and (key in NAMED or not any(each.startswith(f"{key}.") for each in keys())):
            yield key, origin


def reject_foreign_file(written: Layer) -> None:
    """Raise ConfigError if a file that nobody named is another program's: none of its several keys is a setting."""
    if len(written.values) > 1 and not written.values.keys() & Config.model_fields.keys():
        raise ConfigError(texts.NOT_OURS(path=written.origins[()]))


def check_types(written: Layer) -> None:
    """In a file "3" is text and no number, as it is in a variable; so the file is checked alone, and strictly."""
    try:
        Config.model_validate_json(json.dumps(written.values), strict=True)
    except ValidationError as error:
        raise complaint(error, [written]) from None


def checked(layers: Sequence[Layer], folders: Folders) -> Config:
    try:
        return Config.model_validate(merge([*layers, Layer(values=folders.defaults(), origins={})]))
    except ValidationError as error:
        raise complaint(error, layers) from None
