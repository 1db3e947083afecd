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
from bot.backup.archive_reader import ArchiveEntry, ArchiveReader, bad_archive_error, open_archive
from bot.backup.archive_writer import CHUNK
from bot.backup.creation import ProgressPrinter, Say
from bot.backup.folder_walk import is_inside_folder
from bot.backup.manifest import Manifest
from bot.config import LoadedConfig, load
from bot.config.resolved_settings import resolve_settings
from bot.core import durable_files
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.limits import Terms
from bot.journal import restore_settlement
from bot.store import folder_lock, restore_exchange, restored_database
from bot.store.database_copy import MIN_FREE_BYTES_AFTER_COPY
from bot.store.restore_exchange import REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX, RenamePair, RestoreExchange

DATABASE_FILE_SUFFIXES = ("", "-wal", "-shm")  # SQLite adds them to the names of a database's files


@dataclass(slots=True)
class Stage:
    """A new folder in which a restore unpacks. Links are made last, so that nothing is ever written through a link."""

    folder: Path
    on_bytes: Callable[[int], None]  # called with the number of bytes of each write
    links: list[ArchiveEntry] = field(default_factory=list)
    files: int = 0

    def put_entry(self, entry: ArchiveEntry, below: int = 1) -> None:
        """Add an entry, without the first `below` parts of its name. Raise ConfigError if the path exists already, its
        folder is missing or the disk has no room. Raise OSError if the entry cannot be written."""
        path = self.folder.joinpath(*entry.parts[below:])
        try:
            if entry.target is not None:
                self.links.append(entry)
            elif entry.file is None:
                path.mkdir(mode=0o700)
            else:
                self.write(path, entry)
        except (FileExistsError, FileNotFoundError, NotADirectoryError):
            raise bad_archive_error(entry.name, texts.TWICE_OR_WITHOUT_FOLDER) from None

    def write(self, path: Path, entry: ArchiveEntry) -> None:
        assert entry.file
        free = shutil.disk_usage(self.folder).free
        if entry.size + MIN_FREE_BYTES_AFTER_COPY > free:
            size, spare, place = entry.size / 1e6, MIN_FREE_BYTES_AFTER_COPY / 1e6, self.folder.parent
            raise ConfigError(texts.NO_ROOM(folder=place, name=entry.name, size=size, spare=spare, free=free / 1e6))
        # A false length needs no check: the next header would be malformed.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, entry.mode), "wb") as file:
            while part := entry.file.read(CHUNK):
                file.write(part)
                self.on_bytes(len(part))
        os.utime(path, (entry.changed_at, entry.changed_at))
        self.files += 1

    def make_links(self) -> None:
        """Make the links. Raise ConfigError if one leads out of the folder, directly or through other links."""
        root = os.path.realpath(self.folder)
        links = [(entry, self.folder.joinpath(*entry.parts[1:]), entry.target or "") for entry in self.links]
        for entry, path, target in links:
            try:
                os.symlink(target, path)
            except OSError:
                raise bad_archive_error(entry.name, texts.LINK_IMPOSSIBLE) from None
        for entry, path, target in links:  # only now that all exist: one may lead through another
            if not is_inside_folder(root, str(path), target):
                raise bad_archive_error(entry.name, texts.LINK_LEADS_OUT)


@dataclass(frozen=True, slots=True)
class StagedConfig:
    """The archive's config, in a file beside the path of the missing config."""

    path: Path
    content: bytes

    def write(self) -> None:
        self.path.unlink(missing_ok=True)
        durable_files.write_new_file(self.path, self.content, mode=durable_files.PRIVATE_MODE)


