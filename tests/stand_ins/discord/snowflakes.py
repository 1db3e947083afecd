"""Ids that contain their time, and times as Discord writes them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]
Now = Callable[[], float]  # seconds since 1970

EPOCH_MS = 1_420_070_400_000  # the first millisecond of 2015


class Snowflakes:
    """Makes ids in order. Each contains the time when it was made."""

    def __init__(self, now: Now) -> None:
        self.now = now
        self.last = 0

    def make(self) -> int:
        made = (int(self.now() * 1000) - EPOCH_MS) << 22
        self.last = max(self.last + 1, made)
        return self.last


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
