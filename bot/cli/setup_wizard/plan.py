"""Collect what setup needs: the current settings, and what it will write at the end."""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.cli.setup_wizard import texts
from bot.config import Config, config_from_layers, load
from bot.config.config_file import find_config_file, read_config_file_layer, user_config_file
from bot.config.layers import environment_layer, secret_folder_layers
from bot.config.paths import DefaultFolders
from bot.core import durable_files
from bot.core.errors import ConfigError

MODEL_KEY_FILE_NAME = "model__api_key"


@dataclass(slots=True, kw_only=True)
class SetupPlan:
    """The current settings and the answers so far. Setup writes nothing before it has asked everything."""

    config_path: Path
    is_new_config: bool
    current_config: Config
    new_values: dict[str, Any]  # the new content of the file
    secrets_by_file_name: dict[str, str] = field(default_factory=dict)
    next_steps: list[str] = field(default_factory=list)

    @property
    def secrets_folder(self) -> Path:
        return self.current_config.secrets_dir or self.config_path.parent / "secrets"

    @property
    def is_empty(self) -> bool:
        """Return True if there is no config yet, and no answer to write."""
        return self.is_new_config and not self.new_values and not self.secrets_by_file_name

    def set_value(self, value: object, *key: str) -> None:
        """Set a value under nested keys, as in `plan.set_value(20.0, "limits", "day_usd")`."""
        *above, last = key
        section = self.new_values
        for name in above:
            section = section.setdefault(name, {})
        section[last] = value

    def is_platform_enabled(self, name: str) -> bool:
        return bool(self.new_values.get("channels", {}).get(name, {}).get("enabled"))

    def plan_secret_file(self, name: str, secret: str) -> None:
        """Plan a file of its own for a secret, and remove the secret from the config."""
        self.secrets_by_file_name[name] = secret
        *above, last = name.split("__")
        section: Any = self.new_values
        for each in above:
            section = section.get(each, {})
        section.pop(last, None)

    def write_files(self) -> None:
        """Write the config and each secret as drafts, then rename these, so that a kill leaves no half-written file.
        Raise ConfigError if a file cannot be written. If the settings are not valid, raise it and change nothing."""
        drafts: dict[Path, Path] = {}
        try:
            self.config_path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(self.new_values, indent=2, ensure_ascii=False)
            made = write_owner_only_temporary_file(self.config_path, text)
            drafts[self.config_path] = made
            try:
                load(made)  # the draft is in the config's folder, so relative paths mean the same
            except ConfigError as error:
                raise ConfigError(*(line.replace(str(made), str(self.config_path)) for line in error.lines)) from None
            if self.secrets_by_file_name:
                self.secrets_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name, secret in self.secrets_by_file_name.items():
                drafts[self.secrets_folder / name] = write_owner_only_temporary_file(self.secrets_folder / name, secret)
            for path, draft in reversed(drafts.items()):  # the config last: the secrets have no effect without it
                draft.replace(path)
        except OSError as error:
            path = error.filename or self.config_path
            raise ConfigError(texts.CANNOT_WRITE(path=path, reason=error.strerror)) from None
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)


def write_owner_only_temporary_file(path: Path, text: str) -> Path:
    return durable_files.write_temporary_file_beside(path, f"{text}\n", mode=durable_files.OWNER_ONLY_FILE_MODE)


def start_setup_plan(file: Path | None, variables: Mapping[str, str]) -> SetupPlan:
    """Return a plan to change the config that the other commands would read, or to make a new one."""
    path = find_config_file(file, variables) or user_config_file()
    if not path.exists():
        config = settings_without_config_file(path, variables)
        return SetupPlan(config_path=path, is_new_config=True, current_config=config, new_values={})
    values = deepcopy(dict(read_config_file_layer(path).values))
    return SetupPlan(config_path=path, is_new_config=False, current_config=load(path).config, new_values=values)


def settings_without_config_file(path: Path, variables: Mapping[str, str]) -> Config:
    """Return the settings that apply without a config file: defaults, the environment and existing secret files."""
    folders = DefaultFolders.for_config_file(path)
    given = environment_layer(variables)
    secrets = secret_folder_layers(folders.named_secret_folders(given.values, variables))
    return config_from_layers([given, *secrets], folders)
