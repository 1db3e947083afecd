"""The search tools: find files by name, and lines by their content, in the workspace and nowhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

from bot.core.acts import Effect
from bot.core.errors import ToolError
from bot.core.rights import Right
from bot.core.texts import escape_unprintable
from bot.core.turn import CallKind
from bot.tools import Tool, ToolContext, texts, tool
from bot.tools.folder_walk import WALK_SECONDS, FolderWalk, FoundFile
from bot.tools.glob_patterns import parse_glob
from bot.tools.line_matching import LineMatch, LineMatcher, SearchTimeout
from bot.tools.path_errors import MAX_FILE_BYTES, explain_path_errors
from bot.tools.result_pages import make_result_page
from bot.tools.workspace import FileLocation, Workspace

SEARCH_TOOL_NAMES = frozenset({"glob", "grep"})
MAX_FILES_ON_PAGE = 500  # on one page
MAX_MATCHES_ON_PAGE = 200
LARGEST_MATCH_OFFSET = 10_000  # a search with more matches needs a narrower pattern
MAX_PATTERN_CHARACTERS = 1_000  # characters
MAX_EXCERPT_CHARACTERS = 300  # characters that are shown
CHARACTERS_BEFORE_MATCH = 100  # how many of them are before the match
MATCH_EVERYTHING_GLOB = "**"
FILES_PER_BATCH = 128  # files open at one time; a process may often open only 1,024
TEXT_CHECK_BYTES = 8_192  # a file with a null character among these is not text

OpenFileBatch = dict[int, str]  # file descriptors and their paths


def search_tools(workspace: Path, *, matcher: LineMatcher | None = None, seconds: float = WALK_SECONDS) -> list[Tool]:
    """Return the tools for one workspace. They use ripgrep if it is installed."""
    finding = SearchTools(Workspace(workspace), matcher or LineMatcher(shutil.which("rg")), seconds)
    effects = {Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}
    reads = tool(kind=CallKind.READ, effects=effects, needed_right=Right.READ_FILES, time_limit_seconds=seconds)
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
            lines = [f"{escape_unprintable(found.path)}\n" for found in self.find_files(walk, path, pattern)]
        if not lines:
            return text_with_notes("", [texts.NO_FILE_FITS, *walk.shortfall_notes, texts.NAMES_LEFT_OUT])
        page = make_result_page(lines, offset, MAX_FILES_ON_PAGE, "file", is_all=not walk.is_incomplete)
        return text_with_notes(page, walk.shortfall_notes)

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
        reject_empty_long_or_multiline_pattern(pattern)
        if not 1 <= offset <= LARGEST_MATCH_OFFSET:
            raise ToolError(texts.OFFSET_TOO_LARGE(most=LARGEST_MATCH_OFFSET))
        most = offset + MAX_MATCHES_ON_PAGE  # one more than a page shows, to know whether there are more
        search = FileSearch(FolderWalk(self.workspace, self.seconds), self.matcher)
        with (
            explain_path_errors(self.workspace, path),
            closing(self.find_files_to_search(search.walk, path, files or MATCH_EVERYTHING_GLOB)) as candidates,
            closing(search.find_matches(pattern, candidates, most, ignore_case=ignore_case)) as matches,
        ):
            found = [(escape_unprintable(where), match) for where, match in islice(matches, most)]
        lines = [f"{where}:{match.line_number}: {line_excerpt(match)}\n" for where, match in found]
        if search.is_out_of_time and not lines:
            raise ToolError(texts.SEARCH_FOUND_NOTHING_IN_TIME(seconds=search.walk.time_limit_seconds))
        notes = [texts.SEARCH_OUT_OF_TIME(seconds=search.walk.time_limit_seconds)] if search.is_out_of_time else []
        skipped, megabytes = search.files_skipped.items(), MAX_FILE_BYTES // 2**20
        left_out = [texts.FILES_LEFT_OUT[kind](count, megabytes=megabytes) for kind, count in skipped]
        notes += [*search.walk.shortfall_notes, *left_out]
        if not lines:
            return text_with_notes("", [texts.NO_LINE_FITS(search.files_searched), *notes, texts.NAMES_LEFT_OUT])
        is_all = len(lines) < most and not (search.is_out_of_time or search.walk.is_incomplete)
        return text_with_notes(make_result_page(lines, offset, MAX_MATCHES_ON_PAGE, "match", is_all=is_all), notes)

    def find_files(self, walk: FolderWalk, path: str, pattern: str) -> Iterator[FoundFile]:
        """Return the files below `path` that match. Raise OSError if the path is not a folder."""
        if pattern.startswith("/"):  # a model that knows where the workspace is may write the whole path
            pattern = self.workspace.relative_path(pattern)
        return walk.find_files(self.workspace.relative_path(path), parse_glob(pattern))

    def find_files_to_search(self, walk: FolderWalk, path: str, files: str) -> Generator[FoundFile]:
        try:
            yield from self.find_files(walk, path, files)
        except NotADirectoryError:
            with self.workspace.open_file_location(self.workspace.relative_path(path)) as location:
                os.close(location.open_for_reading())  # raise OSError if the named file is unreadable
                yield FoundFile(self.workspace.relative_path(path), location)


@dataclass(slots=True)
class FileSearch:
    """A search of files in batches. It counts those that cannot be searched."""

    walk: FolderWalk
    matcher: LineMatcher
    files_searched: int = 0
    files_skipped: dict[str, int] = field(default_factory=dict)  # how many files of each kind were left out
    is_out_of_time: bool = False  # whether the time is over

    def find_matches(
        self, pattern: str, files: Iterable[FoundFile], most: int, *, ignore_case: bool
    ) -> Generator[tuple[str, LineMatch]]:
        """Yield paths with matches, at most `most` for each file. When the time is over, set `is_out_of_time`."""
        with closing(self.open_file_batches(files)) as batches:
            for batch in batches:
                seconds = self.walk.seconds_left
                try:
                    found = self.matcher.find_matching_lines(pattern, list(batch), most, seconds, ignore_case)
                    with closing(found) as matches:
                        for match in matches:
                            yield batch[match.descriptor], match
                except SearchTimeout:
                    self.is_out_of_time = True
                    return

    def open_file_batches(self, files: Iterable[FoundFile]) -> Generator[OpenFileBatch]:
        batch: OpenFileBatch = {}
        try:
            for found in files:
                if (file := self.open_text_file(found.location)) is not None:
                    batch[file] = found.path
                if len(batch) == FILES_PER_BATCH:
                    yield batch
                    close_batch_files(batch)
            if batch:
                yield batch
        finally:
            close_batch_files(batch)

    def open_text_file(self, location: FileLocation) -> int | None:
        """Open the file and return its descriptor. Return None, and count it, if it cannot be searched."""
        with ExitStack() as opened:
            try:
                file = location.open_for_reading()
                opened.callback(os.close, file)
                if os.fstat(file).st_size > MAX_FILE_BYTES:
                    why = "too large"
                elif b"\0" in os.pread(file, TEXT_CHECK_BYTES, 0):
                    why = "not text"
                else:
                    self.files_searched += 1
                    opened.pop_all()
                    return file
            except OSError:
                why = "unreadable"
        self.files_skipped[why] = self.files_skipped.get(why, 0) + 1
        return None


def close_batch_files(batch: OpenFileBatch) -> None:
    for file in batch:
        os.close(file)
    batch.clear()


def reject_empty_long_or_multiline_pattern(pattern: str) -> None:
    """Raise ToolError for a pattern that is empty, too long, of several lines or not encodable: neither ripgrep nor
    Python can take it."""
    if not pattern:
        raise ToolError(texts.PATTERN_IS_EMPTY)
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise ToolError(texts.PATTERN_TOO_LONG(most=MAX_PATTERN_CHARACTERS))
    if "\n" in pattern or "\0" in pattern:
        raise ToolError(texts.PATTERN_OF_SEVERAL_LINES)
    try:
        pattern.encode()
    except UnicodeEncodeError:
        raise ToolError(texts.PATTERN_WITH_HALF_A_CHARACTER) from None


def text_with_notes(text: str, notes: list[str]) -> str:
    if not notes:
        return text
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}({'; '.join(notes)})"


def line_excerpt(match: LineMatch) -> str:
    """Return the line, or the part around the match if the line is long."""
    line = match.line_bytes.decode(errors="replace").rstrip()
    if len(line) <= MAX_EXCERPT_CHARACTERS:
        return line
    start = max(0, len(match.line_bytes[: match.byte_column - 1].decode(errors="replace")) - CHARACTERS_BEFORE_MATCH)
    end = start + MAX_EXCERPT_CHARACTERS
    return f"{'…' * (start > 0)}{line[start:end]}{'…' * (end < len(line))}"
