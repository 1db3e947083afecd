"""Which process holds a data folder, and which platforms it listens on: a `run` has some, a terminal's `chat` none."""

import json
import os
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.core.errors import ConfigError, FolderInUse
from bot.core.texts import operators
from bot.ops import texts
from bot.ops.control.client import ask_running_bot
from bot.ops.control.server import Answer, Request
from bot.ops.watchdog import NOTIFY_VARIABLE, notify_systemd
from bot.store import folder_lock

HOLDER_REQUEST = "holder"  # the request on the control socket
ANSWER_SECONDS = 1.0
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 5.0  # for a holder that may be about to end, as a `chat -m` is
# As a service: systemd waits 90 s for a start, and a unit of a tenant may start 200 times in six hours.
SERVICE_SECONDS = 80.0


@dataclass(frozen=True, slots=True)
class Holder:
    process: str
    platforms: tuple[str, ...] | None  # those it listens on; None if it does not say

    @property
    def is_chat(self) -> bool:
        return self.platforms == ()


def holding_process(data: Path) -> str:
    """Return the number of the process that holds the folder, or "". Raise ConfigError if the lock cannot be read."""
    try:
        return folder_lock.find_lock_holder(data)
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None


def find_holder(data: Path) -> Holder | None:
    """Return the process that holds the folder; None if none does. Raise ConfigError if the lock cannot be read."""
    process = holding_process(data)
    if not process:
        return None
    answer = ask_running_bot(data, ANSWER_SECONDS, ask=HOLDER_REQUEST)
    return Holder(process, None if answer is None else tuple(answer["platforms"]))


def answer_with(platforms: Sequence[str]) -> Answer:
    """Return the function that answers `find_holder` on the control socket."""

    async def answer(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(json.dumps({"platforms": list(platforms)}).encode() + b"\n")
        await writer.drain()

    return answer


def wait_until_free(data: Path) -> None:
    """Return when no process holds the folder.

    Raise FolderInUse at once if a run holds it. Anything else may end soon, so raise FolderInUse only after a while.
    """
    give_up = time.monotonic() + (SERVICE_SECONDS if NOTIFY_VARIABLE in os.environ else PATIENCE_SECONDS)
    while found := find_holder(data):
        if found.is_chat:
            why = texts.CHAT_IS_OPEN(folder=data, process=found.process)
        else:
            why = operators.FOLDER_IN_USE(folder=data, process=found.process)
        if found.platforms or time.monotonic() >= give_up:
            raise FolderInUse(why)
        notify_systemd(f"STATUS={why}")
        time.sleep(POLL_SECONDS)
