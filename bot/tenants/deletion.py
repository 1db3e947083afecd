"""Folders that a tenant has filled, taken away, however deep they are nested: Python's own way ends at some depth."""

from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.targets.programs import run_program

MAX_SHOWN_CHARACTERS = 300  # characters, of what was said


def delete_folder_tree(folder: Path, *, seconds: float) -> None:
    """It need not be there; no link is followed. Raises ConfigError where part of it is still there after that."""
    outcome = run_program(["rm", "-rf", "--", str(folder)], seconds=seconds)
    if outcome.status:
        raise ConfigError(texts.CANNOT_DELETE(folder=folder, reason=outcome.output[:MAX_SHOWN_CHARACTERS]))
