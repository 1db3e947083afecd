"""Mark the Python environment of this process as in use, so that the installer does not replace it."""

import fcntl
import os
import sys
from contextlib import suppress
from pathlib import Path


def hold_environment_lock() -> None:
    """Hold a shared lock on pyvenv.cfg until the process ends. scripts/install.py looks for that lock.

    Do nothing if there is no such file.
    """
    with suppress(OSError):
        descriptor = os.open(Path(sys.prefix) / "pyvenv.cfg", os.O_RDONLY)  # the kernel closes it when the process ends
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
