"""Restore a back-up: unpack everything beside its final place, check it, and only then replace the existing files.

The database and the workspace are always replaced. The operator's files (the config, secrets, roles, groups) are
restored only if they are missing: existing files stay.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import IO

from bot import backup
from bot.backup import locations, texts
from bot.backup.archive_reader import ArchiveEntry, ArchiveReader, bad_entry_error, open_archive
from bot.backup.archive_writer import CHUNK_BYTES
from bot.backup.creation import PrintLine, ProgressPrinter
from bot.backup.folder_walk import is_link_inside_folder
from bot.backup.manifest import Manifest
from bot.config import LoadedConfig, load
from bot.config.resolved_settings import resolve_settings
from bot.core import durable_files
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.limits import DecisionTerms
from bot.journal import restore_settlement
from bot.store import folder_lock, restore_exchange, restored_database
from bot.store.database_copy import MIN_FREE_BYTES_AFTER_COPY
from bot.store.restore_exchange import REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX, RenamePair, RestoreExchange

DATABASE_FILE_SUFFIXES = ("", "-wal", "-shm")  # SQLite adds them to the names of a database's files


@dataclass(slots=True)
class StagingFolder:
    """A new folder in which a restore unpacks. Links are made last, so that nothing is ever written through a link."""

    folder: Path
    on_bytes_written: Callable[[int], None]  # called with the number of bytes of each write
    pending_links: list[ArchiveEntry] = field(default_factory=list)
    file_count: int = 0

    def unpack_entry(self, entry: ArchiveEntry, below: int = 1) -> None:
        """Add an entry, without the first `below` parts of its name. Raise ConfigError if the path exists already, its
        folder is missing or the disk has no room. Raise OSError if the entry cannot be written."""
        path = self.folder.joinpath(*entry.name_parts[below:])
        try:
            if entry.link_target is not None:
                self.pending_links.append(entry)
            elif entry.file is None:
                path.mkdir(mode=0o700)
            else:
                self.write_file(path, entry)
        except (FileExistsError, FileNotFoundError, NotADirectoryError):
            raise bad_entry_error(entry.name, texts.TWICE_OR_WITHOUT_FOLDER) from None

    def write_file(self, path: Path, entry: ArchiveEntry) -> None:
        assert entry.file
        free = shutil.disk_usage(self.folder).free
        if entry.size + MIN_FREE_BYTES_AFTER_COPY > free:
            size, spare, place = entry.size / 1e6, MIN_FREE_BYTES_AFTER_COPY / 1e6, self.folder.parent
            raise ConfigError(texts.NO_ROOM(folder=place, name=entry.name, size=size, spare=spare, free=free / 1e6))
        # A false length needs no check: the next header would be malformed.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, entry.mode), "wb") as file:
            while part := entry.file.read(CHUNK_BYTES):
                file.write(part)
                self.on_bytes_written(len(part))
        os.utime(path, (entry.modified_at, entry.modified_at))
        self.file_count += 1

    def make_links(self) -> None:
        """Make the links. Raise ConfigError if one leads out of the folder, directly or through other links."""
        root = os.path.realpath(self.folder)
        entries = self.pending_links
        links = [(each, self.folder.joinpath(*each.name_parts[1:]), each.link_target or "") for each in entries]
        for entry, path, target in links:
            try:
                os.symlink(target, path)
            except OSError:
                raise bad_entry_error(entry.name, texts.LINK_IMPOSSIBLE) from None
        for entry, path, target in links:  # only now that all exist: one may lead through another
            if not is_link_inside_folder(root, str(path), target):
                raise bad_entry_error(entry.name, texts.LINK_LEADS_OUT)


@dataclass(frozen=True, slots=True)
class StagedConfig:
    """The archive's config, in a file beside the path of the missing config."""

    path: Path
    content: bytes

    def write(self) -> None:
        self.path.unlink(missing_ok=True)
        durable_files.write_new_file(self.path, self.content, mode=durable_files.OWNER_ONLY_FILE_MODE)


