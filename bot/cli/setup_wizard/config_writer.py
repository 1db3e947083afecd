"""Write config.json and the secrets: first as drafts, then renamed, so that a kill leaves no half-written file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.cli.setup_wizard import texts
from bot.config import load
from bot.core import durable_files
from bot.core.errors import ConfigError

FOLDER_MODE = 0o700


def write_config_and_secrets(path: Path, values: Mapping[str, Any], folder: Path, secrets: Mapping[str, str]) -> None:
    """Write `values` to the config at `path`, and each secret to a file in `folder`.

    Raise ConfigError if a file cannot be written. If the settings are not valid, raise ConfigError and change nothing.
    """
    drafts: dict[Path, Path] = {}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
        made = drafts[path] = durable_files.write_draft(path, text, mode=durable_files.PRIVATE_MODE)
        check_draft_settings(made, path)
        if secrets:
            folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        for name, value in secrets.items():
            drafts[folder / name] = durable_files.write_draft(
                folder / name, f"{value}\n", mode=durable_files.PRIVATE_MODE
            )
        for place, beside in reversed(drafts.items()):  # the config last: the secrets have no effect without it
            beside.replace(place)
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=error.filename or path, reason=error.strerror)) from None
    finally:
        for beside in drafts.values():
            beside.unlink(missing_ok=True)


def check_draft_settings(made: Path, path: Path) -> None:
    """Load the draft as the commands will load the config. Raise ConfigError, with the final path, if it is not valid.

    The draft is in the folder of the config, so that relative paths mean the same.
    """
    try:
        load(made)
    except ConfigError as error:
        raise ConfigError(*(line.replace(str(made), str(path)) for line in error.lines)) from None
