"""The lock on the data folder: only one process runs turns there. Its file also tells when that one was last alive."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from bot.core.errors import ConfigError, FolderInUse
from bot.core.texts import operators
from bot.store import restore_exchange

LOCK_FILE_NAME = "lock"
LOCK_TRIES, LOCK_RETRY_SECONDS = 5, 0.02  # a process that checks the lock holds it for a moment


class HeldFolderLock:
    def __init__(self, descriptor: int, downtime_seconds: float, now: Callable[[], datetime]) -> None:
        self.descriptor = descriptor  # of the lock file; the lock stays ours even if the name is removed
        self.downtime_seconds = downtime_seconds  # how long nobody held the folder before
        self._now = now

    def touch(self) -> None:
        """Record that this process is alive."""
        seconds = self._now().timestamp()
        os.utime(self.descriptor, (seconds, seconds))


def utc_now() -> datetime:
    return datetime.now(UTC)


def make_data_folder(folder: Path) -> None:
    """Make the folder and its missing parents, readable by their owner alone, since it holds whole conversations. An
    existing folder stays as it is."""
    for missing in reversed([each for each in folder.parents if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def find_lock_holder(folder: Path) -> str:
    """Return the id of the process that holds the folder, or "?" if it is unknown; empty if none does."""
    path = folder / LOCK_FILE_NAME
    if not path.exists():
        return ""
    with path.open("r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read().strip() or "?"
    return ""


@contextmanager
def lock_data_folder(folder: Path, now: Callable[[], datetime] = utc_now) -> Iterator[HeldFolderLock]:
    """Hold the folder. Raise FolderInUse, which names the process, if another process holds it, ConfigError if the
    folder cannot be used. First finish or undo a restore that was interrupted there. `now` says when the holder was
    last alive, and how long nobody held the folder."""
    path = folder / LOCK_FILE_NAME
    try:
        make_data_folder(folder)
        opened = path.open("a+")
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error.strerror)) from None
    with opened as file:
        if not try_to_lock_file(file):
            raise FolderInUse(operators.FOLDER_IN_USE(folder=folder, process=find_lock_holder(folder)))
        restore_exchange.finish_or_undo_restore(folder)
        began = now().timestamp()
        last_alive = path.stat().st_mtime if path.stat().st_size else began
        try:
            os.truncate(file.fileno(), 0)
            os.write(file.fileno(), str(os.getpid()).encode())
        except OSError as error:  # a full disk
            raise ConfigError(operators.CANNOT_USE_DATA(path=path, reason=error.strerror)) from None
        held = HeldFolderLock(file.fileno(), max(0.0, began - last_alive), now)
        held.touch()
        yield held


@contextmanager
def lock_data_folder_without_trace(folder: Path) -> Iterator[None]:
    """Hold the folder as `lock_data_folder` does, without a trace. The file still tells when the bot was last alive."""
    path = folder / LOCK_FILE_NAME
    was = path.stat() if path.exists() else None
    text = path.read_text() if was else ""
    with lock_data_folder(folder) as held:
        try:
            yield
        finally:
            with suppress(OSError):  # a full disk does not undo what was done
                os.truncate(held.descriptor, 0)
                os.write(held.descriptor, text.encode())
                if was:
                    os.utime(held.descriptor, ns=(was.st_atime_ns, was.st_mtime_ns))


def try_to_lock_file(file: IO[str]) -> bool:
    """Take the lock. Return False if another process keeps it."""
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOCK_RETRY_SECONDS)
        else:
            return True
    return False


def seconds_since_holder_was_alive(folder: Path) -> float:
    """Return how many seconds ago the process that holds the folder last recorded that it is alive."""
    return max(0.0, time.time() - (folder / LOCK_FILE_NAME).stat().st_mtime)