@dataclass(slots=True)
class Restore:
    """One restore. `loaded` has the final paths of the data."""

    loaded: LoadedConfig
    reader: ArchiveReader
    print_line: PrintLine
    is_data_only: bool
    is_settling_rows: bool
    staged_config: StagedConfig | None
    on_bytes_written: Callable[[int], None]  # called with the number of bytes of each write
    time_stamp: str = ""
    staging_folders: dict[str, StagingFolder] = field(default_factory=dict)
    skip_reasons: dict[str, str] = field(default_factory=dict)  # by folder; printed if the archive has that folder
    reasons_for_keeping: dict[str, str] = field(default_factory=dict)  # what is not restored, with the reason
    chat_count_to_tell: int = 0
    put_aside_folders: list[str] = field(default_factory=list)  # the folders of the former files

    @property
    def data_staging_folder(self) -> Path:
        return self.loaded.config.data_dir / f"{STAGE_FOLDER_PREFIX}{self.time_stamp}"

    def make_staging_folders(self) -> None:
        """Choose a place for each part. Record the new folders before anything is unpacked."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        for folder in (data, workspace):
            # The bot of another user could not read the files that root writes.
            if os.geteuid() == 0 and folder.exists() and (owner := folder.stat().st_uid):
                raise ConfigError(texts.FOLDER_OF_ANOTHER_USER(folder=folder, uid=owner))
        self.time_stamp = make_unused_time_stamp(data, workspace)
        prefix = f"{STAGE_FOLDER_PREFIX}{self.time_stamp}"
        self.staging_folders[backup.WORKSPACE_FOLDER] = StagingFolder(workspace / prefix, self.on_bytes_written)
        outgoing = self.data_staging_folder / backup.OUTGOING_FOLDER
        self.staging_folders[backup.OUTGOING_FOLDER] = StagingFolder(outgoing, self.on_bytes_written)
        folders = {} if self.is_data_only else locations.operator_folders_by_name(self.loaded)
        if not self.is_data_only and (secrets := locations.secrets_folder(self.loaded)):
            folders[backup.SECRETS_FOLDER] = secrets
        for name, folder in folders.items():
            if not locations.is_folder_missing_or_empty(folder):
                self.skip_reasons[name] = texts.FOLDER_STAYS(folder=folder)
                continue
            parent = next(each for each in folder.parents if each.exists())
            if os.path.ismount(folder) or not os.access(parent, os.W_OK | os.X_OK):
                self.skip_reasons[name] = texts.FOLDER_CANNOT_BE_MADE(folder=folder)
            else:
                self.staging_folders[name] = StagingFolder(folder.with_name(f"{prefix}-{name}"), self.on_bytes_written)
        workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = [self.data_staging_folder, *(stage.folder for stage in self.staging_folders.values())]
        of_config = [self.staged_config.path] if self.staged_config else []
        note = RestoreExchange(stages=[str(path) for path in (*staged, *of_config)])
        restore_exchange.write_restore_note(data, note)
        for folder in staged:
            folder.mkdir(mode=0o700, parents=True)
        if self.staged_config:
            self.staged_config.write()  # again: undoing an interrupted restore may have deleted it

    def unpack_entries(self, entries: Iterator[ArchiveEntry]) -> None:
        """Unpack everything beside its final place. Raise ConfigError if there is no database."""
        database = StagingFolder(self.data_staging_folder, self.on_bytes_written)
        for entry in entries:
            if entry.name_parts == (backup.DATABASE_FILE,):
                database.unpack_entry(entry, below=0)
            elif entry.name_parts == (backup.CONFIG_FILE,):
                self.record_differing_config(entry)
            elif stage := self.staging_folders.get(entry.name_parts[0]):
                stage.unpack_entry(entry)
            elif why := self.skip_reasons.get(entry.name_parts[0]):
                self.reasons_for_keeping[entry.name_parts[0]] = why
        for stage in self.staging_folders.values():
            stage.make_links()
        if not database.file_count:
            raise ConfigError(texts.NO_DATABASE)

    def record_differing_config(self, entry: ArchiveEntry) -> None:
        """Record that this machine's config stays, if it differs from the archive's config."""
        content, path = entry.read_short_content(), self.loaded.path
        if path is None or self.staged_config or self.is_data_only:
            return
        if content != locations.config_and_removed_secret_keys(path, self.loaded.config)[0]:
            self.reasons_for_keeping[backup.CONFIG_FILE] = texts.CONFIG_STAYS(path=path)

    def check_and_settle_database(self) -> None:
        """Check the unpacked database and settle its rows. Raise StoreDamaged if the database is damaged or does not
        match the manifest, ConfigError if it is from a newer version."""
        first, config = self.reader.manifest, self.loaded.config
        settle = partial(
            restore_settlement.settle_restored_database,
            made_at=first.creation_time,
            told=restored_database.list_sent_restore_notice_ids(config.data_dir / backup.DATABASE_FILE),
            terms=DecisionTerms(settings=config, resolved_settings=resolve_settings(config), now=datetime.now(UTC)),
        )
        held, self.chat_count_to_tell = restore_settlement.check_and_settle_restored_copy(
            self.data_staging_folder / backup.DATABASE_FILE, settle if self.is_settling_rows else lambda db: 0
        )
        if (held.messages, held.conversations) != (first.messages, first.conversations):
            raise StoreDamaged(texts.OTHER_DATABASE)
        conversations, messages = texts.CONVERSATIONS(held.conversations), texts.MESSAGES(held.messages)
        self.print_line(texts.CHECKED(conversations=conversations, messages=messages))

    def replace_former_files(self) -> None:
        """Put the former files aside, and move everything unpacked to its final place."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        aside = list(self.rename_pairs_to_put_aside())
        self.put_aside_folders = sorted({str(Path(into).parent) for former, into in aside if os.path.lexists(former)})
        place = [(str(self.data_staging_folder / backup.DATABASE_FILE), str(data / backup.DATABASE_FILE))]
        secrets = locations.secrets_folder(self.loaded)
        final = {**locations.operator_folders_by_name(self.loaded), backup.SECRETS_FOLDER: secrets}
        final[backup.OUTGOING_FOLDER] = data / backup.OUTGOING_FOLDER
        for name, stage in self.staging_folders.items():
            if name == backup.WORKSPACE_FOLDER:
                place += make_rename_pairs(stage.folder, workspace, os.listdir(stage.folder))
            elif os.listdir(stage.folder):
                place.append((str(stage.folder), str(final[name])))
        if self.staged_config:
            place.append((str(self.staged_config.path), str(self.loaded.path)))
        stages = [str(self.data_staging_folder), *(str(stage.folder) for stage in self.staging_folders.values())]
        os.sync()  # the unpacked files must be on the disk before the note says that they are complete
        note = RestoreExchange(stages=stages, aside=aside, place=place, is_complete=True)
        restore_exchange.write_restore_note(data, note)
        restore_exchange.finish_or_undo_restore(data)

    def rename_pairs_to_put_aside(self) -> Iterator[RenamePair]:
        """Yield the renames of the former files, but rename nothing. Raise ConfigError if a file cannot be moved."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        aside = f"{REPLACED_DATA_PREFIX}{self.time_stamp}"
        if (data / backup.DATABASE_FILE).exists():
            files = [f"{backup.DATABASE_FILE}{suffix}" for suffix in DATABASE_FILE_SUFFIXES]
            yield from make_rename_pairs(data, data / aside, [*files, backup.OUTGOING_FOLDER])
        ours = (REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX)
        former = [name for name in sorted(os.listdir(workspace)) if not name.startswith(ours)]
        for path in (workspace / name for name in former):
            is_folder = path.is_dir() and not path.is_symlink()
            if is_folder and (os.path.ismount(path) or not os.access(path, os.W_OK)):
                raise ConfigError(texts.CANNOT_PUT_ASIDE(path=path))
        yield from make_rename_pairs(workspace, workspace / aside, former)


def make_unused_time_stamp(*folders: Path) -> str:
    """Return the current time as text. Add a number if a folder has files that were put aside in this second."""
    moment = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    stamps = chain([moment], (f"{moment}-{number}" for number in count(2)))
    return next(
        each for each in stamps if not any((folder / f"{REPLACED_DATA_PREFIX}{each}").exists() for folder in folders)
    )


def make_rename_pairs(here: Path, there: Path, names: list[str]) -> list[RenamePair]:
    return [(str(here / name), str(there / name)) for name in names]


def restore_backup(
    path: Path | None, file: IO[bytes], print_line: PrintLine, *, only_data: bool, is_settled: bool = True
) -> None:
    """Restore a back-up. `path` is the config's path, even if that file is missing. If `is_settled` is False, keep the
    rows as they are: that is right only if no bot has run since the back-up was made. Raise ConfigError or StoreDamaged
    if the back-up cannot be restored; nothing is changed then. Raise OSError if a file cannot be read or written."""
    with open_archive(file) as reader:
        print_line(describe_backup(reader.manifest))
        entries = reader.entries()
        with load_or_stage_config(path, entries, only_data=only_data) as (loaded, staged_config):
            with folder_lock.lock_data_folder_without_trace(loaded.config.data_dir):
                on_bytes = ProgressPrinter(print_line).count_bytes_and_print_progress_if_due
                this = Restore(loaded, reader, print_line, only_data, is_settled, staged_config, on_bytes)
                try:
                    this.make_staging_folders()
                    this.unpack_entries(entries)
                    this.check_and_settle_database()
                    this.replace_former_files()
                except BaseException:
                    if not restore_exchange.finish_or_undo_restore(loaded.config.data_dir):
                        raise  # otherwise the restore was already complete when the error came
            print_restore_outcome(this)


def describe_backup(first: Manifest) -> str:
    moment = f"{first.creation_time.astimezone(UTC):%Y-%m-%d %H:%M}"
    return texts.BACKUP_OF(moment=moment, version=first.version[:40])


@contextmanager
def load_or_stage_config(
    path: Path | None, entries: Iterator[ArchiveEntry], *, only_data: bool
) -> Iterator[tuple[LoadedConfig, StagedConfig | None]]:
    """Yield this machine's settings, which have the final paths, and None. If this machine's config is missing, yield
    the settings of the archive's config, and that config, staged beside its final place."""
    if path is None or os.path.lexists(path) or only_data:
        yield load(path), None
        return
    entry = next(entries, None)
    if entry is None or entry.name_parts != (backup.CONFIG_FILE,):
        raise ConfigError(texts.NO_CONFIG(path=path))
    staged = StagedConfig(path.with_name(f"{STAGE_FOLDER_PREFIX}{path.name}"), entry.read_short_content())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged.write()
        yield replace(load(staged.path), path=path), staged
    finally:
        staged.path.unlink(missing_ok=True)


