"""Restore a back-up: unpack everything beside its place, check it, and only then exchange it for what is there.

The database and the workspace are always exchanged. The operator's files (the config, secrets, roles, groups)
are put only where there is nothing: existing files stay.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import IO

from bot import backup
from bot.backup import archive_reader, locations, texts
from bot.backup.archive_reader import ArchiveEntry, ArchiveReader
from bot.backup.creation import ProgressPrinter, Say
from bot.backup.manifest import Manifest
from bot.backup.staging import Stage
from bot.config import LoadedConfig, load
from bot.config.resolved_settings import resolve_settings
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.limits import Terms
from bot.journal import restore_settlement
from bot.store import folder_lock, restore_exchange, restored_database
from bot.store.restore_exchange import ASIDE_PREFIX, STAGE_PREFIX, RenamePair, RestoreExchange

DATABASE_FILE_SUFFIXES = ("", "-wal", "-shm")  # of the files of a database that is in use


@dataclass(frozen=True, slots=True)
class StagedConfig:
    """The config of the archive, in a file beside the place where a config is missing."""

    path: Path
    content: bytes

    def write(self) -> None:
        """Write the file, for its owner alone."""
        self.path.unlink(missing_ok=True)
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(self.content)


@dataclass(slots=True)
class Restore:
    """One restore. `loaded` has the paths that the data will have."""

    loaded: LoadedConfig
    reader: ArchiveReader
    say: Say
    is_data_only: bool
    is_settling_rows: bool
    staged_config: StagedConfig | None
    progress: ProgressPrinter
    stamp: str = ""
    stages: dict[str, Stage] = field(default_factory=dict)
    skip_reasons: dict[str, str] = field(default_factory=dict)  # by folder; said if the archive has such a folder
    kept_existing: dict[str, str] = field(default_factory=dict)  # what is not restored, with the reason
    chats_to_tell: int = 0
    put_aside_folders: list[str] = field(default_factory=list)  # they hold the former files

    @property
    def data_stage(self) -> Path:
        return self.loaded.config.data_dir / f"{STAGE_PREFIX}{self.stamp}"

    def prepare(self) -> None:
        """Choose what goes where, and record it before anything is unpacked."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        for folder in (data, workspace):
            refuse_another_user(folder)
        self.stamp = next_free_stamp(data, workspace)
        prefix, on_bytes = f"{STAGE_PREFIX}{self.stamp}", self.progress.add_bytes
        self.stages[backup.WORKSPACE] = Stage(workspace / prefix, on_bytes)
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
                self.stages[name] = Stage(folder.with_name(f"{prefix}-{name}"), on_bytes)
        workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = [self.data_stage, *(stage.folder for stage in self.stages.values())]
        of_config = [self.staged_config.path] if self.staged_config else []
        note = RestoreExchange(stages=[str(path) for path in (*staged, *of_config)])
        restore_exchange.write_restore_note(data, note)
        for folder in staged:
            folder.mkdir(mode=0o700, parents=True)
        if self.staged_config:
            self.staged_config.write()  # again: undoing an earlier restore has deleted it

    def unpack_entries(self, entries: Iterator[ArchiveEntry]) -> None:
        """Unpack everything beside its place. Raise ConfigError if there is no database."""
        database = Stage(self.data_stage, self.progress.add_bytes)
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
        """Note it if this machine's config stays and differs from the archive's."""
        content, path = entry.read_content(), self.loaded.path
        if path is None or self.staged_config or self.is_data_only:
            return
        if content != locations.config_without_secrets(path, self.loaded.config)[0]:
            self.kept_existing[backup.CONFIG] = texts.CONFIG_STAYS(path=path)

    def check_and_settle(self) -> None:
        """Check the unpacked database and settle it. Raise StoreDamaged if it does not match the manifest."""
        first, config = self.reader.manifest, self.loaded.config
        settle = partial(
            restore_settlement.settle_restored_database,
            made_at=first.creation_time,
            told=restored_database.restore_notices_told(config.data_dir / backup.DATABASE),
            terms=Terms(settings=config, resolved=resolve_settings(config), now=datetime.now(UTC)),
        )
        held, self.chats_to_tell = restored_database.admit_database(
            self.data_stage / backup.DATABASE, settle if self.is_settling_rows else lambda db: 0
        )
        if (held.messages, held.conversations) != (first.messages, first.conversations):
            raise StoreDamaged(texts.OTHER_DATABASE)
        conversations, messages = texts.CONVERSATIONS(held.conversations), texts.MESSAGES(held.messages)
        self.say(texts.CHECKED(conversations=conversations, messages=messages))

    def put_in_place(self) -> None:
        """Put the former files aside, and everything that is unpacked in its place."""
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
        restore_exchange.finish_restore(data)

    def pairs_to_put_aside(self) -> Iterator[RenamePair]:
        """Yield the renames of the former files. Raise ConfigError if one cannot be moved, before any rename."""
        data, workspace = self.loaded.config.data_dir, self.loaded.config.workspace
        aside = f"{ASIDE_PREFIX}{self.stamp}"
        if (data / backup.DATABASE).exists():
            files = [f"{backup.DATABASE}{suffix}" for suffix in DATABASE_FILE_SUFFIXES]
            yield from rename_pairs(data, data / aside, files)
        former = [name for name in sorted(os.listdir(workspace)) if not name.startswith((ASIDE_PREFIX, STAGE_PREFIX))]
        for path in (workspace / name for name in former):
            is_folder = path.is_dir() and not path.is_symlink()
            if is_folder and (os.path.ismount(path) or not os.access(path, os.W_OK)):
                raise ConfigError(texts.CANNOT_PUT_ASIDE(path=path))
        yield from rename_pairs(workspace, workspace / aside, former)


