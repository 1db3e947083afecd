"""The processes of the bots under test, each forked from the server: its imports would take longer than its run."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.support.fork_server import SERVER


class BotProcess:
    """A bot that runs in a process of its own, with `options` in its environment."""

    def __init__(self, folder: Path, socket: Path, options: Mapping[str, str]) -> None:
        for file in ("out", "log"):  # they are read even if a kill comes before anything is written
            (folder / file).touch()
        self._process = SERVER.Process(target=live, args=(folder, socket, dict(options)), daemon=True)
        self._process.start()
        assert self._process.pid
        self._handle: int | None = None  # a number could name another process once this one has ended
        with suppress(ProcessLookupError):  # it has ended already
            self._handle = os.pidfd_open(self._process.pid)
        self._has_ended = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().add_reader(self._process.sentinel, self._note_end)

    @property
    def returncode(self) -> int | None:
        """The exit status, as `subprocess` has it; None while the bot runs."""
        return self._process.exitcode if self._has_ended.done() else None

    async def wait(self) -> int:
        return await asyncio.shield(self._has_ended)

    def signal(self, number: int) -> None:
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self._process.join()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        self._has_ended.set_result(self._process.exitcode)


def live(folder: Path, socket: Path, options: Mapping[str, str]) -> None:
    """Be the bot: this runs in the new process."""
    from tests.rig import process

    for file, number in (("out", 1), ("log", 2)):
        opened = os.open(folder / file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.update(options)
    gc.freeze()  # what is imported need not be looked through
    random.seed()  # the server's state would be the same in each
    asyncio.run(process.main(folder, socket))