def print_restore_outcome(this: Restore) -> None:
    first, config = this.reader.manifest, this.loaded.config
    this.print_line(texts.RESTORED(database=config.data_dir / backup.DATABASE_FILE, workspace=config.workspace))
    for line in this.reasons_for_keeping.values():
        this.print_line(line)
    if first.taken_out and this.staged_config:
        this.print_line(texts.SECRETS_NOT_IN_IT(keys=", ".join(first.taken_out)))
    for folder in this.put_aside_folders:
        this.print_line(texts.FORMER_KEPT(folder=folder))
    if not this.is_settling_rows:
        this.print_line(texts.NOTHING_UNKNOWN)
        return
    this.print_line(texts.CHATS_TOLD(this.chat_count_to_tell))
    this.print_line(texts.LOST_SINCE)


def unpack_operator_files_into_new_folder(file: IO[bytes], folder: Path, print_line: PrintLine) -> None:
    """Unpack the operator's files of a back-up (config, secrets, roles, groups) into a new folder, as plain files.
    Restore nothing. The folder gets its name only after the whole back-up was read. Raise the same errors as
    `restore_backup`; the new folder does not exist then."""
    if os.path.lexists(folder):
        raise ConfigError(texts.UNPACK_INTO_NEW_FOLDER(folder=folder))
    draft = folder.with_name(f"{STAGE_FOLDER_PREFIX}{folder.name}")
    restore_exchange.remove_tree(draft)
    try:
        draft.mkdir(mode=0o700)
        with open_archive(file) as reader:
            print_line(describe_backup(reader.manifest))
            stage = StagingFolder(draft, ProgressPrinter(print_line).count_bytes_and_print_progress_if_due)
            for name in (backup.SECRETS_FOLDER, backup.ROLES_FOLDER, backup.GROUPS_FOLDER):
                (draft / name).mkdir(mode=0o700)
            for entry in reader.entries():
                if entry.name_parts[0] in (backup.WORKSPACE_FOLDER, backup.OUTGOING_FOLDER, backup.DATABASE_FILE):
                    continue
                if entry.link_target is None:
                    stage.unpack_entry(entry, below=0)
                else:
                    print_line(texts.LINK_LEFT_OUT(name=entry.name))
        draft.rename(folder)
    finally:
        restore_exchange.remove_tree(draft)
