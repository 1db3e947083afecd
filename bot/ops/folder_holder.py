"""Find the process that holds a data folder, and its platforms. `retinue run` has some, `retinue chat` has none."""

import json
import os
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.config.paths import DEMO_FOLDER_NAME
from bot.core.errors import ConfigError, FolderInUse
from bot.core.texts import operators
from bot.ops import texts
from bot.ops.control.server import Answerer, Request
from bot.ops.control.unix_socket import ask_running_bot
from bot.ops.watchdog import NOTIFY_VARIABLE, notify_systemd
from bot.store import folder_lock

HOLDER_REQUEST = "holder"  # the request on the control socket
GIVE_WAY_REQUEST = "give way"  # only a process that can do without the folder answers it
HOLDER_ANSWER_TIMEOUT_SECONDS = 1.0
GIVING_WAY_SECONDS = 30.0  # for a clean stop of the bot that gives way
POLL_SECONDS = 0.1
FOLDER_WAIT_SECONDS = 5.0  # for a holder that may end soon, such as `chat -m`
# Under systemd: it waits 90 s for a start, and a tenant's unit may start only 200 times in six hours.
SYSTEMD_FOLDER_WAIT_SECONDS = 80.0


@dataclass(frozen=True, slots=True)
class FolderHolder:
    process_id: str
    platforms: tuple[str, ...] | None  # those that it listens on; None if it did not answer

    @property
    def is_chat_command(self) -> bool:
        return self.platforms == ()


def find_folder_of_running_bot(data: Path) -> Path | None:
    """Return the folder that a bot holds: the data folder, or the demo's folder below it. Return None if no bot runs.
    Raise OSError if the data folder's lock cannot be read."""
    if folder_lock.find_lock_holder(data):
        return data
    with suppress(PermissionError):  # another user has tried the demo
        if folder_lock.find_lock_holder(data / DEMO_FOLDER_NAME):
            return data / DEMO_FOLDER_NAME
    return None


@contextmanager
def os_error_as_config_error(data: Path) -> Iterator[None]:
    """Raise ConfigError if the body raises OSError. The error names the file, or else the data folder."""
    try:
        yield
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None


def find_holding_process_id(data: Path) -> str:
    """Return the id of the process that holds the folder, or "". Raise ConfigError if the lock cannot be read."""
    with os_error_as_config_error(data):
        return folder_lock.find_lock_holder(data)


def find_folder_holder(data: Path) -> FolderHolder | None:
    """Return the process that holds the folder, or None if none does. Raise ConfigError if the lock cannot be read."""
    process = find_holding_process_id(data)
    if not process:
        return None
    answer = ask_running_bot(data, HOLDER_ANSWER_TIMEOUT_SECONDS, ask=HOLDER_REQUEST)
    return FolderHolder(process, None if answer is None else tuple(answer["platforms"]))


def make_holder_answerer(platforms: Sequence[str]) -> Answerer:
    """Return the function that answers the request of `find_folder_holder` on the control socket."""

    async def answer(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(json.dumps({"platforms": list(platforms)}).encode() + b"\n")
        await writer.drain()

    return answer


def make_give_way_answerer(give_way: Callable[[], None]) -> Answerer:
    """Return the function that answers who wants the folder. It calls `give_way`, which lets the bot here end."""

    async def answer(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        give_way()
        writer.write(json.dumps({"gives_way": True}).encode() + b"\n")
        await writer.drain()

    return answer


def wait_until_folder_is_free(data: Path) -> None:
    """Wait until no process holds the folder. Raise FolderInUse at once if `retinue run` holds it. Any other holder is
    asked to give way, and may end soon: raise FolderInUse only after FOLDER_WAIT_SECONDS, or after
    SYSTEMD_FOLDER_WAIT_SECONDS under systemd."""
    give_up = time.monotonic() + (SYSTEMD_FOLDER_WAIT_SECONDS if NOTIFY_VARIABLE in os.environ else FOLDER_WAIT_SECONDS)
    while found := find_folder_holder(data):
        in_use = operators.FOLDER_IN_USE(folder=data, process=found.process_id)
        why = texts.CHAT_IS_OPEN(folder=data, process=found.process_id) if found.is_chat_command else in_use
        if found.platforms or time.monotonic() >= give_up:
            raise FolderInUse(why)
        if found.is_chat_command and ask_running_bot(data, HOLDER_ANSWER_TIMEOUT_SECONDS, ask=GIVE_WAY_REQUEST):
            give_up = max(give_up, time.monotonic() + GIVING_WAY_SECONDS)
        notify_systemd(f"STATUS={why}")
        time.sleep(POLL_SECONDS)