def next_free_stamp(*folders: Path) -> str:
    """Return the current time, with a number if the folders already have something put aside in this second."""
    moment = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    stamps = chain([moment], (f"{moment}-{number}" for number in count(2)))
    return next(each for each in stamps if not any((folder / f"{ASIDE_PREFIX}{each}").exists() for folder in folders))


def rename_pairs(here: Path, there: Path, names: list[str]) -> list[RenamePair]:
    return [(str(here / name), str(there / name)) for name in names]


def refuse_another_user(folder: Path) -> None:
    """Raise ConfigError if we are root and the folder is another user's: that user's bot could not read our files."""
    if os.geteuid() == 0 and folder.exists() and (owner := folder.stat().st_uid):
        raise ConfigError(texts.FOLDER_OF_ANOTHER_USER(folder=folder, uid=owner))


def restore_backup(
    path: Path | None,
    file: IO[bytes],
    say: Say,
    *,
    only_data: bool,
    is_settled: bool = True,
) -> None:
    """Restore a back-up. `path` is where the config is or will be.

    Without `is_settled`, take the rows as they are. That is right only if no bot has run since the back-up was made.
    Raise ConfigError or StoreDamaged if it cannot be restored; nothing is changed then. Raise OSError if something
    cannot be read or written.
    """
    with archive_reader.open_archive(file) as reader:
        say(describe_backup(reader.manifest))
        entries = reader.entries()
        with choose_settings(path, entries, only_data=only_data) as (loaded, staged_config, rest):
            with folder_lock.borrow_folder(loaded.config.data_dir):
                this = Restore(loaded, reader, say, only_data, is_settled, staged_config, ProgressPrinter(say))
                try:
                    this.prepare()
                    this.unpack_entries(rest)
                    this.check_and_settle()
                    this.put_in_place()
                except BaseException:
                    if not restore_exchange.finish_restore(loaded.config.data_dir):
                        raise  # else it was already complete: the interruption came too late
            report_restore(this)


def describe_backup(first: Manifest) -> str:
    moment = f"{first.creation_time.astimezone(UTC):%Y-%m-%d %H:%M}"
    return texts.BACKUP_OF(moment=moment, version=first.version[:40])


@contextmanager
def choose_settings(
    path: Path | None, entries: Iterator[ArchiveEntry], *, only_data: bool
) -> Iterator[tuple[LoadedConfig, StagedConfig | None, Iterator[ArchiveEntry]]]:
    """Yield the settings that say where things go, and the entries that are still to be read.

    They are this machine's settings. If its config is missing, they are the archive's, staged beside their place.
    """
    if path is None or os.path.lexists(path) or only_data:
        yield load(path), None, entries
        return
    entry = next(entries, None)
    if entry is None or entry.parts != (backup.CONFIG,):
        raise ConfigError(texts.NO_CONFIG(path=path))
    staged = StagedConfig(path.with_name(f"{STAGE_PREFIX}{path.name}"), entry.read_content())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged.write()
        yield replace(load(staged.path), path=path), staged, entries
    finally:
        staged.path.unlink(missing_ok=True)


def report_restore(this: Restore) -> None:
    """Tell the operator what was restored, what was not, and what happens next."""
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

    The folder gets its name when the whole back-up is read. Nothing is restored. Raise as `restore_backup` does; then
    there is no folder.
    """
    if os.path.lexists(folder):
        raise ConfigError(texts.UNPACK_INTO_NEW_FOLDER(folder=folder))
    draft = folder.with_name(f"{STAGE_PREFIX}{folder.name}")
    restore_exchange.remove_tree(draft)
    try:
        draft.mkdir(mode=0o700)
        with archive_reader.open_archive(file) as reader:
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
