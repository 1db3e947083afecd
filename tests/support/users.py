"""Other users of this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY = 65_534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Act as a user who owns nothing, if this is root; otherwise as who it is."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)
