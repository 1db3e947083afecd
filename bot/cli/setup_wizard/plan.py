"""What setup has found and gathered: the settings as they stand, and what is to be written."""

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

MODEL_KEY_FILE, TELEGRAM_TOKEN_FILE, DISCORD_TOKEN_FILE = (
    "model__api_key",
    "channels__telegram__token",
    "channels__discord__token",
)


@dataclass(slots=True, kw_only=True)
class SetupPlan:
    """Nothing of it is written before all is asked."""

    path: Path  # of config.json
    is_new: bool
    loaded: LoadedConfig  # as it is now
    values: dict[str, Any]  # what will stand in the file
    secrets: dict[str, str] = field(default_factory=dict)  # by the name of their file
    next_steps: list[str] = field(default_factory=list)

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def secrets_folder(self) -> Path:
        """Where secret files lie."""
        return self.config.secrets_dir or self.path.parent / "secrets"

    @property
    def is_found_by_default(self) -> bool:
        """Whether the other commands find it without being told where."""
        return find_config_file(None, os.environ) == self.path

    def set_value(self, value: object, *key: str) -> None:
        """`plan.set(True, "channels", "telegram", "enabled")`"""
        *above, last = key
        section = self.values
        for name in above:
            section = section.setdefault(name, {})
        section[last] = value

    def leave_platform_out(self, platform: str) -> None:
        """Go on without a platform whose token is not at hand."""
        print_text(texts.LEFT_OUT(platform=platform.title()))
        if self.values.get("channels", {}).get(platform, {}).get("enabled"):
            self.set_value(False, "channels", platform, "enabled")
        self.next_steps.append(texts.NEXT_TOKEN(platform=platform.title()))

    def keep_secret(self, name: str, secret: str) -> None:
        """The secret goes into a file of its own; where it stands in the config, it leaves that."""
        self.secrets[name] = secret
        *above, last = name.split("__")
        section: Any = self.values
        for each in above:
            section = section.get(each, {})
        section.pop(last, None)


def start_setup_plan(file: Path | None, variables: Mapping[str, str]) -> SetupPlan:
    """From the file that the other commands would read, or for a new one; raises ConfigError if it is broken."""
    path = find_config_file(file, variables) or user_config_file()
    if not path.exists():
        return SetupPlan(path=path, is_new=True, loaded=settings_without_file(path, variables), values={})
    return SetupPlan(
        path=path, is_new=False, loaded=load(path), values=json.loads(json.dumps(read_config_file(path).values))
    )


def settings_without_file(path: Path, variables: Mapping[str, str]) -> LoadedConfig:
    """What holds without the file: defaults, the environment, and secrets that lie there already."""
    from bot.config import validate_settings
    from bot.config.layers import environment_layer, secret_files_layer
    from bot.config.paths import DefaultFolders

    folders = DefaultFolders.for_config_file(path)
    given = environment_layer(variables)
    secrets = [secret_files_layer(name, folder) for name, folder in folders.secret_folders(given.values, variables)]
    return LoadedConfig(config=folders.make_absolute(validate_settings([given, *secrets], folders)), path=None)
