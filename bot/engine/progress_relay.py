"""Take what a running call reports, from any thread and at any rate, and hand it on in the event loop."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.core.call_progress import ReportProgress, last_line


class ProgressRelay:
    """What one call reports. Only the newest is kept until the event loop comes to it."""

    def __init__(self, hand_on: Callable[[str], None]) -> None:
        self._hand_on = hand_on
        self._loop = asyncio.get_running_loop()
        self._newest = ""
        self._is_waiting = False  # for the event loop
        self._is_over = False

    def report(self, text: str) -> None:
        """Report the last line of a text, if that says anything. After the call has ended nothing is reported."""
        if not (line := last_line(text)) or self._is_over:
            return
        self._newest = line  # before the look at `_is_waiting`, since another thread hands it on
        if not self._is_waiting:
            self._is_waiting = True
            self._loop.call_soon_threadsafe(self._hand_on_newest)

    def end(self) -> None:
        self._is_over = True

    def _hand_on_newest(self) -> None:
        self._is_waiting = False  # before the look at `_newest`
        if not self._is_over:
            self._hand_on(self._newest)


@contextmanager
def relay_progress(hand_on: Callable[[str], None]) -> Iterator[ReportProgress]:
    """Yield the function by which a call reports. What it takes goes to `hand_on`, until the call is over."""
    relay = ProgressRelay(hand_on)
    try:
        yield relay.report
    finally:
        relay.end()
