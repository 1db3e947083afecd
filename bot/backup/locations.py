"""Find the places of a back-up's parts on this machine. The settings decide, not the names in the archive."""

import json
import os
from pathlib import Path
from typing import Any

from bot.backup import GROUPS_FOLDER, LANGUAGES_FOLDER, ROLES_FOLDER, SKILLS_FOLDER, TOOLS_FOLDER, texts
from bot.config import Config, LoadedConfig
from bot.config.config_file import read_config_text
from bot.config.settings import iterate_keys_and_secrets
from bot.core.errors import ConfigError


def operator_folders_by_name(loaded: LoadedConfig) -> dict[str, Path]:
    """Return the folders of files that the operator writes, by their name in the archive. One that lies in another
    comes with that."""
    config = loaded.config
    found = {ROLES_FOLDER: config.swarm.roles_dir, GROUPS_FOLDER: config.swarm.groups_dir}
    others = {
        LANGUAGES_FOLDER: config.languages_dir,
        SKILLS_FOLDER: config.skills_dir,
        TOOLS_FOLDER: config.tools_dir,
    }
    for name, folder in others.items():
        if folder and not any(folder.is_relative_to(other) for other in found.values()):
            found[name] = folder
    return found


def secrets_folder(loaded: LoadedConfig) -> Path | None:
    """Return the folder of secret files: `secrets_dir`, or else `secrets` beside the config file; None with neither."""
    return loaded.config.secrets_dir or (loaded.path.parent / "secrets" if loaded.path else None)


def config_and_removed_secret_keys(path: Path, config: Config) -> tuple[bytes, list[str]]:
    """Return the config file's content without secrets, and the removed keys. Raise ConfigError if it is not JSON."""
    written = read_config_text(path)
    try:
        kept: Any = json.loads(written)
    except ValueError:  # the file has changed since it was loaded
        raise ConfigError(texts.CONFIG_NOT_JSON(path=path)) from None
    taken = []
    for key, _ in iterate_keys_and_secrets(config):
        *above, last = key
        section = kept
        for name in above:
            section = section.get(name) if isinstance(section, dict) else None
        if isinstance(section, dict) and section.get(last) is not None:
            del section[last]
            taken.append(".".join(key))
    return (json.dumps(kept, indent=2, ensure_ascii=False) + "\n" if taken else written).encode(), taken


def is_folder_missing_or_empty(folder: Path) -> bool:
    """Return True if the folder is empty or missing. Raise ConfigError if the folder cannot be read."""
    try:
        return not folder.exists() or not os.listdir(folder)
    except OSError as error:
        raise ConfigError(texts.FOLDER_UNREADABLE(folder=folder, error=error.strerror)) from None
