"""End a process whose event loop has stopped turning, and tell systemd that it still turns.

The rows make that safe: the supervisor starts the bot again, and it goes on. Only time in which this process could run
counts: not the time in which the machine was suspended or the process stopped (SIGSTOP).
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
    """A thread that looks each second whether the loop has turned since the last look."""

    def __init__(self, limit_seconds: float = LIMIT_SECONDS, look_seconds: float = LOOK_SECONDS) -> None:
        self.limit_seconds = limit_seconds
        self.look_seconds = look_seconds
        self._turns = 0
        self._loop_thread = 0
        self._is_over = threading.Event()

    @asynccontextmanager
    async def watch_loop(self) -> AsyncIterator[None]:
        """Watch this loop until the block ends."""
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
        """Look each second, in the thread. A late look counts as one in time: this process did not run either."""
        seen, still, before = self._turns, 0.0, time.monotonic()
        while not self._is_over.wait(self.look_seconds):
            now = time.monotonic()
            still = still + min(now - before, 2 * self.look_seconds) if seen == self._turns else 0.0
            seen, before = self._turns, now
            if still >= self.limit_seconds:
                self.end_process()

    def end_process(self) -> None:
        """Log where the loop stands, and end the process. Wait only a moment for the log: it may be what hangs."""
        stack = "".join(traceback.format_stack(sys._current_frames().get(self._loop_thread)))
        words = operators.EVENT_LOOP_HANGS(seconds=self.limit_seconds, stack=stack)
        telling = threading.Thread(target=log.critical, args=(words,), daemon=True)
        telling.start()
        telling.join(LAST_WORDS_SECONDS)
        os._exit(ExitStatus.HUNG)


def notify_systemd(state: str) -> None:
    """Tell systemd the state of this process if it asks for that (sd_notify): READY=1, WATCHDOG=1, STOPPING=1."""
    address = os.environ.get(NOTIFY_VARIABLE, "")
    if not address:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling:
        telling.setblocking(False)
        telling.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
