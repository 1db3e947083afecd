"""Back up a tenant into a file that belongs to the operator, whether the tenant runs or not.

The tenant's own `retinue backup -` writes to a pipe. Its output goes to a `….part` file beside the final path. The file
gets its final name when its end has been checked. A killed back-up leaves its `….part` file. A later back-up to the
same path, or `prune_backups`, deletes it.
"""

import fcntl
import math
import os
import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import IO

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import archives, texts
from bot.tenants.archives import ArchiveSummary
from bot.tenants.deployment import Deployment
from bot.tenants.long_commands import LongCommand, Tell
from bot.tenants.root import TenantsRoot

BACKUPS_FOLDER = ".backups"  # in the root: no tenant's name begins with a dot
SUFFIX, PART_SUFFIX = ".tar.gz", ".part"


def next_backup_path(root: TenantsRoot, name: str, folder: str = BACKUPS_FOLDER) -> Path:
    """Return the path of the next back-up. Make its folder if it is missing, for the operator alone."""
    shelf = root.path / folder
    try:
        shelf.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ConfigError(texts.FOLDER_CANNOT_BE_MADE(folder=shelf, error=error.strerror)) from None
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = (f"{name}-{stamp}{number}{SUFFIX}" for number in chain([""], (f"-{each}" for each in count(2))))
    return next(shelf / each for each in names if not os.path.lexists(shelf / each))


def has_rows(deployment: Deployment) -> bool:
    """Return True if the tenant has a database, or if that is not known."""
    marks = deployment.ask_health().marks
    return marks is None or bool(marks.step)


def save_backup(deployment: Deployment, path: Path, *, with_secrets: bool = False) -> ArchiveSummary:
    """Write a back-up to `path` and return its summary. Raise ConfigError on failure; `path` then does not exist."""
    if os.path.lexists(path):
        raise ConfigError(texts.BACKUP_EXISTS(path=path))
    part, began = path.with_name(path.name + PART_SUFFIX), time.monotonic()
    deployment.tell(texts.BACKING_UP(name=deployment.tenant.name))
    try:
        if has_live_writer(part):
            raise ConfigError(texts.BACKUP_BEING_WRITTEN(path=part))
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as into:
            fcntl.flock(into, fcntl.LOCK_EX)
            deployment.run_long_command("backup", *(["--with-secrets"] if with_secrets else []), "-", into=into)
            os.fsync(into.fileno())
        archives.read_archive_summary(part)  # raises if the end is missing or the checksum is wrong
        part.rename(path)
        durable_files.sync_folder(path.parent)
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=path, error=error.strerror)) from None
    finally:
        with suppress(OSError):
            if not has_live_writer(part):
                part.unlink(missing_ok=True)
    made = archives.read_archive_summary(path)
    seconds = time.monotonic() - began
    deployment.tell(
        texts.BACKED_UP(path=path, size=format_archive_size(made.bytes), seconds=seconds, contents=made.describe())
    )
    return made


def stream_backup(deployment: Deployment, into: IO[bytes], tell: Tell, *, with_secrets: bool = False) -> None:
    """Write a back-up into a pipe, without a file on the disk.

    Raise ConfigError on failure; the stream then lacks its end. There is no limit on silence: the reader may be slow,
    and nobody can tell how much has left a pipe.
    """
    command = deployment.command_for_bot("backup", *(["--with-secrets"] if with_secrets else []), "-")
    LongCommand(command, tell, into=into, silence_limit_seconds=math.inf).run()


def format_archive_size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


def prune_backups(root: TenantsRoot, name: str, keep: int) -> list[Path]:
    """Delete all but the newest `keep` back-ups of the tenant, and abandoned part files. Return the deleted paths."""
    shelf = root.path / BACKUPS_FOLDER
    there = sorted(
        (path for path in shelf.glob(f"{name}-*{SUFFIX}") if is_backup_of(path, name)), key=lambda path: path.stem
    )
    parts = (
        each for each in shelf.glob(f"{name}-*{PART_SUFFIX}") if is_backup_of(each, name) and not has_live_writer(each)
    )
    gone = [*there[: max(0, len(there) - keep)], *parts]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def has_live_writer(part: Path) -> bool:
    """Return True if a live command holds the lock on `part`. A killed command holds no lock."""
    try:
        with part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def is_backup_of(path: Path, name: str) -> bool:
    """Return True if the back-up is of tenant `name`. Names of `acme-1` also begin with `acme-`."""
    stamp = path.name.removeprefix(f"{name}-").removesuffix(PART_SUFFIX).removesuffix(SUFFIX)
    return re.fullmatch(r"\d{8}-\d{6}(-\d+)?", stamp, re.ASCII) is not None
