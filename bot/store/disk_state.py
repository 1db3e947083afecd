"""Whether the disk takes what is written: told when that changes, and not at every attempt."""

import logging
import sqlite3
from collections.abc import Callable

from bot.store import texts

DiskListener = Callable[[str | None], None]  # takes why the disk takes nothing, and None when it takes everything again

log = logging.getLogger(__name__)


def ignore_disk_state(why: str | None) -> None:
    """The log says it all the same."""


class DiskState:
    def __init__(self, hear: DiskListener = ignore_disk_state) -> None:
        self.hear = hear
        self._refuses = False

    def note_refusal(self, error: sqlite3.Error, seconds: float) -> None:
        """Something waits for the disk, and is tried again every so many seconds."""
        if not self._refuses:
            self._refuses = True
            is_full = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL
            log.error(texts.DISK_REFUSES, seconds, error)
            self.hear(texts.DISK_IS_FULL if is_full else str(error))

    def note_recovery(self) -> None:
        """Nothing waits for the disk any more."""
        if self._refuses:
            self._refuses = False
            log.warning(texts.DISK_TAKES)
            self.hear(None)
