"""Find what goes into a back-up of a folder: files, folders, and links that lead to places inside it."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.backup import texts
from bot.store.restore_exchange import REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX

FileId = tuple[int, int]  # device and inode
SPECIAL_FILE_KINDS = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
MAX_PATH_BYTES = 3_500  # the system allows 4,096, but a restore may unpack into a folder with a longer path


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """A file, folder or link to back up. Its name in the archive begins with its folder: workspace/a/b."""

    archive_name: str
    path: str
    link_target: str | None = None
    is_folder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutEntry:
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def walk_backup_folder(folder: Path, name: str, without: FileId | None = None) -> Iterator[TreeEntry | LeftOutEntry]:
    """Yield everything in a folder, sorted by name, each folder before its content. Do not follow links. Skip the file
    `without`, the folders that a restore has put aside there, and the folders into which it unpacks."""
    root = os.path.realpath(folder)
    top = TreeEntry(archive_name=name, path=root, is_folder=True)
    ahead: list[tuple[str, os.DirEntry[str] | None]] = [(name, None)] if os.path.isdir(root) else []
    while ahead:  # a stack, since folders may be nested deeper than calls
        name, entry = ahead.pop()
        found = classify_entry(root, entry, name, without) if entry else top
        if found and entry:
            yield found
        if not (isinstance(found, TreeEntry) and found.is_folder):
            continue
        try:
            with os.scandir(found.path) as entries:
                inside = sorted(entries, key=lambda each: os.fsencode(each.name), reverse=True)
        except OSError as error:
            yield LeftOutEntry(name=name, reason=texts.UNREADABLE(error=error.strerror))
            continue
        ours = () if entry else (REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX)
        ahead += [(f"{name}/{each.name}", each) for each in inside if not each.name.startswith(ours)]


def classify_entry(
    root: str, entry: os.DirEntry[str], name: str, without: FileId | None
) -> TreeEntry | LeftOutEntry | None:
    """Return the entry for the archive, or why it is left out. Return None if it is the file `without`."""
    try:
        known = entry.stat(follow_symlinks=False)
        mode = known.st_mode
        if (known.st_dev, known.st_ino) == without:
            return None
        target = os.readlink(entry.path) if stat.S_ISLNK(mode) else None
    except OSError as error:
        return LeftOutEntry(name=name, reason=texts.UNREADABLE(error=error.strerror))
    if len(os.fsencode(name)) > MAX_PATH_BYTES:
        return LeftOutEntry(name=name, reason=texts.PATH_TOO_LONG)
    if target is not None:
        if is_link_inside_folder(root, entry.path, target):
            return TreeEntry(archive_name=name, path=entry.path, link_target=target)
        return LeftOutEntry(name=name, reason=texts.LEADS_OUT)
    if stat.S_ISDIR(mode):
        return TreeEntry(archive_name=name, path=entry.path, is_folder=True)
    if stat.S_ISREG(mode):
        return TreeEntry(archive_name=name, path=entry.path)
    return LeftOutEntry(name=name, reason=texts.KINDS[SPECIAL_FILE_KINDS.get(stat.S_IFMT(mode), "other")])


def is_link_inside_folder(root: str, path: str, target: str) -> bool:
    """Return True if a link's target is relative and leads to a place inside `root`, even if nothing exists there."""
    led = os.path.realpath(os.path.join(os.path.dirname(path), target))
    return not os.path.isabs(target) and (led == root or led.startswith(f"{root}/"))
