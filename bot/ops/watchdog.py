"""End the process if its event loop hangs. While the event loop runs, report that to systemd.

The rows make this safe: the supervisor starts the bot again, and the bot continues. Only the time in which this process
could run counts, not the time in which the machine was suspended or the process was stopped (SIGSTOP).
"""

import asyncio
import logging
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from bot.core.exit_status import ExitStatus
from bot.core.texts import operators

LIMIT_SECONDS = 60.0
LOOK_SECONDS = 1.0
LAST_WORDS_SECONDS = 2.0
NOTIFY_VARIABLE = "NOTIFY_SOCKET"

log = logging.getLogger(__name__)


class Watchdog:
    """A thread that checks each second whether the event loop has run since the last check."""

    def __init__(self, limit_seconds: float = LIMIT_SECONDS, look_seconds: float = LOOK_SECONDS) -> None:
        self.limit_seconds = limit_seconds
        self.look_seconds = look_seconds
        self._turns = 0
        self._loop_thread = 0
        self._is_over = threading.Event()

    @asynccontextmanager
    async def watch_loop(self) -> AsyncIterator[None]:
        self._loop_thread = threading.get_ident()
        self._is_over.clear()
        thread = threading.Thread(target=self.check_until_over, name="watchdog", daemon=True)
        async with asyncio.TaskGroup() as owner:
            turning = owner.create_task(self.tick(), name="watchdog")
            thread.start()
            try:
                yield
            finally:
                self._is_over.set()
                turning.cancel()

    async def tick(self) -> None:
        while True:
            self._turns += 1
            notify_systemd("WATCHDOG=1")
            await asyncio.sleep(self.look_seconds)

    def check_until_over(self) -> None:
        """Check each second, in the thread. A late check counts two seconds at most: the process did not run either."""
        seen, still, before = self._turns, 0.0, time.monotonic()
        while not self._is_over.wait(self.look_seconds):
            now = time.monotonic()
            still = still + min(now - before, 2 * self.look_seconds) if seen == self._turns else 0.0
            seen, before = self._turns, now
            if still >= self.limit_seconds:
                self.end_process()

    def end_process(self) -> None:
        """Log the event loop's stack, and end the process. Wait LAST_WORDS_SECONDS for the log: it may hang too."""
        stack = "".join(traceback.format_stack(sys._current_frames().get(self._loop_thread)))
        words = operators.EVENT_LOOP_HANGS(seconds=self.limit_seconds, stack=stack)
        telling = threading.Thread(target=log.critical, args=(words,), daemon=True)
        telling.start()
        telling.join(LAST_WORDS_SECONDS)
        os._exit(ExitStatus.HUNG)


def notify_systemd(state: str) -> None:
    """Tell systemd the state of this process (sd_notify), such as READY=1. Do nothing if systemd did not ask for it."""
    address = os.environ.get(NOTIFY_VARIABLE, "")
    if not address:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling:
        telling.setblocking(False)
        telling.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
