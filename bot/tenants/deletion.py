"""Delete folders that a tenant has filled, however deeply nested: Python's own rmtree fails at some depth."""

from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.targets.programs import run_program

MAX_SHOWN_CHARACTERS = 300  # characters of the output of `rm`


def delete_folder_tree(folder: Path, *, seconds: float) -> None:
    """Delete the folder if it exists, without following links. Raise ConfigError if part of it remains."""
    outcome = run_program(["rm", "-rf", "--", str(folder)], seconds=seconds)
    if outcome.status:
        raise ConfigError(texts.CANNOT_DELETE(folder=folder, reason=outcome.output[:MAX_SHOWN_CHARACTERS]))
