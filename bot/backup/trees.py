"""What of a folder goes into a back-up: files, folders, and links that stay inside it."""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.store.exchange import ASIDE, STAGE

File = tuple[int, int]  # which file it is, by device and inode


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
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


def walk(folder: Path, name: str, without: Collection[File] = ()) -> Iterator[Found | LeftOut]:
    """All that is in a folder, in the order of the names; a folder comes before what is in it. Links are not followed.

    What a restore has put aside there, or is unpacking, is no part of it.
    """
    root = os.path.realpath(folder)
    if os.path.isdir(root):
        yield from below(root, root, name, without)


def below(root: str, folder: str, name: str, without: Collection[File]) -> Iterator[Found | LeftOut]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield LeftOut(name=name, why=f"it cannot be read ({error.strerror})")
        return
    for entry in found:
        if folder == root and entry.name.startswith((ASIDE, STAGE)):
            continue
        yield from of_entry(root, entry, f"{name}/{entry.name}", without)


def of_entry(root: str, entry: os.DirEntry[str], name: str, without: Collection[File]) -> Iterator[Found | LeftOut]:
    try:
        known = entry.stat(follow_symlinks=False)
        mode = known.st_mode
        if (known.st_dev, known.st_ino) in without:
            return
        target = os.readlink(entry.path) if stat.S_ISLNK(mode) else None
    except OSError as error:
        yield LeftOut(name=name, why=f"it cannot be read ({error.strerror})")
        return
    if target is not None:
        if stays(root, entry.path, target):
            yield Found(name=name, path=entry.path, target=target)
        else:
            yield LeftOut(name=name, why="it is a link that leads out of the folder")
    elif stat.S_ISDIR(mode):
        yield Found(name=name, path=entry.path, is_folder=True)
        yield from below(root, entry.path, name, without)
    elif stat.S_ISREG(mode):
        yield Found(name=name, path=entry.path)
    else:
        yield LeftOut(name=name, why=f"it is {kind_of(mode)}")


def stays(root: str, path: str, target: str) -> bool:
    """Whether a link leads to somewhere in its folder, be anything there or not."""
    led = os.path.realpath(os.path.join(os.path.dirname(path), target))
    return not os.path.isabs(target) and (led == root or led.startswith(f"{root}/"))


def kind_of(mode: int) -> str:
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return kinds.get(stat.S_IFMT(mode), "no file")
