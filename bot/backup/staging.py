"""Unpack an archive beside its place. No link is followed there, and nothing is overwritten."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bot.backup import texts
from bot.backup.archive_reader import ArchiveEntry, bad_archive_error
from bot.backup.archive_writer import CHUNK
from bot.backup.folder_walk import is_inside_folder
from bot.core.errors import ConfigError
from bot.store.database_copy import SPARE_BYTES


@dataclass(slots=True)
class Stage:
    """A new folder. Links are made last, so that nothing is ever written through one."""

    folder: Path
    on_bytes: Callable[[int], None]  # called with the number of bytes of each write
    links: list[ArchiveEntry] = field(default_factory=list)
    files: int = 0

    def put_entry(self, entry: ArchiveEntry, below: int = 1) -> None:
        """Add an entry, without the first `below` parts of its name.

        Raise ConfigError if the entry cannot stand there or the disk has no room, OSError if it cannot be written.
        """
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
        """Write a file, with its mode and time."""
        assert entry.file
        free = shutil.disk_usage(self.folder).free
        if entry.size + SPARE_BYTES > free:
            size, spare, place = entry.size / 1e6, SPARE_BYTES / 1e6, self.folder.parent
            raise ConfigError(texts.NO_ROOM(folder=place, name=entry.name, size=size, spare=spare, free=free / 1e6))
        # A false length needs no check: the next header would be malformed.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, entry.mode), "wb") as file:
            while part := entry.file.read(CHUNK):
                file.write(part)
                self.on_bytes(len(part))
        os.utime(path, (entry.changed_at, entry.changed_at))
        self.files += 1

    def make_links(self, below: int = 1) -> None:
        """Make the links. Raise ConfigError if one leads out, directly or through other links."""
        root = os.path.realpath(self.folder)
        made = []
        for entry in self.links:
            path = self.folder.joinpath(*entry.parts[below:])
            try:
                os.symlink(entry.target or "", path)
            except OSError:
                raise bad_archive_error(entry.name, texts.LINK_IMPOSSIBLE) from None
            made.append((entry, path))
        for entry, path in made:  # when all exist: each may lead through another
            if not is_inside_folder(root, str(path), entry.target or ""):
                raise bad_archive_error(entry.name, texts.LINK_LEADS_OUT)
