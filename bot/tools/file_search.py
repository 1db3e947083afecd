"""Search files in batches, and count those that cannot be searched."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, field

from bot.tools import texts
from bot.tools.line_matching import Expression, LineMatch, LineMatcher, SearchTimeout
from bot.tools.path_errors import LARGEST_FILE
from bot.tools.walk import FolderWalk, FoundFile
from bot.tools.workspace import Spot

BATCH_FILES = 128  # files open at one time; a process may often open only 1,024
BEGINNING_BYTES = 8_192  # a file with a null character among these is not text

Batch = dict[int, str]  # file descriptors and their paths


@dataclass(slots=True)
class FileSearch:
    walk: FolderWalk
    matcher: LineMatcher
    searched: int = 0
    skipped: dict[str, int] = field(default_factory=dict)  # how many files of each kind were left out
    is_over: bool = False  # whether the time is over

    def search_lines(
        self, expression: Expression, files: Iterable[FoundFile], most: int
    ) -> Generator[tuple[str, LineMatch]]:
        """Yield paths with matches, at most `most` for each file.

        When the time is over, stop and set `is_over`.
        """
        with closing(self.open_batches(files)) as batches:
            for batch in batches:
                matches = self.matcher.matches(expression, list(batch), most, self.walk.seconds_left)
                try:
                    with closing(matches):
                        for match in matches:
                            yield batch[match.file], match
                except SearchTimeout:
                    self.is_over = True
                    return

    def open_batches(self, files: Iterable[FoundFile]) -> Generator[Batch]:
        batch: Batch = {}
        try:
            for found in files:
                if (file := self.open_text_file(found.spot)) is not None:
                    batch[file] = found.path
                if len(batch) == BATCH_FILES:
                    yield batch
                    close_files(batch)
            if batch:
                yield batch
        finally:
            close_files(batch)

    def open_text_file(self, spot: Spot) -> int | None:
        """Open the file and return its descriptor. Return None, and count it, if it cannot be searched."""
        try:
            file = spot.open_for_reading()
            if os.fstat(file).st_size > LARGEST_FILE:
                why = "too large"
            elif b"\0" in os.pread(file, BEGINNING_BYTES, 0):
                why = "not text"
            else:
                self.searched += 1
                return file
            os.close(file)
        except OSError:
            why = "unreadable"
        self.skipped[why] = self.skipped.get(why, 0) + 1
        return None

    @property
    def notes_on_skipped(self) -> list[str]:
        megabytes = LARGEST_FILE // 2**20
        return [texts.FILES_LEFT_OUT[kind](number, megabytes=megabytes) for kind, number in self.skipped.items()]


def close_files(batch: Batch) -> None:
    for file in batch:
        os.close(file)
    batch.clear()