@dataclass(slots=True)
class Restore:
    """One restore. `loaded` has the final paths of the data."""

    loaded: LoadedConfig
    reader: ArchiveReader
    say: Say
    is_data_only: bool
    is_settling_rows: bool
    staged_config: StagedConfig | None
    on_bytes: Callable[[int], None]  # called with the number of bytes of each write
    stamp: str = ""
    stages: dict[str, Stage] = field(default_factory=dict)
    skip_reasons: dict[str, str] = field(default_factory=dict)  # by folder; printed if the archive has that folder
    kept_existing: dict[str, str] = field(default_factory=dict)  # what is not restored, with the reason
    chats_to_tell: int = 0
    put_aside_folders: list[str] = field(default_factory=list)  # the folders of the former files

    @property
    def data_stage(self) -> Path:
        return self.loaded.config.data_dir / f"{STAGE_FOLDER_PREFIX}{self.stamp}"

    def prepare(self) -> None:
        """Choose a place for each part. Record the new folders before anything is unpacked."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        for folder in (data, workspace):
            # The bot of another user could not read the files that root writes.
            if os.geteuid() == 0 and folder.exists() and (owner := folder.stat().st_uid):
                raise ConfigError(texts.FOLDER_OF_ANOTHER_USER(folder=folder, uid=owner))
        self.stamp = next_free_stamp(data, workspace)
        prefix = f"{STAGE_FOLDER_PREFIX}{self.stamp}"
        self.stages[backup.WORKSPACE] = Stage(workspace / prefix, self.on_bytes)
        folders = {} if self.is_data_only else locations.operator_folders(self.loaded)
        if not self.is_data_only and (secrets := locations.secrets_folder(self.loaded)):
            folders[backup.SECRETS] = secrets
        for name, folder in folders.items():
            if not locations.is_missing_or_empty(folder):
                self.skip_reasons[name] = texts.FOLDER_STAYS(folder=folder)
                continue
            parent = next(each for each in folder.parents if each.exists())
            if os.path.ismount(folder) or not os.access(parent, os.W_OK | os.X_OK):
                self.skip_reasons[name] = texts.FOLDER_CANNOT_BE_MADE(folder=folder)
            else:
                self.stages[name] = Stage(folder.with_name(f"{prefix}-{name}"), self.on_bytes)
        workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = [self.data_stage, *(stage.folder for stage in self.stages.values())]
        of_config = [self.staged_config.path] if self.staged_config else []
        note = RestoreExchange(stages=[str(path) for path in (*staged, *of_config)])
        restore_exchange.write_restore_note(data, note)
        for folder in staged:
            folder.mkdir(mode=0o700, parents=True)
        if self.staged_config:
            self.staged_config.write()  # again: undoing an interrupted restore may have deleted it

    def unpack_entries(self, entries: Iterator[ArchiveEntry]) -> None:
        """Unpack everything beside its final place. Raise ConfigError if there is no database."""
        database = Stage(self.data_stage, self.on_bytes)
        for entry in entries:
            if entry.parts == (backup.DATABASE,):
                database.put_entry(entry, below=0)
            elif entry.parts == (backup.CONFIG,):
                self.compare_config(entry)
            elif stage := self.stages.get(entry.parts[0]):
                stage.put_entry(entry)
            elif why := self.skip_reasons.get(entry.parts[0]):
                self.kept_existing[entry.parts[0]] = why
        for stage in self.stages.values():
            stage.make_links()
        if not database.files:
            raise ConfigError(texts.NO_DATABASE)

    def compare_config(self, entry: ArchiveEntry) -> None:
        """Record that this machine's config stays, if it differs from the archive's config."""
        content, path = entry.read_content(), self.loaded.path
        if path is None or self.staged_config or self.is_data_only:
            return
        if content != locations.config_without_secrets(path, self.loaded.config)[0]:
            self.kept_existing[backup.CONFIG] = texts.CONFIG_STAYS(path=path)

    def check_and_settle(self) -> None:
        """Check the unpacked database and settle its rows. Raise StoreDamaged if the database is damaged or does not
        match the manifest, ConfigError if it is from a newer version."""
        first, config = self.reader.manifest, self.loaded.config
        settle = partial(
            restore_settlement.settle_restored_database,
            made_at=first.creation_time,
            told=restored_database.list_sent_restore_notice_ids(config.data_dir / backup.DATABASE),
            terms=Terms(settings=config, resolved=resolve_settings(config), now=datetime.now(UTC)),
        )
        held, self.chats_to_tell = restore_settlement.check_and_settle_restored_copy(
            self.data_stage / backup.DATABASE, settle if self.is_settling_rows else lambda db: 0
        )
        if (held.messages, held.conversations) != (first.messages, first.conversations):
            raise StoreDamaged(texts.OTHER_DATABASE)
        conversations, messages = texts.CONVERSATIONS(held.conversations), texts.MESSAGES(held.messages)
        self.say(texts.CHECKED(conversations=conversations, messages=messages))

    def put_in_place(self) -> None:
        """Put the former files aside, and move everything unpacked to its final place."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        aside = list(self.pairs_to_put_aside())
        self.put_aside_folders = sorted({str(Path(into).parent) for former, into in aside if os.path.lexists(former)})
        place = [(str(self.data_stage / backup.DATABASE), str(data / backup.DATABASE))]
        final = {**locations.operator_folders(self.loaded), backup.SECRETS: locations.secrets_folder(self.loaded)}
        for name, stage in self.stages.items():
            if name == backup.WORKSPACE:
                place += rename_pairs(stage.folder, workspace, os.listdir(stage.folder))
            elif os.listdir(stage.folder):
                place.append((str(stage.folder), str(final[name])))
        if self.staged_config:
            place.append((str(self.staged_config.path), str(self.loaded.path)))
        stages = [str(self.data_stage), *(str(stage.folder) for stage in self.stages.values())]
        os.sync()  # the unpacked files must be on the disk before the note says that they are complete
        note = RestoreExchange(stages=stages, aside=aside, place=place, is_complete=True)
        restore_exchange.write_restore_note(data, note)
        restore_exchange.finish_or_undo_restore(data)

    def pairs_to_put_aside(self) -> Iterator[RenamePair]:
        """Yield the renames of the former files, but rename nothing. Raise ConfigError if a file cannot be moved."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        aside = f"{REPLACED_DATA_PREFIX}{self.stamp}"
        if (data / backup.DATABASE).exists():
            files = [f"{backup.DATABASE}{suffix}" for suffix in DATABASE_FILE_SUFFIXES]
            yield from rename_pairs(data, data / aside, files)
        former = [
            name
            for name in sorted(os.listdir(workspace))
            if not name.startswith((REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX))
        ]
        for path in (workspace / name for name in former):
            is_folder = path.is_dir() and not path.is_symlink()
            if is_folder and (os.path.ismount(path) or not os.access(path, os.W_OK)):
                raise ConfigError(texts.CANNOT_PUT_ASIDE(path=path))
        yield from rename_pairs(workspace, workspace / aside, former)


def next_free_stamp(*folders: Path) -> str:
    """Return the current time as text. Add a number if a folder has files that were put aside in this second."""
    moment = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    stamps = chain([moment], (f"{moment}-{number}" for number in count(2)))
    return next(
        each for each in stamps if not any((folder / f"{REPLACED_DATA_PREFIX}{each}").exists() for folder in folders)
    )


def rename_pairs(here: Path, there: Path, names: list[str]) -> list[RenamePair]:
    return [(str(here / name), str(there / name)) for name in names]


def restore_backup(path: Path | None, file: IO[bytes], say: Say, *, only_data: bool, is_settled: bool = True) -> None:
    """Restore a back-up. `path` is the config's path, even if that file is missing. If `is_settled` is False, keep the
    rows as they are: that is right only if no bot has run since the back-up was made. Raise ConfigError or StoreDamaged
    if the back-up cannot be restored; nothing is changed then. Raise OSError if a file cannot be read or written."""
    with open_archive(file) as reader:
        say(describe_backup(reader.manifest))
        entries = reader.entries()
        with choose_settings(path, entries, only_data=only_data) as (loaded, staged_config):
            with folder_lock.lock_data_folder_without_trace(loaded.config.data_dir):
                this = Restore(
                    loaded, reader, say, only_data, is_settled, staged_config, ProgressPrinter(say).add_bytes
                )
                try:
                    this.prepare()
                    this.unpack_entries(entries)
                    this.check_and_settle()
                    this.put_in_place()
                except BaseException:
                    if not restore_exchange.finish_or_undo_restore(loaded.config.data_dir):
                        raise  # otherwise the restore was already complete when the error came
            report_restore(this)


def describe_backup(first: Manifest) -> str:
    moment = f"{first.creation_time.astimezone(UTC):%Y-%m-%d %H:%M}"
    return texts.BACKUP_OF(moment=moment, version=first.version[:40])


@contextmanager
def choose_settings(
    path: Path | None, entries: Iterator[ArchiveEntry], *, only_data: bool
) -> Iterator[tuple[LoadedConfig, StagedConfig | None]]:
    """Yield this machine's settings, which have the final paths, and None. If this machine's config is missing, yield
    the settings of the archive's config, and that config, staged beside its final place."""
    if path is None or os.path.lexists(path) or only_data:
        yield load(path), None
        return
    entry = next(entries, None)
    if entry is None or entry.parts != (backup.CONFIG,):
        raise ConfigError(texts.NO_CONFIG(path=path))
    staged = StagedConfig(path.with_name(f"{STAGE_FOLDER_PREFIX}{path.name}"), entry.read_content())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged.write()
        yield replace(load(staged.path), path=path), staged
    finally:
        staged.path.unlink(missing_ok=True)


