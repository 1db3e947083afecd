"""Walk the workspace: find the files below a folder that match a pattern, always in the same order."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.tools import texts
from bot.tools.glob_patterns import GlobPattern, PatternPositions
from bot.tools.workspace import Spot, Workspace

WALK_SECONDS = 10.0
MOST_NAMES = 50_000  # names that one walk looks at


class FoundFile(NamedTuple):
    path: str  # relative to the workspace, as the other tools take it
    spot: Spot  # valid until the next file is asked for


@dataclass(slots=True)
class FolderWalk:
    """Walk folders without following links. A link's target is either found at its own place or lies outside.

    Each folder is opened from the top, as every path is. So a folder that is swapped for a link meanwhile does not
    lead the walk outside.
    """

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

    def files(self, folder: str, pattern: GlobPattern) -> Iterator[FoundFile]:
        """Yield a folder's files, then those of its subfolders, both by name. Raise OSError if it cannot be opened."""
        start = "" if folder.rstrip("/") in ("", ".") and not folder.startswith("/") else f"{folder.rstrip('/')}/"
        ahead = [("", pattern.start_positions)]
        while ahead and not self.is_cut:
            below, places = ahead.pop()
            try:
                folders = yield from self.files_of_folder(f"{start}{below}", places, pattern)
            except OSError:
                if not below:
                    raise
                self.unreadable += 1  # or deleted or swapped since its name was read
                continue
            ahead += [(f"{below}{name}/", reached) for name, reached in reversed(folders)]

    def files_of_folder(
        self, path: str, places: PatternPositions, pattern: GlobPattern
    ) -> Generator[FoundFile, None, list[tuple[str, PatternPositions]]]:
        """Yield the matching files of one folder. Return the subfolders where something may match."""
        folders = []
        with self.workspace.list_entries(path or ".") as entries, self.workspace.open_folder(path or ".") as folder:
            for entry in entries:
                if self.names >= MOST_NAMES or not self.seconds_left:
                    self.is_cut = True
                    break
                self.names += 1
                if not (reached := pattern.positions_after(places, entry.name)):
                    continue
                with suppress(OSError):  # deleted meanwhile
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((entry.name, reached))
                    elif entry.is_file(follow_symlinks=False) and pattern.is_match_complete(reached):
                        yield FoundFile(f"{path}{entry.name}", Spot(folder, entry.name))
        return folders

    @property
    def shortfalls(self) -> list[str]:
        """Say in words what was not looked at."""
        told = []
        if self.is_cut and self.seconds_left:
            told.append(texts.WALK_OUT_OF_NAMES(names=MOST_NAMES))
        elif self.is_cut:
            told.append(texts.WALK_OUT_OF_TIME(seconds=self.seconds))
        if self.unreadable:
            told.append(texts.FOLDERS_NOT_OPENED(self.unreadable))
        return told
