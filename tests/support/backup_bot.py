"""A bot's folder in a test, back-ups made and restored by the functions of the commands, and forged archives."""

import gzip
import io
import json
import os
import signal
import sqlite3
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.backup.creation import write_backup
from bot.backup.manifest import Manifest, encode_manifest_or_summary
from bot.backup.restore import restore_backup
from bot.config import load
from bot.store.connection import Connection
from bot.store.migrations import STEPS
from tests.support.empty_database import make_empty_database

CHANGING = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.symlink", "os.utime", "os.truncate", "open"}


def folder_of(place: Path, **settings: Any) -> Path:
    """Create an operator's folder with an empty database of this version. Return it."""
    for each in (place, place / "data", place / "workspace"):
        each.mkdir(mode=0o700)
    (place / "config.json").write_text(json.dumps(settings))
    database(place)
    return place


def database(place: Path, step: int = len(STEPS)) -> None:
    """Create the database with the tables as they were after `step` steps."""
    path = place / "data" / "bot.db"
    path.unlink(missing_ok=True)
    if step == len(STEPS):
        make_empty_database(path)
        return
    with closing(connection(path)) as db:
        db.executescript("PRAGMA journal_mode=WAL;")
        for each in STEPS[:step]:
            each(db)
        db.execute(f"PRAGMA user_version = {step}")


def connection(path: Path) -> Connection:
    db = sqlite3.connect(path, isolation_level=None, factory=Connection)
    db.row_factory = sqlite3.Row
    db.start_collecting_wake_ups()
    return db


def rows(place: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(place / "data" / "bot.db", isolation_level=None)) as db:
        return db.execute(sql, values).fetchall()


def write(place: Path, text: str, address: str = "fake:room") -> None:
    """Add the row of a message that was answered just now."""
    now = datetime.now(UTC).isoformat()
    rows(
        place,
        "INSERT INTO inbox (key, address, person, name, origin, kind, text, sent_at, kept_at, state)"
        " VALUES (?, ?, 'Ann', 'Ann', 'person', 'text', ?, ?, ?, 'done')",
        *(f"m:{text}", address, text, now, now),
    )


def words(place: Path) -> list[str]:
    """Return what people wrote, from the rows."""
    return [row[0] for row in rows(place, "SELECT text FROM inbox ORDER BY seq")]


def saved(
    place: Path, target: Path, *, with_secrets: bool = False, said: Callable[[str], object] = str, **more: int
) -> Path:
    """Write a back-up of a folder to `target`, and return `target`."""
    with target.open("wb") as file:
        loaded = load(place / "config.json", variables={})
        write_backup(loaded, file, said, "0.1.0", with_secrets=with_secrets, **more)
    return target


def brought_back(place: Path, source: Path, **options: bool) -> list[str]:
    """Restore a back-up into a folder. Return what was said."""
    said: list[str] = []
    with source.open("rb") as file:
        restore_backup(place / "config.json", file, said.append, **{"only_data": False, **options})
    return said


def contents(archive: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(archive) as tar:
        return {each.name: each for each in tar}


def taken(archive: Path, name: str) -> bytes:
    with tarfile.open(archive) as tar:
        file = tar.extractfile(name)
        assert file
        return file.read()


def manifest(**other: Any) -> bytes:
    fields: dict[str, Any] = {
        **{"version": "0.1.0", "made_at": datetime.now(UTC).isoformat(), "step": len(STEPS), "conversations": 0},
        **{"messages": 0, "newest": None, "database_bytes": 0, "taken_out": [], "has_secrets": False, **other},
    }
    return encode_manifest_or_summary(Manifest(**fields))


def packed(target: Path, *parts: tuple[str, Any]) -> Path:
    """Write an archive with these parts. Bytes are a file; a dict has the fields of a header without content."""
    with gzip.open(target, "wb") as file, tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, what in parts:
            header = tarfile.TarInfo(name)
            for field, value in what.items() if isinstance(what, dict) else {"size": len(what)}.items():
                setattr(header, field, value)
            if isinstance(what, dict):
                file.write(header.tobuf(tarfile.PAX_FORMAT))
            else:
                tar.addfile(header, io.BytesIO(what))
    return target


def apart(work: Callable[[], object]) -> int:
    """Do something in its own process. Return its status as os.waitpid does: 0 if all went well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Do something in its own process, and kill it before its `number`-th change of a file or folder. Return False if
    it ended before that."""
    seen = 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in CHANGING and (event != "open" or (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)):
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

    def watched() -> None:
        sys.addaudithook(watch)
        work()

    ended = apart(watched)
    assert ended in (0, signal.SIGKILL), ended
    return ended == signal.SIGKILL
