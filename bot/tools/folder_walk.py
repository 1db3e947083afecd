"""Walk the workspace: find the files below a folder that match a pattern, always in the same order."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.tools import texts
from bot.tools.glob_patterns import FULLY_MATCHED, RemainingChoices, remaining_choices_after_name
from bot.tools.workspace import FileLocation, Workspace

WALK_SECONDS = 10.0
MAX_NAMES_WALKED = 50_000  # names that one walk looks at


class FoundFile(NamedTuple):
    path: str  # relative to the workspace, as the other tools take it
    location: FileLocation  # valid until the next file is asked for


@dataclass(slots=True)
class FolderWalk:
    """Walk folders without following links: a link's target is found at its own place, or is outside. Each folder is
    opened from the top, so a folder that is swapped for a link meanwhile does not lead the walk outside."""

    workspace: Workspace
    time_limit_seconds: float = WALK_SECONDS  # from now
    names_seen: int = 0  # how many were looked at
    folders_not_opened: int = 0  # folders that could not be opened
    is_incomplete: bool = False  # whether the walk stopped before its end
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        self.deadline = time.monotonic() + self.time_limit_seconds

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    def find_files(self, folder: str, pattern: RemainingChoices) -> Iterator[FoundFile]:
        """Yield a folder's files, then its subfolders' files, by name. Raise OSError if the folder cannot be opened."""
        start = "" if folder.rstrip("/") in ("", ".") and not folder.startswith("/") else f"{folder.rstrip('/')}/"
        ahead = [("", pattern)]
        while ahead and not self.is_incomplete:
            below, unmatched = ahead.pop()
            try:
                folders = yield from self.find_files_in_folder(f"{start}{below}", unmatched)
            except OSError:
                if not below:
                    raise
                self.folders_not_opened += 1  # or deleted or swapped since its name was read
                continue
            ahead += [(f"{below}{name}/", left) for name, left in reversed(folders)]

    def find_files_in_folder(
        self, path: str, unmatched: RemainingChoices
    ) -> Generator[FoundFile, None, list[tuple[str, RemainingChoices]]]:
        """Yield the matching files of one folder. Return the subfolders where something may match."""
        folders = []
        with self.workspace.list_entries(path or ".") as entries, self.workspace.open_folder(path or ".") as folder:
            for entry in entries:
                if self.names_seen >= MAX_NAMES_WALKED or not self.seconds_left:
                    self.is_incomplete = True
                    break
                self.names_seen += 1
                if not (left := remaining_choices_after_name(unmatched, entry.name)):
                    continue
                with suppress(OSError):  # deleted meanwhile
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((entry.name, left))
                    elif entry.is_file(follow_symlinks=False) and FULLY_MATCHED in left:
                        yield FoundFile(f"{path}{entry.name}", FileLocation(folder, entry.name))
        return folders

    @property
    def shortfall_notes(self) -> list[str]:
        """Say in words what was not looked at."""
        told = []
        if self.is_incomplete:
            out_of_time = texts.WALK_OUT_OF_TIME(seconds=self.time_limit_seconds)
            told.append(texts.WALK_OUT_OF_NAMES(names=MAX_NAMES_WALKED) if self.seconds_left else out_of_time)
        return [*told, texts.FOLDERS_NOT_OPENED(self.folders_not_opened)] if self.folders_not_opened else told
