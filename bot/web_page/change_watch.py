"""Learn when the rows have changed, whichever process has changed them, for all pages that are open."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from bot.store.connection import Connection, open_database_file

POLL_SECONDS = 0.25  # between two looks whether the rows have changed
QUIET_SECONDS = 0.5  # after a change: what follows at once is shown together


class Version(NamedTuple):
    """Which state of the rows somebody has seen: two that are equal are the same."""

    file: int  # a restored backup is another file
    opening: int  # SQLite's counts of two openings cannot be compared
    change: int


class ChangeWatch:
    """A watch over one database file. However many pages wait, it looks as often as for one, and at one number."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.waiting = 0
        self.is_over = False
        self.look_again_at = 0.0
        self.version = Version(0, 0, 0)
        self.db: Connection | None = None

    async def wait_for_changes(self) -> AsyncIterator[Version]:
        """Yield the version at the start, and then after each change of the rows. Raise sqlite3.Error or OSError if
        they cannot be read."""
        self.waiting += 1
        try:
            seen = self.look()
            yield seen
            while not self.is_over:
                await asyncio.sleep(POLL_SECONDS)
                if (now := self.look()) != seen:
                    seen = now
                    yield seen
                    await asyncio.sleep(QUIET_SECONDS)
        finally:
            self.waiting -= 1
            if not self.waiting:
                self.close()

    def end(self) -> None:
        """Let nobody wait any more."""
        self.is_over = True

    def look(self) -> Version:
        """Return the version of the rows, at most half of POLL_SECONDS old."""
        now = time.monotonic()
        if now >= self.look_again_at:
            self.look_again_at = now + POLL_SECONDS / 2
            self.version = self.read_version()
        return self.version

    def read_version(self) -> Version:
        file, opening = os.stat(self.path).st_ino, self.version.opening
        if self.db is None or file != self.version.file:
            self.close()
            self.db, opening = open_database_file(self.path, "ro"), opening + 1
        return Version(file, opening, self.db.fetch_number("PRAGMA data_version"))

    def close(self) -> None:
        if self.db:
            self.db.close()
        self.db, self.look_again_at = None, 0.0
