"""Run long commands of other programs: report their lines, and stop them if they make no progress."""

import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from bot.core.errors import ConfigError
from bot.tenants import Tell, texts
from bot.tenants.targets.programs import program_environment

STILL_SECONDS = 900.0  # without a line or a byte: checking a large database is silent
PROGRESS_SECONDS = 15.0  # after this silence the operator gets a progress line
POLL_SECONDS = 0.5
END_SECONDS = 10.0  # after SIGTERM: a container would outlive its killed client
MIN_FREE_BYTES = 500_000_000  # bytes: a tenant's stream must not fill the disk that all tenants share
MAX_LINE_CHARACTERS = 4_000
CHATTER = re.compile(r"\s*(Container|Network) retinue-\S+\s+[A-Z][a-z]+\s*$")  # Compose prints these for each step
COMPLAINT = "retinue: "  # the prefix of a line that says why the command failed
END_OF_LINES = ""  # queued after the last line; no real line is empty
KEPT_LINES, LAST_LINES_SHOWN = 100, 2  # lines


@dataclass(slots=True)
class LongCommand:
    """One running command. It reads `source` and writes `into`, which are open files, directly."""

    command: Sequence[str]
    tell: Tell
    source: IO[bytes] | None = None
    into: IO[bytes] | None = None
    silence_limit_seconds: float = STILL_SECONDS
    least_free: int = MIN_FREE_BYTES

    def run(self) -> None:
        """Run the command to its end.

        Raise ConfigError with its last words if it fails, stalls or nearly fills the disk.
        """
        words = deque[str](maxlen=KEPT_LINES)
        process = start_process(
            self.command,
            stdin=self.source or subprocess.DEVNULL,
            stdout=self.into or subprocess.PIPE,
            stderr=subprocess.PIPE if self.into else subprocess.STDOUT,
        )
        lines = SimpleQueue[str]()
        reader = Thread(target=queue_output_lines, args=(process, lines), daemon=True)
        reader.start()
        try:
            self.watch(process, lines, words)
        finally:
            if process.poll() is None:
                end_process_group(process)
            reader.join(END_SECONDS)
        if process.returncode:
            status = texts.EXIT_STATUS(status=process.returncode)
            said = explain_failure(words) or texts.COMMAND_FAILED(command=shlex.join(self.command), reason=status)
            raise ConfigError(said)

    def watch(self, process: subprocess.Popen[str], lines: SimpleQueue[str], words: deque[str]) -> None:
        """Report the lines until the process has ended. Raise ConfigError if it stalls or nearly fills the disk."""
        began = moved = told = time.monotonic()
        passed = self.bytes_transferred()
        is_over = False
        while not is_over or process.poll() is None:
            try:
                line = lines.get(timeout=POLL_SECONDS)
                is_over |= line == END_OF_LINES
                if line != END_OF_LINES:
                    words.append(line)
                    self.tell(f"  {line}")
                    moved = told = time.monotonic()
                else:
                    process.wait(POLL_SECONDS)
            except (Empty, subprocess.TimeoutExpired):
                pass
            now = time.monotonic()
            if (come := self.bytes_transferred()) != passed:
                passed, moved = come, now
            if now - told > PROGRESS_SECONDS:
                self.tell(texts.PROGRESS(seconds=now - began, megabytes=passed / 1e6))
                told = now
            if now - moved > self.silence_limit_seconds:
                command, limit = shlex.join(self.command), self.silence_limit_seconds
                raise ConfigError(texts.STANDS_STILL(command=command, seconds=limit))
            if self.into and stat.S_ISREG(os.fstat(self.into.fileno()).st_mode):  # a pipe takes no disk space
                free = shutil.disk_usage(self.into.fileno()).free
                if free < self.least_free:
                    raise ConfigError(texts.DISK_NEARLY_FULL(megabytes=free / 1e6))

    def bytes_transferred(self) -> int:
        """Return the bytes read and written so far. Processes that share an open file share its offset."""
        read = self.source.seekable() and os.lseek(self.source.fileno(), 0, os.SEEK_CUR) if self.source else 0
        return read + (os.fstat(self.into.fileno()).st_size if self.into else 0)


def explain_failure(lines: Sequence[str]) -> str:
    """Return why a command failed: the check's findings (as `retinue migrate` prints), its error, or its last lines."""
    words = [each.strip() for each in lines if each.strip() and not CHATTER.match(each)]
    wrong = [" ".join(each.split()[1:]) for each in words if each.startswith("wrong ")]
    complaint = [each.removeprefix(COMPLAINT) for each in words if each.startswith(COMPLAINT)]
    return "; ".join(wrong or complaint or words[-LAST_LINES_SHOWN:])


def follow_log(command: Sequence[str], tell: Tell) -> int:
    """Report each log line for as long as somebody reads them. Return the command's exit status.

    The call may never end by itself; an interruption stops it. Raise ConfigError if the command cannot start.
    """
    process = start_process(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout
    try:
        while line := process.stdout.readline(MAX_LINE_CHARACTERS):
            tell(line.rstrip("\r\n"))
        return process.wait()
    finally:
        if process.poll() is None:
            end_process_group(process)
        process.stdout.close()


def start_process(
    command: Sequence[str], *, stdin: IO[bytes] | int, stdout: IO[bytes] | int, stderr: int
) -> subprocess.Popen[str]:
    """Start a command whose output is text. Raise ConfigError if it cannot start."""
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=True,
            errors="replace",
            env=program_environment(),
            start_new_session=True,  # Ctrl-C reaches only us, and we end the command cleanly
        )
    except OSError as error:
        raise ConfigError(texts.CANNOT_RUN(program=command[0], error=error.strerror)) from None


def queue_output_lines(process: subprocess.Popen[str], lines: SimpleQueue[str]) -> None:
    """Put the process's lines into the queue until its output ends, then END_OF_LINES."""
    pipe = process.stderr or process.stdout
    assert pipe
    with pipe:
        while line := pipe.readline(MAX_LINE_CHARACTERS):
            if line.strip() and not CHATTER.match(line):
                lines.put(line.rstrip())
    lines.put(END_OF_LINES)


def end_process_group(process: subprocess.Popen[str]) -> None:
    """End the process and all its children: SIGTERM first, SIGKILL after END_SECONDS."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
