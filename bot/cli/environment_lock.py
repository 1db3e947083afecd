"""The environment that this runs in: whoever would make it anew sees that it is in use."""

import fcntl
import os
import sys
from contextlib import suppress
from pathlib import Path


def hold_environment_lock() -> None:
    """Hold a shared lock, which scripts/install.py looks for; do nothing where there is no such file."""
    with suppress(OSError):
        descriptor = os.open(Path(sys.prefix) / "pyvenv.cfg", os.O_RDONLY)  # the kernel closes it when the process ends
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
