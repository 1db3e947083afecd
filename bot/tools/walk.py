"""Walking the workspace: the files below a folder whose paths fit a pattern, in an order that is always the same."""

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
MOST_NAMES = 50_000  # that are looked at


class FoundFile(NamedTuple):
    path: str  # from the workspace, as the other tools take it
    spot: Spot  # good until the next one is asked for


@dataclass(slots=True)
class FolderWalk:
    """Links are not followed: what they lead to is met where it lies, or is none of the workspace's business. Each
    folder is opened from the top, as every path is, so that one that is swapped for a link meanwhile leads nowhere."""

    workspace: Workspace
    seconds: float = WALK_SECONDS  # from now
    names: int = 0  # looked at
    unreadable: int = 0  # folders
    is_cut: bool = False  # there would have been more
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.until - time.monotonic())

    def files(self, folder: str, pattern: GlobPattern) -> Iterator[FoundFile]:
        """A folder's files before those of the folders in it, both by name. Raises OSError if it cannot be opened."""
        start = "" if folder.rstrip("/") in ("", ".") and not folder.startswith("/") else f"{folder.rstrip('/')}/"
        ahead = [("", pattern.start_positions)]
        while ahead and not self.is_cut:
            below, places = ahead.pop()
            try:
                folders = yield from self.files_of_folder(f"{start}{below}", places, pattern)
            except OSError:
                if not below:
                    raise
                self.unreadable += 1  # or gone, or swapped, since its name was read
                continue
            ahead += [(f"{below}{name}/", reached) for name, reached in reversed(folders)]

    def files_of_folder(
        self, path: str, places: PatternPositions, pattern: GlobPattern
    ) -> Generator[FoundFile, None, list[tuple[str, PatternPositions]]]:
        """The files of one folder; gives the folders in it where something may fit."""
        folders = []
        with self.workspace.list_entries(path or ".") as entries, self.workspace.open_folder(path or ".") as folder:
            for entry in entries:
                if self.names >= MOST_NAMES or not self.seconds_left:
                    self.is_cut = True
                    break
                self.names += 1
                if not (reached := pattern.positions_after(places, entry.name)):
                    continue
                with suppress(OSError):  # gone meanwhile: it is no folder, and no file
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((entry.name, reached))
                    elif entry.is_file(follow_symlinks=False) and pattern.is_match_complete(reached):
                        yield FoundFile(f"{path}{entry.name}", Spot(folder, entry.name))
        return folders

    @property
    def shortfalls(self) -> list[str]:
        """What was not looked at, in words."""
        told = []
        if self.is_cut and self.seconds_left:
            told.append(texts.WALK_OUT_OF_NAMES(names=MOST_NAMES))
        elif self.is_cut:
            told.append(texts.WALK_OUT_OF_TIME(seconds=self.seconds))
        if self.unreadable:
            told.append(texts.FOLDERS_NOT_OPENED(self.unreadable))
        return told
