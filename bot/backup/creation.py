"""Make a back-up while the bot runs: first the database at one moment, then the files."""

import os
import shutil
import stat
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from bot import backup
from bot.backup import folder_walk, locations, manifest, texts
from bot.backup.archive_writer import ArchiveWriter, open_archive_writer
from bot.backup.manifest import ContentsSummary, Manifest
from bot.config import LoadedConfig
from bot.config.settings import iterate_keys_and_secrets
from bot.core.errors import ConfigError
from bot.store import database_copy, restore_exchange
from bot.store.database_copy import MIN_FREE_BYTES_AFTER_COPY, DatabaseCopy

PrintLine = Callable[[str], object]
PROGRESS_INTERVAL_SECONDS = 5.0


@dataclass(slots=True)
class ProgressPrinter:
    print_line: PrintLine
    printed_at: float = field(default_factory=time.monotonic)
    bytes_read: int = 0

    def print_database_copy_progress_if_due(self, left: int, of: int) -> None:
        if self.restart_interval_if_due():
            self.print_line(texts.COPYING_PROGRESS(percent=100 * (of - left) // max(of, 1)))

    def count_bytes_and_print_progress_if_due(self, count: int) -> None:
        self.bytes_read += count
        if self.restart_interval_if_due():
            self.print_line(texts.PROGRESS(size=format_bytes(self.bytes_read)))

    def restart_interval_if_due(self) -> bool:
        """Return True if it is time to print again. Then the next interval begins now."""
        now = time.monotonic()
        if now - self.printed_at < PROGRESS_INTERVAL_SECONDS:
            return False
        self.printed_at = now
        return True


def format_bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def write_backup(
    loaded: LoadedConfig,
    file: IO[bytes],
    print_line: PrintLine,
    version: str,
    *,
    with_secrets: bool,
    least_free_bytes: int = MIN_FREE_BYTES_AFTER_COPY,
) -> ContentsSummary:
    """Write the whole back-up into `file`, and return its summary. Leave out `file` itself. Raise ConfigError or
    StoreDamaged if there can be no back-up, or fewer than `least_free_bytes` would stay free on the bot's disk, OSError
    if the file cannot be written."""
    progress = ProgressPrinter(print_line)
    restore_exchange.refuse_unfinished_restore(loaded.config.data_dir)
    path = loaded.config.data_dir / backup.DATABASE_FILE
    if not os.path.lexists(path):
        raise database_copy.missing_database_error(path)
    print_line(texts.COPYING(path=path))
    with database_copy.make_temporary_database_copy(path, progress.print_database_copy_progress_if_due) as copy:
        held = copy.summary
        conversations, messages = texts.CONVERSATIONS(held.conversations), texts.MESSAGES(held.messages)
        if held.newest:
            newest = held.newest[:16].replace("T", " ")
            print_line(texts.COPIED_WITH_NEWEST(conversations=conversations, messages=messages, newest=newest))
        else:
            print_line(texts.COPIED(conversations=conversations, messages=messages))

        def on_bytes_read(count: int) -> None:
            require_free_disk_for_bot(file, path.parent, least_free_bytes)
            progress.count_bytes_and_print_progress_if_due(count)

        with open_archive_writer(file, lambda entry: print_line(texts.LEFT_OUT(entry=entry)), on_bytes_read) as into:
            write_manifest_database_and_settings(into, loaded, copy, version, with_secrets=with_secrets)
            known = os.fstat(file.fileno())
            itself = (known.st_dev, known.st_ino)
            folders = {
                backup.OUTGOING_FOLDER: path.parent / backup.OUTGOING_FOLDER,  # soon after the database that names them
                **locations.operator_folders_by_name(loaded),
                backup.WORKSPACE_FOLDER: loaded.config.workspace,
            }
            for name, folder in folders.items():
                files, length = into.file_count, into.bytes_written
                for found in folder_walk.walk_backup_folder(folder, name, itself):
                    into.add_tree_entry(found)
                if folder.exists():
                    put_in, size = texts.FILES(into.file_count - files), format_bytes(into.bytes_written - length)
                    print_line(texts.FOLDER_PUT_IN(folder=name, files=put_in, size=size))
            return into.write_contents_summary()


def require_free_disk_for_bot(file: IO[bytes], data: Path, least_free_bytes: int) -> None:
    """Raise ConfigError if the archive fills the disk of the data folder: the bot would have to wait for room."""
    known = os.fstat(file.fileno())
    free = shutil.disk_usage(file.fileno()).free
    if stat.S_ISREG(known.st_mode) and known.st_dev == data.stat().st_dev and free < least_free_bytes:
        raise ConfigError(texts.DISK_NEARLY_FULL(free=format_bytes(free), folder=data))


def write_manifest_database_and_settings(
    into: ArchiveWriter, loaded: LoadedConfig, copy: DatabaseCopy, version: str, *, with_secrets: bool
) -> None:
    text, taken = locations.config_and_removed_secret_keys(loaded.path, loaded.config) if loaded.path else (b"", [])
    first = Manifest(
        **asdict(copy.summary),
        version=version,
        made_at=datetime.now(UTC).isoformat(),
        database_bytes=copy.size_bytes,
        taken_out=taken,
        has_secrets=with_secrets,
    )
    into.add_content(backup.MANIFEST_FILE, manifest.encode_manifest_or_summary(first))
    if loaded.path:
        into.add_content(backup.CONFIG_FILE, text)
    into.add_open_file(backup.DATABASE_FILE, copy.file, copy.size_bytes)
    if with_secrets:
        for key, secret in iterate_keys_and_secrets(loaded.config):
            into.add_content(f"{backup.SECRETS_FOLDER}/{'__'.join(key)}", secret.get_secret_value().encode())
