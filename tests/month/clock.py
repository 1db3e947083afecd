"""The clock of the month: the real one, shifted. The bot's process reads the shift from memory that it shares.

The bot takes the time of day from one place, `Assembly.now`; that is where this clock is put in.
"""

from __future__ import annotations

import mmap
import struct
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
FORM = struct.Struct("d")


class ShiftedClock:
    """Seconds since 1970 in the month. Every process that opens the same file sees the same shift."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(FORM.pack(0.0))
        self._file = path.open("r+b")
        self._shift = mmap.mmap(self._file.fileno(), FORM.size)

    def __call__(self) -> float:
        (shift,) = FORM.unpack(self._shift[: FORM.size])
        return time.time() + float(shift)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self(), UTC)

    def move_to(self, moment: datetime) -> None:
        self._shift[: FORM.size] = FORM.pack(moment.timestamp() - time.time())

    def close(self) -> None:
        self._shift.close()
        self._file.close()


def berlin(text: str) -> datetime:
    """Return a moment from a time on the family's clock, as `2026-10-06 08:00`."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)
