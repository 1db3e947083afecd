"""What setup has collected: the settings that are there now, and what it will write."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.cli.setup_wizard import texts
from bot.cli.setup_wizard.prompts import print_text
from bot.config import Config, LoadedConfig, load
from bot.config.config_file import find_config_file, read_config_file, user_config_file
from bot.core.platform import AnyPlatform

MODEL_KEY_FILE = "model__api_key"


@dataclass(slots=True, kw_only=True)
class SetupPlan:
    """The current settings and the answers so far. Setup writes nothing before it has asked everything."""

    path: Path  # of config.json
    is_new: bool
    loaded: LoadedConfig  # the settings now
    values: dict[str, Any]  # the future content of the file
    secrets: dict[str, str] = field(default_factory=dict)  # by file name
    next_steps: list[str] = field(default_factory=list)

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def secrets_folder(self) -> Path:
        """Return the folder of the secret files."""
        return self.config.secrets_dir or self.path.parent / "secrets"

    @property
    def is_found_by_default(self) -> bool:
        """Return True if the other commands find the config without --config."""
        return find_config_file(None, os.environ) == self.path

    def set_value(self, value: object, *key: str) -> None:
        """Set a value under nested keys, as in `plan.set_value(20.0, "limits", "day_usd")`."""
        *above, last = key
        section = self.values
        for name in above:
            section = section.setdefault(name, {})
        section[last] = value

    def is_platform_enabled(self, name: str) -> bool:
        """Return True if the bot will answer on this platform."""
        return bool(self.values.get("channels", {}).get(name, {}).get("enabled"))

    def leave_platform_out(self, platform: AnyPlatform) -> None:
        """Leave out a platform because the operator has no token for it now."""
        print_text(texts.LEFT_OUT(platform=platform.title))
        if self.is_platform_enabled(platform.name):
            self.set_value(False, "channels", platform.name, "enabled")
        self.next_steps.append(texts.NEXT_TOKEN(platform=platform.title))

    def keep_secret(self, name: str, secret: str) -> None:
        """Keep a secret for a file of its own, and remove it from the config."""
        self.secrets[name] = secret
        *above, last = name.split("__")
        section: Any = self.values
        for each in above:
            section = section.get(each, {})
        section.pop(last, None)


def start_setup_plan(file: Path | None, variables: Mapping[str, str]) -> SetupPlan:
    """Return a plan from the config that the other commands would read, or for a new config.

    Raise ConfigError if the config is not valid.
    """
    path = find_config_file(file, variables) or user_config_file()
    if not path.exists():
        return SetupPlan(path=path, is_new=True, loaded=settings_without_file(path, variables), values={})
    return SetupPlan(
        path=path, is_new=False, loaded=load(path), values=json.loads(json.dumps(read_config_file(path).values))
    )


def settings_without_file(path: Path, variables: Mapping[str, str]) -> LoadedConfig:
    """Return the settings that apply without a config file: defaults, the environment and existing secret files."""
    from bot.config import validate_settings
    from bot.config.layers import environment_layer, secret_files_layer
    from bot.config.paths import DefaultFolders

    folders = DefaultFolders.for_config_file(path)
    given = environment_layer(variables)
    secrets = [secret_files_layer(name, folder) for name, folder in folders.secret_folders(given.values, variables)]
    return LoadedConfig(config=folders.make_absolute(validate_settings([given, *secrets], folders)), path=None)
