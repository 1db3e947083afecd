"""Find what goes into a back-up of a folder: files, folders, and links that stay inside it."""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.backup import texts
from bot.store.restore_exchange import ASIDE_PREFIX, STAGE_PREFIX

FileId = tuple[int, int]  # which file it is, by device and inode
MAX_PATH_BYTES = 3_500  # bytes, of 4,096 that the system takes: it is unpacked in a folder of another name, elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One entry that goes in. Paths in the archive have their folder's name first: workspace/a/b."""

    name: str
    path: str
    target: str | None = None  # of a link
    is_folder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


def walk_backup_folder(folder: Path, name: str, without: Collection[FileId] = ()) -> Iterator[TreeEntry | LeftOut]:
    """Yield everything in a folder, ordered by name; a folder comes before its content. Links are not followed.

    Skip what a restore has put aside there or is unpacking.
    """
    root = os.path.realpath(folder)
    ahead: list[tuple[str, os.DirEntry[str] | None]] = [(name, None)] if os.path.isdir(root) else []
    while ahead:  # what is next is last; folders may be deeper than calls can be
        name, entry = ahead.pop()
        found = classify_entry(root, entry, name, without) if entry else TreeEntry(name=name, path=root, is_folder=True)
        if found and entry:
            yield found
        if not (isinstance(found, TreeEntry) and found.is_folder):
            continue
        try:
            with os.scandir(found.path) as entries:
                inside = sorted(entries, key=lambda each: os.fsencode(each.name), reverse=True)
        except OSError as error:
            yield LeftOut(name=name, why=texts.UNREADABLE(error=error.strerror))
            continue
        ahead += [
            (f"{name}/{each.name}", each)
            for each in inside
            if entry or not each.name.startswith((ASIDE_PREFIX, STAGE_PREFIX))
        ]


def classify_entry(
    root: str, entry: os.DirEntry[str], name: str, without: Collection[FileId]
) -> TreeEntry | LeftOut | None:
    try:
        known = entry.stat(follow_symlinks=False)
        mode = known.st_mode
        if (known.st_dev, known.st_ino) in without:
            return None
        target = os.readlink(entry.path) if stat.S_ISLNK(mode) else None
    except OSError as error:
        return LeftOut(name=name, why=texts.UNREADABLE(error=error.strerror))
    if len(os.fsencode(name)) > MAX_PATH_BYTES:
        return LeftOut(name=name, why=texts.PATH_TOO_LONG)
    if target is not None:
        if is_inside_folder(root, entry.path, target):
            return TreeEntry(name=name, path=entry.path, target=target)
        return LeftOut(name=name, why=texts.LEADS_OUT)
    if stat.S_ISDIR(mode):
        return TreeEntry(name=name, path=entry.path, is_folder=True)
    if stat.S_ISREG(mode):
        return TreeEntry(name=name, path=entry.path)
    return LeftOut(name=name, why=texts.KINDS[describe_file_kind(mode)])


def is_inside_folder(root: str, path: str, target: str) -> bool:
    """Return True if a link leads to a place inside its folder, even if nothing exists there."""
    led = os.path.realpath(os.path.join(os.path.dirname(path), target))
    return not os.path.isabs(target) and (led == root or led.startswith(f"{root}/"))


def describe_file_kind(mode: int) -> str:
    kinds = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
    return kinds.get(stat.S_IFMT(mode), "other")
