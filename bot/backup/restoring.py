"""Restore a back-up: everything is unpacked beside its place and looked at, and only then exchanged for what is there.

The database and the workspace are always exchanged. What the operator has written (the config, secrets, roles, groups)
is put only where there is nothing: what is there stays.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import IO

from bot import backup
from bot.backup import counted, places, reading
from bot.backup.making import Progress, Say
from bot.backup.manifest import Manifest
from bot.backup.reading import Entry, Reader
from bot.backup.unpacking import Stage
from bot.config import Config, Loaded, load
from bot.errors import ConfigError, StoreDamaged
from bot.journal import restoring
from bot.limits import Settings, Terms
from bot.store import exchange, lock, restored
from bot.store.exchange import ASIDE, STAGE, Exchange, Pair

LITTER = ("", "-wal", "-shm")  # what a database consists of while it is in use


@dataclass(frozen=True, slots=True)
class StagedConfig:
    """A config that comes out of the archive, since there is none where one is to be."""

    path: Path
    content: bytes

    def write(self) -> None:
        self.path.unlink(missing_ok=True)
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(self.content)


@dataclass(slots=True)
class Restore:
    """One restore, from its beginning to its end. Paths are where things are to be."""

    loaded: Loaded
    reader: Reader
    say: Say
    only_data: bool
    is_settled: bool
    staged_config: StagedConfig | None
    progress: Progress
    stamp: str = ""
    stages: dict[str, Stage] = field(default_factory=dict)
    not_placed: dict[str, str] = field(default_factory=dict)  # why, if there is anything of it in the archive
    left: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Config:
        return self.loaded.config

    @property
    def data_stage(self) -> Path:
        return self.config.data_dir / f"{STAGE}{self.stamp}"

    def prepare(self) -> None:
        """Choose what goes where, and write it down before anything is unpacked."""
        self.stamp = unused_stamp(self.config)
        self.stages[backup.WORKSPACE] = Stage(self.config.workspace / f"{STAGE}{self.stamp}", self.progress.passed)
        folders = {} if self.only_data else places.operators_folders(self.loaded)
        if not self.only_data and (secrets := places.secrets_folder(self.loaded)):
            folders[backup.SECRETS] = secrets
        for name, folder in folders.items():
            if not places.is_empty(folder):
                self.not_placed[name] = f"{folder} is there, and stays as it is"
            elif os.path.ismount(folder) or not os.access(above(folder), os.W_OK | os.X_OK):
                self.not_placed[name] = f"{folder} cannot be made by this user"
            else:
                self.stages[name] = Stage(folder.with_name(f"{STAGE}{self.stamp}-{name}"), self.progress.passed)
        self.config.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = [str(stage.folder) for stage in self.stages.values()]
        of_config = [str(self.staged_config.path)] if self.staged_config else []
        exchange.note(self.config.data_dir, Exchange(stages=[str(self.data_stage), *staged, *of_config]))
        for stage in (self.data_stage, *(stage.folder for stage in self.stages.values())):
            stage.mkdir(mode=0o700, parents=True)
        if self.staged_config:
            self.staged_config.write()  # again: to undo an earlier restore has taken it away

    def unpack(self, entries: Iterator[Entry]) -> None:
        database = Stage(self.data_stage, self.progress.passed)
        for entry in entries:
            if entry.parts == (backup.DATABASE,):
                database.put(entry, below=0)
            elif entry.parts == (backup.CONFIG,):
                self.compare_config(entry)
            elif stage := self.stages.get(entry.parts[0]):
                stage.put(entry)
            elif why := self.not_placed.get(entry.parts[0]):
                self.left[entry.parts[0]] = why
        for stage in self.stages.values():
            stage.finish()
        if not database.files:
            raise ConfigError("there is no database in it")

    def compare_config(self, entry: Entry) -> None:
        content, path = entry.content(), self.loaded.path
        if path is None or self.staged_config or self.only_data:
            return
        if content != places.without_secrets(path, self.config)[0]:
            self.left[backup.CONFIG] = f"{path} differs from the one in it, and stays as it is"

    def admit(self, settings: Settings) -> int:
        """Check the database that was unpacked and settle it; gives how many chats are told."""
        path = self.data_stage / backup.DATABASE
        told = restored.told_before(self.config.data_dir / backup.DATABASE)
        terms = Terms(settings=settings, now=datetime.now(UTC))
        settle = partial(restoring.settle, made_at=self.reader.manifest.moment, told=told, terms=terms)
        held, chats = restored.admitted(path, settle if self.is_settled else lambda db: 0)
        first = self.reader.manifest
        if (held.messages, held.conversations) != (first.messages, first.conversations):
            raise StoreDamaged("the database in it is not the one that its manifest tells of")
        there = f"{counted(held.conversations, 'conversation')}, {counted(held.messages, 'message')}"
        self.say(f"checked: the database is whole; {there}")
        return chats

    def exchange(self) -> list[str]:
        """Exchange all of it; gives where the former things are."""
        data, workspace = self.config.data_dir, self.config.workspace
        aside = list(self.aside())
        place = [(str(self.data_stage / backup.DATABASE), str(data / backup.DATABASE))]
        for name, stage in self.stages.items():
            if name == backup.WORKSPACE:
                place += pairs(stage.folder, workspace, os.listdir(stage.folder))
            elif os.listdir(stage.folder):
                final = {**places.operators_folders(self.loaded), backup.SECRETS: places.secrets_folder(self.loaded)}
                place.append((str(stage.folder), str(final[name])))
        if self.staged_config:
            place.append((str(self.staged_config.path), str(self.loaded.path)))
        stages = [str(self.data_stage), *(str(stage.folder) for stage in self.stages.values())]
        os.sync()  # whatever was unpacked is on the disk before anything is said to be complete
        exchange.note(data, Exchange(stages=stages, aside=aside, place=place, is_complete=True))
        exchange.finish(data)
        return sorted({str(Path(path).parent) for _, path in aside if os.path.lexists(path)})

    def aside(self) -> Iterator[Pair]:
        data, workspace = self.config.data_dir, self.config.workspace
        if (data / backup.DATABASE).exists():
            yield from pairs(data, data / f"{ASIDE}{self.stamp}", [f"{backup.DATABASE}{part}" for part in LITTER])
        former = [name for name in sorted(os.listdir(workspace)) if not name.startswith((ASIDE, STAGE))]
        for name in former:
            refuse_immovable(workspace / name)
        yield from pairs(workspace, workspace / f"{ASIDE}{self.stamp}", former)


def unused_stamp(config: Config) -> str:
    """The moment, and where something was put aside in that second already, a number."""
    moment = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    stamps = chain([moment], (f"{moment}-{number}" for number in count(2)))
    folders = (config.data_dir, config.workspace)
    return next(each for each in stamps if not any((folder / f"{ASIDE}{each}").exists() for folder in folders))


def pairs(here: Path, there: Path, names: list[str]) -> list[Pair]:
    return [(str(here / name), str(there / name)) for name in names]


def above(folder: Path) -> Path:
    """The nearest folder above it that is there."""
    return next(each for each in folder.parents if each.exists())


def refuse_immovable(path: Path) -> None:
    """Raises ConfigError for what no rename would move: better before the first than in the middle."""
    is_folder = path.is_dir() and not path.is_symlink()
    if is_folder and (os.path.ismount(path) or not os.access(path, os.W_OK)):
        raise ConfigError(f"{path} cannot be put aside by this user; move it elsewhere, then restore once more")


def restore(
    path: Path | None,
    file: IO[bytes],
    say: Say,
    settings_of: Callable[[Config], Settings],
    *,
    only_data: bool,
    is_settled: bool = True,
) -> None:
    """Restore from a file that need not be one. `path` is where the config lies, or is to lie. Unless it `is_settled`,
    the rows are taken as they are: that is right where no bot has run since the back-up was made.

    Raises ConfigError or StoreDamaged, and then nothing was changed; and OSError for what cannot be read or written.
    """
    with reading.opened(file) as reader:
        say(described(reader.manifest))
        entries = reader.entries()
        with configured(path, entries, only_data=only_data) as (loaded, staged_config, rest):
            with lock.borrow(loaded.config.data_dir):
                this = Restore(loaded, reader, say, only_data, is_settled, staged_config, Progress(say))
                try:
                    this.prepare()
                    this.unpack(rest)
                    chats = this.admit(settings_of(loaded.config))
                    former = this.exchange()
                except BaseException:
                    exchange.finish(loaded.config.data_dir)  # undoes it, unless it was complete
                    raise
            tell(this, chats, former)


def described(first: Manifest) -> str:
    made = f"{first.moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"a back-up of {made}, made by Retinue {first.version[:40]}"


@contextmanager
def configured(
    path: Path | None, entries: Iterator[Entry], *, only_data: bool
) -> Iterator[tuple[Loaded, StagedConfig | None, Iterator[Entry]]]:
    """The settings that say where things go: those of this machine, or, where the config is missing, those in the
    archive, which are then staged beside its place; and the entries that are still to be read."""
    if path is None or os.path.lexists(path) or only_data:
        yield load(path), None, entries
        return
    entry = next(entries, None)
    if entry is None or entry.parts != (backup.CONFIG,):
        raise ConfigError(f"{path}: there is no such file, and none in the back-up either; write one first")
    staged = StagedConfig(path.with_name(f"{STAGE}{path.name}"), entry.content())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged.write()
        yield replace(load(staged.path), path=path), staged, entries
    finally:
        staged.path.unlink(missing_ok=True)


def tell(this: Restore, chats: int, former: list[str]) -> None:
    """What there is to know afterwards."""
    first = this.reader.manifest
    this.say(f"restored: {this.config.data_dir / backup.DATABASE}, and {this.config.workspace}")
    for what in this.left.values():
        this.say(f"left: {what}")
    if first.taken_out and this.staged_config:
        this.say(f"not in it: the secrets {', '.join(first.taken_out)}, which stood in config.json; set them again")
    for folder in former:
        this.say(f"what was there before is in {folder}; remove it when all is well")
    if not this.is_settled:
        this.say("nothing counts as unknown: no bot is said to have run since")
        return
    this.say(f"{chats} {'chat is' if chats == 1 else 'chats are'} told at the next start, once")
    this.say("what was spent since, and who was let in or sent away since, is not known any more")


def unpack(file: IO[bytes], folder: Path, say: Say) -> None:
    """Put the operator's part of a back-up (config, secrets, roles, groups) into a new folder, as plain files, once the
    whole of it was read; nothing is restored. Raises as `restore` does, and then the folder is not there."""
    draft = folder.with_name(f"{STAGE}{folder.name}")
    if os.path.lexists(folder):
        raise ConfigError(f"{folder} is there: name a folder that is not")
    exchange.remove(draft)
    try:
        draft.mkdir(mode=0o700)
        with reading.opened(file) as reader:
            say(described(reader.manifest))
            stage = Stage(draft, Progress(say).passed)
            for name in (backup.SECRETS, backup.ROLES, backup.GROUPS):
                (draft / name).mkdir(mode=0o700)
            for entry in reader.entries():
                if entry.parts[0] in (backup.WORKSPACE, backup.DATABASE):
                    continue
                if entry.target is None:
                    stage.put(entry, below=0)
                else:
                    say(f"left out: {entry.name}: it is a link")
        draft.rename(folder)
    finally:
        exchange.remove(draft)