def report_restore(this: Restore) -> None:
    first, config = this.reader.manifest, this.loaded.config
    this.say(texts.RESTORED(database=config.data_dir / backup.DATABASE, workspace=config.workspace))
    for line in this.kept_existing.values():
        this.say(line)
    if first.taken_out and this.staged_config:
        this.say(texts.SECRETS_NOT_IN_IT(keys=", ".join(first.taken_out)))
    for folder in this.put_aside_folders:
        this.say(texts.FORMER_KEPT(folder=folder))
    if not this.is_settling_rows:
        this.say(texts.NOTHING_UNKNOWN)
        return
    this.say(texts.CHATS_TOLD(this.chats_to_tell))
    this.say(texts.LOST_SINCE)


def unpack_operator_files(file: IO[bytes], folder: Path, say: Say) -> None:
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
            say(describe_backup(reader.manifest))
            stage = Stage(draft, ProgressPrinter(say).add_bytes)
            for name in (backup.SECRETS, backup.ROLES, backup.GROUPS):
                (draft / name).mkdir(mode=0o700)
            for entry in reader.entries():
                if entry.parts[0] in (backup.WORKSPACE, backup.DATABASE):
                    continue
                if entry.target is None:
                    stage.put_entry(entry, below=0)
                else:
                    say(texts.LINK_LEFT_OUT(name=entry.name))
        draft.rename(folder)
    finally:
        restore_exchange.remove_tree(draft)
