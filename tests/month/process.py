"""The bot's process, forked from a server that has imported everything. It is killed with SIGKILL."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
PRELOADED = ["tests.month.bot_process", "bot.models.claude", "bot.models.claude.sdk_client", "tests.rig.process"]


class BotProcess:
    """A running bot. `pid` names no other process, since we reap this one ourselves."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        from tests.month.bot_process import be_the_bot

        SERVER.set_forkserver_preload(PRELOADED)  # once: the server begins with the first process
        self._process = SERVER.Process(target=be_the_bot, args=(folder, dict(environment)), daemon=True)
        self._process.start()
        assert self._process.pid
        self._handle = os.pidfd_open(self._process.pid)
        self._ended = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().add_reader(self._process.sentinel, self._note_end)

    @property
    def is_running(self) -> bool:
        return not self._ended.done()

    def signal(self, number: int) -> None:
        if self.is_running:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    async def end(self, number: int) -> int | None:
        """Send a signal, and wait for the end. Return the exit status, as `subprocess` has it."""
        self.signal(number)
        async with asyncio.timeout(30):
            await asyncio.shield(self._ended)
        return self._process.exitcode

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self._process.join()
        os.close(self._handle)
        self._ended.set_result(None)
