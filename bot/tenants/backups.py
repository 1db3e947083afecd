"""Back up a tenant into a file that belongs to the operator, whether the tenant runs or not. Summarize back-ups.

The tenant's own `retinue backup -` writes into a `….part` file. The file gets its final name after its end has been
checked. A killed back-up leaves the part file. A later back-up to the same path, or `prune_backups`, deletes it.
"""

import gzip
import json
import math
import os
import re
import time
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.deployment import Deployment
from bot.tenants.programs import run_long_command
from bot.tenants.root import TenantsRoot

BACKUPS_FOLDER = ".backups"  # in the root: no tenant's name begins with a dot
BACKUP_SUFFIX, UNFINISHED_BACKUP_SUFFIX = ".tar.gz", ".part"
TAR_BLOCK_BYTES = 512  # bytes, of a tar archive
READ_CHUNK_BYTES = 1 << 20
FIRST_MEMBER_HEADER, LAST_MEMBER_HEADER = b"manifest.json\0", b"contents.json\0"  # how the two headers begin
MAX_DESCRIPTION_ENTRY_BYTES = 1_000_000  # for each of these two members
KEPT_ARCHIVE_TAIL_BYTES = MAX_DESCRIPTION_ENTRY_BYTES + 64 * TAR_BLOCK_BYTES  # the last member, and the zeros after it
MAX_SUMMARY_TEXT_CHARACTERS = 40  # of each text that is read from a back-up


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSummary:
    file_bytes: int
    retinue_version: str
    made_at: str  # ISO 8601, UTC
    last_migration_step: int  # of the database
    conversation_count: int
    message_count: int
    newest_message_at: str  # when the newest message was stored; empty: there is no message
    file_count: int
    left_out_entry_count: int

    def describe(self) -> str:
        """Return the contents in words, as "2 conversations, 30 messages, 4 files"."""
        newest = [texts.NEWEST(moment=self.newest_message_at[:16].replace("T", " "))] if self.newest_message_at else []
        left_out = [texts.LEFT_OUT(count=self.left_out_entry_count)] if self.left_out_entry_count else []
        held = [texts.CONVERSATIONS(self.conversation_count), texts.MESSAGES(self.message_count), *newest]
        return ", ".join([*held, texts.FILES(self.file_count), *left_out])


def prepare_backup_path(root: TenantsRoot, name: str, folder: str = BACKUPS_FOLDER) -> Path:
    """Return an unused path for the next back-up. Make its folder if it is missing, for the operator alone."""
    shelf = root.path / folder
    try:
        shelf.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ConfigError(texts.FOLDER_CANNOT_BE_MADE(folder=shelf, error=error.strerror)) from None
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    path, number = shelf / f"{name}-{stamp}{BACKUP_SUFFIX}", 1
    while os.path.lexists(path):
        number += 1
        path = shelf / f"{name}-{stamp}-{number}{BACKUP_SUFFIX}"
    return path


def may_have_data(deployment: Deployment) -> bool:
    """Return True if the tenant has a database, or if the bot cannot tell. Raise ConfigError if it does not answer."""
    marks = deployment.ask_health().row_marks
    return marks is None or bool(marks.step)


def save_backup(deployment: Deployment, path: Path, *, with_secrets: bool = False) -> BackupSummary:
    """Write a back-up to `path` and return its summary. Raise ConfigError on failure, or if `path` exists."""
    if os.path.lexists(path):
        raise ConfigError(texts.BACKUP_EXISTS(path=path))
    began = time.monotonic()
    deployment.tell(texts.BACKING_UP(name=deployment.tenant.name))
    try:
        with durable_files.open_for_atomic_write(path) as into:
            deployment.run_retinue("backup", *(["--with-secrets"] if with_secrets else []), "-", into=into)
            made = read_backup_summary(durable_files.partial_file_path(path))  # raises if it is cut off or damaged
        durable_files.fsync_folder(path.parent)
    except BlockingIOError:
        raise ConfigError(texts.BACKUP_BEING_WRITTEN(path=durable_files.partial_file_path(path))) from None
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=path, error=error.strerror)) from None
    size = f"{made.file_bytes / 1e6:.1f} MB" if made.file_bytes >= 1e6 else f"{made.file_bytes / 1e3:.1f} kB"
    seconds = time.monotonic() - began
    deployment.tell(texts.BACKED_UP(path=path, size=size, seconds=seconds, contents=made.describe()))
    return made


