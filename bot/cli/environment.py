"""The environment that this runs in: whoever would make it anew sees that it is in use."""

import fcntl
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

held: list[IO[str]] = []  # for as long as the process lives: the kernel frees the lock when it ends


def keep() -> None:
    """Hold a shared lock, which scripts/install.py looks for; do nothing where there is no such file."""
    with suppress(OSError):
        file = (Path(sys.prefix) / "pyvenv.cfg").open()
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        held.append(file)
