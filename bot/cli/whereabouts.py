"""Which bot this is: the config and the workspace, in a line at the start."""

from collections.abc import Iterator
from pathlib import Path

from bot.config import Loaded
from bot.config.file import NAME, users_file

WHERE = "config: {config} · workspace: {workspace}"
NO_FILE = "none, the defaults hold"
PASSED_OVER = "{here} is not read, since there is {users}; --config {name} reads it"


def whereabouts(loaded: Loaded, workspace: Path | None = None) -> Iterator[str]:
    """`workspace` is where the files are that the tools see, if it is not the one of the config."""
    yield WHERE.format(config=loaded.path or NO_FILE, workspace=workspace or loaded.config.workspace)
    here = Path(NAME).absolute()
    if loaded.path == users_file() and here.is_file() and not here.samefile(loaded.path):
        yield PASSED_OVER.format(here=here, users=loaded.path, name=NAME)
