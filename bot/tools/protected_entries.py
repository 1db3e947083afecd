"""The files and folders with protected names in a workspace: read only for a program that runs there, and, if it makes
new ones, renamed when it has ended. No system can forbid a program to make a name, but only what it may change."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.core.errors import ToolError
from bot.tools import texts
from bot.tools.protected_names import is_protected_entry

MAX_ENTRIES = 200_000  # of a workspace; looking at them takes about a second
MAX_READ_ONLY_PATHS = 200  # of one run: each is a mount
SET_ASIDE_ENDING = ".set-aside"

Identity = tuple[int, int, str]  # device, inode, and where it leads if it is a link


@dataclass(frozen=True, slots=True)
class ProtectedEntries:
    """What a workspace had of protected names at one moment: paths relative to it, and what was there."""

    root: Path
    identity_by_path: Mapping[str, Identity]

    @classmethod
    def find(cls, root: Path) -> ProtectedEntries:
        """Walk the workspace, without following links. Raise ToolError if it is too large."""
        return cls(root, {path: identity_of(root / path) for path in iterate_protected_paths(root)})

    def list_read_only_paths(self) -> list[str]:
        """Return the paths that a program must not write: these, and where the links among them lead to in the
        workspace. Where there are too many, return the folders that contain them. Raise ToolError if even these are too
        many, or the workspace itself is one."""
        paths = {path for path, (_, _, target) in self.identity_by_path.items() if not target}
        paths |= {found for path in self.identity_by_path.keys() - paths if (found := self.path_behind_link(path))}
        while len(outermost := drop_paths_below_others(paths)) > MAX_READ_ONLY_PATHS:
            deepest = max(path.count("/") for path in outermost)
            if not deepest:
                raise ToolError(texts.TOO_MANY_PROTECTED_NAMES(most=MAX_READ_ONLY_PATHS))
            paths = {os.path.dirname(path) if path.count("/") == deepest else path for path in outermost}
        return sorted(outermost)

    def path_behind_link(self, path: str) -> str | None:
        """Return where a link leads, relative to the workspace; None if that is outside, missing, or all of it."""
        with suppress(OSError, RuntimeError):
            found, root = (self.root / path).resolve(strict=True), self.root.resolve()
            if found.is_relative_to(root) and found != root:
                return str(found.relative_to(root))
        return None

    def set_new_ones_aside(self) -> list[str]:
        """Rename what has a protected name now and had not before, so that nothing obeys it. Put back links that were
        replaced. Return the paths that were renamed."""
        known = frozenset(self.identity_by_path.values())
        renamed = []
        for path in list(iterate_protected_paths(self.root)):
            with suppress(OSError):
                if identity_of(self.root / path) not in known:
                    set_aside(self.root / path)
                    renamed.append(path)
        for path, (_, _, target) in self.identity_by_path.items():
            if target and not os.path.lexists(self.root / path):
                with suppress(OSError):
                    os.symlink(target, self.root / path)
        return sorted(renamed)


def iterate_protected_paths(root: Path) -> Iterator[str]:
    """Yield the paths with protected names, relative to the root, but none below another one."""
    count, waiting = 0, [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:  # removed meanwhile, or a folder that nobody may read
            continue
        count += len(found)
        if count > MAX_ENTRIES:
            raise ToolError(texts.WORKSPACE_TOO_LARGE(most=MAX_ENTRIES))
        above = os.path.basename(folder)
        for name, is_folder in found:
            path = os.path.join(folder, name)
            if is_protected_entry(above, name, is_folder=is_folder):
                yield path
            elif is_folder:
                waiting.append(path)


def identity_of(path: Path) -> Identity:
    found = path.lstat()
    return found.st_dev, found.st_ino, os.readlink(path) if stat.S_ISLNK(found.st_mode) else ""


def drop_paths_below_others(paths: set[str]) -> set[str]:
    return {path for path in paths if not any(str(above) in paths for above in Path(path).parents)}


def set_aside(path: Path) -> None:
    """Rename a file or folder to a name that nothing obeys and nobody has yet."""
    number = 0
    while True:
        number += 1
        place = path.with_name(f"{path.name}{SET_ASIDE_ENDING}{number if number > 1 else ''}")
        if not os.path.lexists(place):
            os.rename(path, place)
            return
