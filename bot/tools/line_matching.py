"""Match the lines of opened files, in a process that can be stopped: ripgrep, or our own script.

Neither gets a path. Each gets opened files from the workspace, so a file swapped since then changes nothing.
ripgrep takes no pattern that could keep it busy for ever. Python does, so its search is ended when the time is over."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Timer

from bot.core.bounded_process import script_environment
from bot.core.errors import ToolError
from bot.tools import python_line_search, texts

SEARCH_SCRIPT_PATH = str(Path(__file__).with_name("python_line_search.py"))
PYTHON_SEARCH_COMMAND = (sys.executable, "-I", "-S", "-B", "-W", "ignore", SEARCH_SCRIPT_PATH)
RIPGREP_OPTIONS = (
    *("--no-config", "--text", "--crlf", "--threads=1", "--color=never"),  # one thread keeps the order of the files
    *("--with-filename", "--null", "--line-number", "--column", "--no-heading"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMatch:
    descriptor: int  # the descriptor that the caller passed
    line_number: int  # from 1
    byte_column: int  # where the match begins, in bytes, from 1
    line_bytes: bytes  # the line, without its end


class SearchTimeout(Exception):
    """The time was over before the process was done."""


class SearchProcessFailed(Exception):
    """The process failed before it found anything. The message is the reason that it printed. `status` is its exit
    status, or None if it could not be started."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


class LineMatcher:
    def __init__(self, ripgrep: str | None) -> None:
        """Use ripgrep at this path, or work without it if the path is None."""
        self.ripgrep = ripgrep

    def find_matching_lines(
        self, pattern: str, files: Sequence[int], most: int, seconds: float, ignore_case: bool
    ) -> Generator[LineMatch]:
        """Yield the lines that a regular expression matches, file by file, at most `most` of each. Raise ToolError if
        it is invalid, and SearchTimeout after `seconds`. If ripgrep refuses a pattern (it has no look-around and no
        back references), Python tries it or says what is wrong."""
        if self.ripgrep:
            case = ("--ignore-case",) if ignore_case else ()
            wanted = (f"--max-count={most}", f"--regexp={pattern}", *case)
            command = (self.ripgrep, *RIPGREP_OPTIONS, *wanted, "--", *(f"/dev/fd/{file}" for file in files))
            try:
                yield from stream_process_matches(command, files, seconds, done=(0, 1))
                return
            except SearchProcessFailed:
                pass
        flags = "i" if ignore_case else "-"
        command = (*PYTHON_SEARCH_COMMAND, str(int(seconds) + 1), str(most), flags, pattern, *map(str, files))
        try:
            yield from stream_process_matches(command, files, seconds, done=(0,))
        except SearchProcessFailed as failed:
            raise ToolError(search_failure_text(failed)) from None


def search_failure_text(failed: SearchProcessFailed) -> str:
    if failed.status == python_line_search.INVALID_PATTERN_STATUS:
        return texts.NOT_AN_EXPRESSION(flaw=failed)
    if failed.status == python_line_search.OUT_OF_MEMORY_STATUS:
        return texts.PATTERN_TAKES_TOO_MUCH_MEMORY
    if reason := str(failed):
        return texts.PATTERN_FAILED(reason=reason)
    return texts.SEARCH_NOT_STARTED if failed.status is None else texts.SEARCH_ENDED_EARLY


def stream_process_matches(
    command: Sequence[str], files: Sequence[int], seconds: float, done: Sequence[int]
) -> Iterator[LineMatch]:
    """Run a search process and yield what it finds, as it finds it. Leaving the iteration also ends the process. Raise
    SearchTimeout after `seconds`, and SearchProcessFailed if the process failed before it found anything."""
    for file in files:
        os.lseek(file, 0, os.SEEK_SET)  # on some systems /dev/fd shares the read position with another process
    over, has_found = Event(), False
    with start_search_process(command, files) as process:

        def end_process() -> None:
            over.set()
            process.kill()

        timer = Timer(seconds, end_process)
        timer.start()
        assert process.stdout
        assert process.stderr
        try:
            for printed in process.stdout:
                if not printed.endswith(b"\n"):
                    continue  # the process was killed in the middle of a line
                name, _, match = printed.rstrip(b"\r\n").partition(b"\0")
                number, column, line = match.split(b":", 2)
                file, has_found = int(name.rpartition(b"/")[2]), True
                yield LineMatch(descriptor=file, line_number=int(number), byte_column=int(column), line_bytes=line)
            said = process.stderr.read().decode(errors="replace")
            process.wait()
        finally:
            timer.cancel()
            process.kill()
    if over.is_set():
        raise SearchTimeout
    if not has_found and process.returncode not in done:
        raise SearchProcessFailed((said.strip().splitlines() or [""])[-1], process.returncode)


def start_search_process(command: Sequence[str], files: Sequence[int]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=files,
            env=script_environment(),
            start_new_session=True,  # Ctrl-C in the terminal is for the bot alone
        )
    except OSError as error:  # for example, ripgrep was removed meanwhile
        raise SearchProcessFailed(error.strerror or "") from None
