"""Write config.json and the secrets: first as drafts, then renamed, so that a kill leaves no half-written file."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.cli.setup_wizard import texts
from bot.config import load
from bot.core.errors import ConfigError

PRIVATE_MODE, FOLDER_MODE = 0o600, 0o700


def write_config_and_secrets(path: Path, values: Mapping[str, Any], folder: Path, secrets: Mapping[str, str]) -> None:
    """Write `values` to the config at `path`, and each secret to a file in `folder`.

    Raise ConfigError if a file cannot be written. If the settings are not valid, raise ConfigError and change nothing.
    """
    drafts: dict[Path, Path] = {}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = drafts[path] = write_draft(path, json.dumps(values, indent=2, ensure_ascii=False) + "\n")
        check_draft_settings(made, path)
        if secrets:
            folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        for name, value in secrets.items():
            drafts[folder / name] = write_draft(folder / name, f"{value}\n")
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


def write_draft(place: Path, text: str) -> Path:
    """Write the text to a hidden file beside `place` and sync it to the disk. Only its owner can read it.

    Return the path of the hidden file.
    """
    beside = place.with_name(f".{place.name}.new")
    beside.unlink(missing_ok=True)
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_MODE), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return beside