def stream_backup(deployment: Deployment, into: IO[bytes], *, with_secrets: bool = False) -> None:
    """Write a back-up into a pipe. Raise ConfigError on failure; the stream then lacks its end."""
    command = deployment.retinue_command("backup", *(["--with-secrets"] if with_secrets else []), "-")
    # There is no limit on silence: the reader may be slow, and nobody can tell how much has left a pipe.
    run_long_command(command, deployment.tell, into=into, silence_limit_seconds=math.inf)


def prune_backups(root: TenantsRoot, name: str, keep: int) -> list[Path]:
    """Delete all but the newest `keep` back-ups of the tenant, and abandoned part files. Return the deleted paths."""
    shelf = root.path / BACKUPS_FOLDER
    # Match the whole name: the back-ups of tenant `acme-1` also begin with `acme-`.
    name_form = re.compile(rf"{re.escape(name)}-(\d{{8}}-\d{{6}})(?:-(\d+))?(?:\.tar\.gz)?(?:\.part)?", re.ASCII)
    found = {path: match for path in shelf.glob(f"{name}-*") if (match := name_form.fullmatch(path.name))}
    its = sorted(found, key=lambda path: (found[path][1], int(found[path][2] or 1)))  # the oldest first
    there = [path for path in its if path.name.endswith(BACKUP_SUFFIX)]
    parts = [path for path in its if path.name.endswith(UNFINISHED_BACKUP_SUFFIX)]
    gone = [*there[: max(0, len(there) - keep)], *(path for path in parts if not durable_files.is_file_locked(path))]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def read_backup_summary(path: Path) -> BackupSummary:
    """Return the summary of a back-up. Raise ConfigError if the file is not a whole back-up: a tenant wrote it."""
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as packed:
            first, last = read_manifest_and_contents(packed)
            size = raw.tell()
        if first["format"] != "retinue back-up":
            raise ValueError
        shown = {"retinue_version": first["version"], "made_at": first["made_at"], "newest_message_at": first["newest"]}
        return BackupSummary(
            **{key: str(value or "")[:MAX_SUMMARY_TEXT_CHARACTERS] for key, value in shown.items()},
            file_bytes=size,
            last_migration_step=int(first["step"]),
            conversation_count=int(first["conversations"]),
            message_count=int(first["messages"]),
            file_count=int(last["files"]),
            left_out_entry_count=int(last["left_out_in_all"]),
        )
    except (gzip.BadGzipFile, zlib.error):
        raise ConfigError(texts.BACKUP_DAMAGED(path=path)) from None
    except EOFError:
        raise ConfigError(texts.BACKUP_CUT_OFF(path=path)) from None
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(path=path, error=error.strerror)) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ConfigError(texts.NO_WHOLE_BACKUP(path=path)) from None


def read_manifest_and_contents(packed: gzip.GzipFile) -> tuple[Any, Any]:
    """Return the first and the last member as JSON. Decompress all between them, so that gzip checks its checksum."""
    beginning = packed.read(MAX_DESCRIPTION_ENTRY_BYTES + 2 * TAR_BLOCK_BYTES)
    tail = beginning
    while part := packed.read(READ_CHUNK_BYTES):
        tail = (tail + part)[-KEPT_ARCHIVE_TAIL_BYTES:]
    header = tail.rfind(LAST_MEMBER_HEADER)
    if header < 0 or not beginning.startswith(FIRST_MEMBER_HEADER):
        raise ValueError
    return parse_first_tar_member_json(beginning), parse_first_tar_member_json(tail[header:])


def parse_first_tar_member_json(tar: bytes) -> Any:
    """Return the JSON in the member that `tar` begins with. Raise ValueError if it is too long or malformed."""
    size = int(tar[124:136].rstrip(b"\0 "), 8)  # a tar header holds the size here, in octal digits
    if size > MAX_DESCRIPTION_ENTRY_BYTES:
        raise ValueError
    return json.loads(tar[TAR_BLOCK_BYTES : TAR_BLOCK_BYTES + size])
