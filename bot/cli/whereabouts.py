"""Which bot this is: the config and the workspace, in a line at the start."""

from collections.abc import Iterator
from pathlib import Path

from bot.cli import texts
from bot.config import Loaded
from bot.config.file import NAME, users_file


def whereabouts(loaded: Loaded, workspace: Path | None = None) -> Iterator[str]:
    """`workspace` is where the files are that the tools see, if it is not the one of the config."""
    config = loaded.path or texts.NO_CONFIG_FILE
    yield texts.WHEREABOUTS(config=config, workspace=workspace or loaded.config.workspace)
    here = Path(NAME).absolute()
    if loaded.path == users_file() and here.is_file() and not here.samefile(loaded.path):
        yield texts.CONFIG_PASSED_OVER(ignored=here, path=loaded.path, name=NAME)
