"""Walk the workspace: find the files below a folder that match a pattern, always in the same order."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.tools import texts
from bot.tools.glob_patterns import FULL_MATCH, Unmatched, match_name
from bot.tools.workspace import Spot, Workspace

WALK_SECONDS = 10.0
MOST_NAMES = 50_000  # names that one walk looks at


class FoundFile(NamedTuple):
    path: str  # relative to the workspace, as the other tools take it
    spot: Spot  # valid until the next file is asked for


@dataclass(slots=True)
class FolderWalk:
    """Walk folders without following links: a link's target is found at its own place, or is outside. Each folder is
    opened from the top, so a folder that is swapped for a link meanwhile does not lead the walk outside."""

    workspace: Workspace
    seconds: float = WALK_SECONDS  # from now
    names: int = 0  # how many were looked at
    unreadable: int = 0  # folders that could not be opened
    is_cut: bool = False  # whether the walk stopped before its end
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.until - time.monotonic())

    def files(self, folder: str, pattern: Unmatched) -> Iterator[FoundFile]:
        """Yield a folder's files, then its subfolders' files, by name. Raise OSError if the folder cannot be opened."""
        start = "" if folder.rstrip("/") in ("", ".") and not folder.startswith("/") else f"{folder.rstrip('/')}/"
        ahead = [("", pattern)]
        while ahead and not self.is_cut:
            below, unmatched = ahead.pop()
            try:
                folders = yield from self.files_of_folder(f"{start}{below}", unmatched)
            except OSError:
                if not below:
                    raise
                self.unreadable += 1  # or deleted or swapped since its name was read
                continue
            ahead += [(f"{below}{name}/", left) for name, left in reversed(folders)]

    def files_of_folder(
        self, path: str, unmatched: Unmatched
    ) -> Generator[FoundFile, None, list[tuple[str, Unmatched]]]:
        """Yield the matching files of one folder. Return the subfolders where something may match."""
        folders = []
        with self.workspace.list_entries(path or ".") as entries, self.workspace.open_folder(path or ".") as folder:
            for entry in entries:
                if self.names >= MOST_NAMES or not self.seconds_left:
                    self.is_cut = True
                    break
                self.names += 1
                if not (left := match_name(unmatched, entry.name)):
                    continue
                with suppress(OSError):  # deleted meanwhile
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((entry.name, left))
                    elif entry.is_file(follow_symlinks=False) and FULL_MATCH in left:
                        yield FoundFile(f"{path}{entry.name}", Spot(folder, entry.name))
        return folders

    @property
    def shortfalls(self) -> list[str]:
        """Say in words what was not looked at."""
        told = []
        if self.is_cut:
            out_of_time = texts.WALK_OUT_OF_TIME(seconds=self.seconds)
            told.append(texts.WALK_OUT_OF_NAMES(names=MOST_NAMES) if self.seconds_left else out_of_time)
        return [*told, texts.FOLDERS_NOT_OPENED(self.unreadable)] if self.unreadable else told
