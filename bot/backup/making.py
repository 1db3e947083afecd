"""Make a back-up: the database as of one moment, then the files, beside a bot that goes on."""

import os
import stat
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from bot import backup
from bot.backup import manifest, places, texts, trees
from bot.backup.manifest import End, Manifest
from bot.backup.writing import Archive, archive
from bot.config import Loaded
from bot.errors import ConfigError
from bot.store import exchange
from bot.store.copying import SPARE_BYTES, Contents, Copy, copied, no_database

Say = Callable[[str], object]
EVERY_SECONDS = 5.0


@dataclass(slots=True)
class Progress:
    """What is said of long work, now and then."""

    say: Say
    said_at: float = field(default_factory=time.monotonic)
    read: int = 0

    def copying(self, left: int, of: int) -> None:
        if self.is_time():
            self.say(texts.COPYING_PROGRESS(percent=100 * (of - left) // max(of, 1)))

    def passed(self, count: int) -> None:
        self.read += count
        if self.is_time():
            self.say(texts.PROGRESS(size=size(self.read)))

    def is_time(self) -> bool:
        now = time.monotonic()
        is_time = now - self.said_at >= EVERY_SECONDS
        if is_time:
            self.said_at = now
        return is_time


def size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def make(
    loaded: Loaded, file: IO[bytes], say: Say, version: str, *, with_secrets: bool, without: Collection[trees.File] = ()
) -> End:
    """Write all of it; `without` are files that are no part of it. Raises ConfigError or StoreDamaged, and OSError for
    what cannot be written."""
    progress = Progress(say)
    exchange.check_none(loaded.config.data_dir)
    path = loaded.config.data_dir / backup.DATABASE
    if not os.path.lexists(path):
        raise no_database(path)
    say(texts.COPYING(path=path))
    with copied(path, progress.copying) as copy:
        say(described(copy.contents))

        def passed(count: int) -> None:
            leave_room(file, path.parent)
            progress.passed(count)

        with archive(file, lambda entry: say(texts.LEFT_OUT(entry=entry)), passed) as into:
            put_beginning(into, loaded, copy, version, with_secrets=with_secrets)
            folders = {**places.operators_folders(loaded), backup.WORKSPACE: loaded.config.workspace}
            for name, folder in folders.items():
                put_folder(into, name, folder, without, say)
            return into.end()


def described(held: Contents) -> str:
    conversations, messages = texts.CONVERSATIONS(held.conversations), texts.MESSAGES(held.messages)
    if not held.newest:
        return texts.COPIED(conversations=conversations, messages=messages)
    newest = held.newest[:16].replace("T", " ")
    return texts.COPIED_WITH_NEWEST(conversations=conversations, messages=messages, newest=newest)


def leave_room(file: IO[bytes], data: Path) -> None:
    """Raises ConfigError where the archive fills the disk that the bot writes to: it would have to wait."""
    known = os.fstat(file.fileno())
    room = os.fstatvfs(file.fileno())
    free = room.f_bavail * room.f_frsize
    if stat.S_ISREG(known.st_mode) and known.st_dev == data.stat().st_dev and free < SPARE_BYTES:
        raise ConfigError(texts.DISK_NEARLY_FULL(free=size(free), folder=data))


def put_beginning(into: Archive, loaded: Loaded, copy: Copy, version: str, *, with_secrets: bool) -> None:
    """All but the folders."""
    text, taken = places.without_secrets(loaded.path, loaded.config) if loaded.path else (b"", [])
    first = Manifest(
        version=version,
        made_at=datetime.now(UTC).isoformat(),
        step=copy.contents.step,
        conversations=copy.contents.conversations,
        messages=copy.contents.messages,
        newest=copy.contents.newest,
        database_bytes=copy.size,
        taken_out=taken,
        has_secrets=with_secrets,
    )
    into.put(backup.MANIFEST, manifest.text(first))
    if loaded.path:
        into.put(backup.CONFIG, text)
    into.put_file(backup.DATABASE, copy.file, copy.size)
    if with_secrets:
        for key, value in places.secrets_in(loaded.config):
            into.put(f"{backup.SECRETS}/{'__'.join(key)}", value.encode())


def put_folder(into: Archive, name: str, folder: Path, without: Collection[trees.File], say: Say) -> None:
    files, length = into.files, into.length
    for found in trees.walk(folder, name, without):
        into.add(found)
    if folder.exists():
        put_in = texts.FILES(into.files - files)
        say(texts.FOLDER_PUT_IN(folder=name, files=put_in, size=size(into.length - length)))
