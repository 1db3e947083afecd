"""The folder with copies of the files that are on their way to a chat.

A copy is made before the transaction that posts its message. A row of the outbox names it from then on. A copy that no
row needs is removed: its message was shown, failed or was deleted, or the process died before the transaction."""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO

from bot.core import durable_files
from bot.core.secret_search import NO_SECRETS, SecretIndex
from bot.tools.workspace import file_version

COPY_CHUNK_BYTES = 1 << 20
MAX_PLANNING_SECONDS = 900.0  # from the copy of a file to the transaction that posts it


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCopy:
    name: str  # in the folder
    size: int  # bytes
    sha256: str
    secrets: frozenset[str] = frozenset()  # the settings whose secrets are in it; then it was not kept


@dataclass
class OutgoingFolder:
    path: Path
    now: Callable[[], float] = time.monotonic
    _planned: dict[str, float] = field(default_factory=dict)  # when each copy was begun that no row may name yet
    _lock: Lock = field(default_factory=Lock)  # calls are planned in several threads

    def free_bytes(self) -> int:
        """Return how much room the disk has."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return shutil.disk_usage(self.path).free

    def copy_in(self, file: IO[bytes], forbidden: SecretIndex = NO_SECRETS) -> FileCopy | None:
        """Copy an opened file; the copy is then on the disk. Return None if the file was changed meanwhile. Keep no
        copy of a file with one of these secrets in it."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        before, name = os.fstat(file.fileno()), secrets.token_hex(16)
        with self._lock:
            self._planned[name] = self.now()
        digest, size, search = hashlib.sha256(), 0, forbidden.search_bytes()
        with durable_files.open_for_atomic_write(self.path / name) as into:
            while size <= before.st_size and (chunk := file.read(COPY_CHUNK_BYTES)):
                into.write(chunk)
                digest.update(chunk)
                search.look_at(chunk)
                size += len(chunk)
        if search.found:
            (self.path / name).unlink()
            return FileCopy(name=name, size=size, sha256=digest.hexdigest(), secrets=frozenset(search.found))
        if size != before.st_size or file_version(os.fstat(file.fileno())) != file_version(before):
            (self.path / name).unlink()
            return None
        durable_files.fsync_folder(self.path)
        return FileCopy(name=name, size=size, sha256=digest.hexdigest())

    def forget_plans(self, posted: Collection[str]) -> None:
        """Note that rows name these copies: from now on the rows say whether they are needed."""
        with self._lock:
            for name in posted:
                self._planned.pop(name, None)

    def remove_all_except(self, needed: Collection[str]) -> None:
        """Remove the copies that are neither needed nor planned."""
        try:
            names = os.listdir(self.path)  # before the plans are read: a copy is planned before it is made
        except FileNotFoundError:
            return
        self.forget_plans(needed)
        kept = {*needed, *self.list_plans()}
        for name in names:
            if name.removesuffix(".part") not in kept:
                (self.path / name).unlink(missing_ok=True)

    def list_plans(self) -> list[str]:
        """Return the names of the copies that may still be posted. Forget those that are too old."""
        with self._lock:
            latest = self.now() - MAX_PLANNING_SECONDS
            self._planned = {name: at for name, at in self._planned.items() if at >= latest}
            return list(self._planned)
