"""Write config.json and the secrets: each beside its place and then into it, so that a kill leaves no half file."""

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
    """Raises ConfigError where it cannot be, or where the settings would be refused: then nothing is changed."""
    drafts: dict[Path, Path] = {}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made = drafts[path] = write_draft(path, json.dumps(values, indent=2, ensure_ascii=False) + "\n")
        check_draft_settings(made, path)
        if secrets:
            folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        for name, value in secrets.items():
            drafts[folder / name] = write_draft(folder / name, f"{value}\n")
        for place, beside in reversed(drafts.items()):  # the config last: without it nothing of the rest counts
            beside.replace(place)
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=error.filename or path, reason=error.strerror)) from None
    finally:
        for beside in drafts.values():
            beside.unlink(missing_ok=True)


def check_draft_settings(made: Path, path: Path) -> None:
    """The settings as they will be read; they lie in the same folder, so that paths mean the same."""
    try:
        load(made)
    except ConfigError as error:
        raise ConfigError(*(line.replace(str(made), str(path)) for line in error.lines)) from None


def write_draft(place: Path, text: str) -> Path:
    """The text in a hidden file beside its place, on the disk, for its owner alone."""
    beside = place.with_name(f".{place.name}.new")
    beside.unlink(missing_ok=True)
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_MODE), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return beside
