"""Back up a tenant into a file that belongs to the operator, whether the tenant runs or not.

The tenant's own `retinue backup -` writes to a pipe. Its output goes to a `….part` file beside the final path. The file
gets its final name when its end has been checked. A killed back-up leaves its `….part` file. A later back-up to the
same path, or `prune_backups`, deletes it.
"""

import math
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import Tell, texts
from bot.tenants.archives import ArchiveSummary, read_archive_summary
from bot.tenants.deployment import Deployment
from bot.tenants.long_commands import LongCommand
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
    path, number = shelf / f"{name}-{stamp}{SUFFIX}", 1
    while os.path.lexists(path):
        number += 1
        path = shelf / f"{name}-{stamp}-{number}{SUFFIX}"
    return path


def has_rows(deployment: Deployment) -> bool:
    """Return True if the tenant has a database, or if that is not known."""
    marks = deployment.ask_health().marks
    return marks is None or bool(marks.step)


def save_backup(deployment: Deployment, path: Path, *, with_secrets: bool = False) -> ArchiveSummary:
    """Write a back-up to `path` and return its summary. Raise ConfigError on failure; `path` then does not exist."""
    if os.path.lexists(path):
        raise ConfigError(texts.BACKUP_EXISTS(path=path))
    began = time.monotonic()
    deployment.tell(texts.BACKING_UP(name=deployment.tenant.name))
    try:
        with durable_files.open_part(path) as into:
            deployment.run_long_command("backup", *(["--with-secrets"] if with_secrets else []), "-", into=into)
            made = read_archive_summary(durable_files.part_path(path))  # raises if it is cut off or damaged
        durable_files.sync_folder(path.parent)
    except BlockingIOError:
        raise ConfigError(texts.BACKUP_BEING_WRITTEN(path=durable_files.part_path(path))) from None
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=path, error=error.strerror)) from None
    size = f"{made.bytes / 1e6:.1f} MB" if made.bytes >= 1e6 else f"{made.bytes / 1e3:.1f} kB"
    seconds = time.monotonic() - began
    deployment.tell(texts.BACKED_UP(path=path, size=size, seconds=seconds, contents=made.describe()))
    return made


def stream_backup(deployment: Deployment, into: IO[bytes], tell: Tell, *, with_secrets: bool = False) -> None:
    """Write a back-up into a pipe, without a file on the disk.

    Raise ConfigError on failure; the stream then lacks its end. There is no limit on silence: the reader may be slow,
    and nobody can tell how much has left a pipe.
    """
    command = deployment.command_for_bot("backup", *(["--with-secrets"] if with_secrets else []), "-")
    LongCommand(command, tell, into=into, silence_limit_seconds=math.inf).run()


def prune_backups(root: TenantsRoot, name: str, keep: int) -> list[Path]:
    """Delete all but the newest `keep` back-ups of the tenant, and abandoned part files. Return the deleted paths."""
    shelf = root.path / BACKUPS_FOLDER
    # The whole name is matched: names of tenant `acme-1` also begin with `acme-`.
    name_form = re.compile(rf"{re.escape(name)}-\d{{8}}-\d{{6}}(-\d+)?(\.tar\.gz)?(\.part)?", re.ASCII)
    its = [path for path in shelf.glob(f"{name}-*") if name_form.fullmatch(path.name)]
    there = sorted((path for path in its if path.name.endswith(SUFFIX)), key=lambda path: path.stem)
    parts = [path for path in its if path.name.endswith(PART_SUFFIX) and not durable_files.is_locked(path)]
    gone = [*there[: max(0, len(there) - keep)], *parts]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone
