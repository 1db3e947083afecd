"""What `chat` and `run` do at their start: hold the Python environment, and say which bot this is."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bot.cli import texts
from bot.config import LoadedConfig
from bot.config.config_file import CONFIG_NAME, user_config_file


def hold_environment_lock() -> None:
    """Hold a shared lock on pyvenv.cfg until the process ends. scripts/install.py looks for that lock.

    Do nothing if there is no such file.
    """
    with suppress(OSError):
        descriptor = os.open(Path(sys.prefix) / "pyvenv.cfg", os.O_RDONLY)  # the kernel closes it when the process ends
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def describe_whereabouts(loaded: LoadedConfig, workspace: Path | None = None) -> Iterator[str]:
    """Yield a line with the config and the workspace, and a warning if a config file in this folder is ignored.

    `workspace` is the folder that the tools see, if it is not the one of the config.
    """
    config = loaded.path or texts.NO_CONFIG_FILE
    yield texts.WHEREABOUTS(config=config, workspace=workspace or loaded.config.workspace)
    here = Path(CONFIG_NAME).absolute()
    if loaded.path == user_config_file() and here.is_file() and not here.samefile(loaded.path):
        yield texts.CONFIG_PASSED_OVER(ignored=here, path=loaded.path, name=CONFIG_NAME)
