"""The search tools: find files by name, and lines by their content, in the workspace and nowhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

from bot.core.errors import ToolError
from bot.core.rights import Right
from bot.core.texts import escape_unprintable
from bot.core.turn import CallKind
from bot.tools import Effect, Tool, ToolContext, texts, tool
from bot.tools.folder_walk import WALK_SECONDS, FolderWalk, FoundFile
from bot.tools.glob_patterns import parse_glob
from bot.tools.line_matching import LineMatch, LineMatcher, SearchTimeout
from bot.tools.path_errors import LARGEST_FILE, explain_path_errors
from bot.tools.result_pages import show_page
from bot.tools.workspace import Spot, Workspace

NAMES = frozenset({"glob", "grep"})
MOST_FILES = 500  # on one page
MOST_MATCHES = 200
MOST_OFFSET = 10_000  # a search with more matches needs a narrower pattern
LONGEST_PATTERN = 1_000  # characters
LONGEST_LINE = 300  # characters that are shown
CHARACTERS_BEFORE = 100  # how many of them are before the match
EVERYTHING = "**"
BATCH_FILES = 128  # files open at one time; a process may often open only 1,024
BEGINNING_BYTES = 8_192  # a file with a null character among these is not text

Batch = dict[int, str]  # file descriptors and their paths


def search_tools(workspace: Path, *, matcher: LineMatcher | None = None, seconds: float = WALK_SECONDS) -> list[Tool]:
    """Return the tools for one workspace. They use ripgrep if it is installed."""
    finding = SearchTools(Workspace(workspace), matcher or LineMatcher(shutil.which("rg")), seconds)
    reads = tool(kind=CallKind.READ, effects={Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}, needs=Right.READ_FILES)
    return [reads(finding.glob), reads(finding.grep)]


class SearchTools:
    """The functions of the tools. Each runs in a thread, for at most `seconds`."""

    def __init__(self, workspace: Workspace, matcher: LineMatcher, seconds: float) -> None:
        self.workspace = workspace
        self.matcher = matcher
        self.seconds = seconds

    def glob(
        self,
        context: ToolContext,
        pattern: Annotated[str, "as *.md (in any folder), notes/**/*.txt or src/*.{js,ts}"],
        path: Annotated[str, "the folder to look in; the workspace if left out"] = ".",
        offset: Annotated[int, "the first file to show; 1 if left out"] = 1,
    ) -> str:
        """Find files of the workspace by a pattern for their paths. Use it when you know something of a file's name or
        kind, but not where it lies; for what stands in files use grep. Returns the paths, at most 500, and then how to
        read on. Hidden files and node_modules are left out unless the pattern or the path names them."""
        walk = FolderWalk(self.workspace, self.seconds)
        with explain_path_errors(self.workspace, path):
            lines = [f"{escape_unprintable(found.path)}\n" for found in self.list_files(walk, path, pattern)]
        if not lines:
            return append_notes("", [texts.NO_FILE_FITS, *walk.shortfalls, texts.NAMES_LEFT_OUT])
        return append_notes(show_page(lines, offset, MOST_FILES, "file", is_all=not walk.is_cut), walk.shortfalls)

    def grep(
        self,
        context: ToolContext,
        pattern: Annotated[str, "a regular expression, for one line"],
        path: Annotated[str, "a folder or file; the workspace if left out"] = ".",
        files: Annotated[str, "only files that fit this, as for glob"] = "",
        ignore_case: Annotated[bool, "whether a is A"] = False,
        offset: Annotated[int, "the first match to show; 1 if left out"] = 1,
    ) -> str:
        """Find lines in text files of the workspace by a regular expression. Use it to find where a word, name or
        number stands before you read; not for images and PDFs, which it does not search. Returns path:line: text, at
        most 200, and then how to read on; read_file shows what stands around. Leaves out what glob leaves out."""
        check_pattern(pattern)
        if not 1 <= offset <= MOST_OFFSET:
            raise ToolError(texts.OFFSET_TOO_LARGE(most=MOST_OFFSET))
        most = offset + MOST_MATCHES  # one more than a page shows, to know whether there are more
        search = FileSearch(FolderWalk(self.workspace, self.seconds), self.matcher)
        with (
            explain_path_errors(self.workspace, path),
            closing(self.list_candidates(search.walk, path, files or EVERYTHING)) as candidates,
            closing(search.search_lines(pattern, candidates, most, ignore_case=ignore_case)) as matches,
        ):
            found = [(escape_unprintable(where), match) for where, match in islice(matches, most)]
        lines = [f"{where}:{match.line}: {line_excerpt(match)}\n" for where, match in found]
        if search.is_over and not lines:
            raise ToolError(texts.SEARCH_FOUND_NOTHING_IN_TIME(seconds=search.walk.seconds))
        notes = [texts.SEARCH_OUT_OF_TIME(seconds=search.walk.seconds)] if search.is_over else []
        megabytes = LARGEST_FILE // 2**20
        skipped = [texts.FILES_LEFT_OUT[kind](count, megabytes=megabytes) for kind, count in search.skipped.items()]
        notes += [*search.walk.shortfalls, *skipped]
        if not lines:
            return append_notes("", [texts.NO_LINE_FITS(search.searched), *notes, texts.NAMES_LEFT_OUT])
        is_all = len(lines) < most and not search.is_over
        return append_notes(show_page(lines, offset, MOST_MATCHES, "match", is_all=is_all), notes)

    def list_files(self, walk: FolderWalk, path: str, pattern: str) -> Iterator[FoundFile]:
        """Return the files below `path` that match. Raise OSError if the path is not a folder."""
        if pattern.startswith("/"):  # a model that knows where the workspace is may write the whole path
            pattern = self.workspace.relative_path(pattern)
        return walk.files(self.workspace.relative_path(path), parse_glob(pattern))

    def list_candidates(self, walk: FolderWalk, path: str, files: str) -> Generator[FoundFile]:
        try:
            yield from self.list_files(walk, path, files)
        except NotADirectoryError:
            with self.workspace.spot_at(self.workspace.relative_path(path)) as spot:
                os.close(spot.open_for_reading())  # raise OSError if the named file is unreadable
                yield FoundFile(self.workspace.relative_path(path), spot)


@dataclass(slots=True)
class FileSearch:
    """A search of files in batches. It counts those that cannot be searched."""

    walk: FolderWalk
    matcher: LineMatcher
    searched: int = 0
    skipped: dict[str, int] = field(default_factory=dict)  # how many files of each kind were left out
    is_over: bool = False  # whether the time is over

    def search_lines(
        self, pattern: str, files: Iterable[FoundFile], most: int, *, ignore_case: bool
    ) -> Generator[tuple[str, LineMatch]]:
        """Yield paths with matches, at most `most` for each file. When the time is over, stop and set `is_over`."""
        with closing(self.open_batches(files)) as batches:
            for batch in batches:
                seconds = self.walk.seconds_left
                try:
                    with closing(self.matcher.matches(pattern, list(batch), most, seconds, ignore_case)) as matches:
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


def close_files(batch: Batch) -> None:
    for file in batch:
        os.close(file)
    batch.clear()


def check_pattern(pattern: str) -> None:
    """Raise ToolError for a pattern that no search can take, neither by ripgrep nor by Python."""
    if not pattern:
        raise ToolError(texts.PATTERN_IS_EMPTY)
    if len(pattern) > LONGEST_PATTERN:
        raise ToolError(texts.PATTERN_TOO_LONG(most=LONGEST_PATTERN))
    if "\n" in pattern or "\0" in pattern:
        raise ToolError(texts.PATTERN_OF_SEVERAL_LINES)
    try:
        pattern.encode()
    except UnicodeEncodeError:
        raise ToolError(texts.PATTERN_WITH_HALF_A_CHARACTER) from None


def append_notes(text: str, notes: list[str]) -> str:
    if not notes:
        return text
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}({'; '.join(notes)})"


def line_excerpt(match: LineMatch) -> str:
    """Return the line, or the part around the match if the line is long."""
    line = match.text.decode(errors="replace").rstrip()
    if len(line) <= LONGEST_LINE:
        return line
    start = max(0, len(match.text[: match.column - 1].decode(errors="replace")) - CHARACTERS_BEFORE)
    return f"{'…' * (start > 0)}{line[start : start + LONGEST_LINE]}{'…' * (start + LONGEST_LINE < len(line))}"
