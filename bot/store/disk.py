"""Whether the disk takes what is written: told when that changes, and not at every attempt."""

import logging
import sqlite3
from collections.abc import Callable

HearOfDisk = Callable[[str | None], None]  # takes why the disk takes nothing, and None when it takes everything again

log = logging.getLogger(__name__)


def nobody_hears(why: str | None) -> None:
    """The log says it all the same."""


class Disk:
    def __init__(self, hear: HearOfDisk = nobody_hears) -> None:
        self.hear = hear
        self._refuses = False

    def refuses(self, error: sqlite3.Error, seconds: float) -> None:
        """Something waits for the disk, and is tried again every so many seconds."""
        if not self._refuses:
            self._refuses = True
            is_full = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL
            log.error("the disk takes nothing, trying again every %g s: %s", seconds, error)
            self.hear("it is full" if is_full else str(error))

    def takes(self) -> None:
        """Nothing waits for the disk any more."""
        if self._refuses:
            self._refuses = False
            log.warning("the disk takes everything again")
            self.hear(None)
