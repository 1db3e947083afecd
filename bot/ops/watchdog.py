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

MAX_HANG_SECONDS = 60.0
INTERVAL_SECONDS = 1.0
FINAL_LOG_WAIT_SECONDS = 2.0
NOTIFY_VARIABLE = "NOTIFY_SOCKET"

log = logging.getLogger(__name__)


class Watchdog:
    """A thread that checks each second whether the event loop has run since the last check."""

    def __init__(self, max_hang_seconds: float = MAX_HANG_SECONDS, interval_seconds: float = INTERVAL_SECONDS) -> None:
        self.max_hang_seconds = max_hang_seconds
        self.interval_seconds = interval_seconds
        self._turns = 0
        self._loop_thread = 0
        self._is_over = threading.Event()

    @asynccontextmanager
    async def watch_event_loop(self) -> AsyncIterator[None]:
        self._loop_thread = threading.get_ident()
        self._is_over.clear()
        thread = threading.Thread(target=self.check_event_loop_until_over, name="watchdog", daemon=True)
        async with asyncio.TaskGroup() as owner:
            turning = owner.create_task(self.report_alive_until_cancelled(), name="watchdog")
            thread.start()
            try:
                yield
            finally:
                self._is_over.set()
                turning.cancel()

    async def report_alive_until_cancelled(self) -> None:
        while True:
            self._turns += 1
            notify_systemd("WATCHDOG=1")
            await asyncio.sleep(self.interval_seconds)

    def check_event_loop_until_over(self) -> None:
        """Check each second, in the thread. A late check counts two seconds at most: the process did not run either."""
        seen, still, before = self._turns, 0.0, time.monotonic()
        while not self._is_over.wait(self.interval_seconds):
            now = time.monotonic()
            still = still + min(now - before, 2 * self.interval_seconds) if seen == self._turns else 0.0
            seen, before = self._turns, now
            if still >= self.max_hang_seconds:
                self.log_stack_and_end_process()

    def log_stack_and_end_process(self) -> None:
        """Log the event loop's stack, and end the process. Wait FINAL_LOG_WAIT_SECONDS for the log: it may hang too."""
        stack = "".join(traceback.format_stack(sys._current_frames().get(self._loop_thread)))
        words = operators.EVENT_LOOP_HANGS(seconds=self.max_hang_seconds, stack=stack)
        telling = threading.Thread(target=log.critical, args=(words,), daemon=True)
        telling.start()
        telling.join(FINAL_LOG_WAIT_SECONDS)
        os._exit(ExitStatus.HUNG)


def notify_systemd(state: str) -> None:
    """Tell systemd the state of this process (sd_notify), such as READY=1. Do nothing if systemd did not ask for it."""
    address = os.environ.get(NOTIFY_VARIABLE, "")
    if not address:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling:
        telling.setblocking(False)
        telling.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
