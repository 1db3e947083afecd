"""Run other programs: a short one for a limited time, a long one as long as it makes progress."""

import os
import re
import selectors
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
from bot.tenants import TellOperator, texts
from bot.tenants.targets import texts as target_texts

SHORT_PROGRAM_TIMEOUT_SECONDS = 60.0  # short programs need one or two
MAX_OUTPUT_BYTES = 16 << 20  # of a short program: a tenant's process may print anything, without end
READ_CHUNK_BYTES = 1 << 16
SILENCE_LIMIT_SECONDS = 900.0  # without a line or a byte: checking a large database is silent
PROGRESS_INTERVAL_SECONDS = 15.0  # after this silence the operator gets a progress line
OUTPUT_POLL_SECONDS = 0.5
KILL_AFTER_SECONDS = 10.0  # from SIGTERM to SIGKILL: a container outlives a client that is killed
MIN_FREE_DISK_BYTES_WHILE_WRITING = 500_000_000  # a tenant's stream must not fill the disk that all tenants share
MAX_LINE_CHARACTERS = 4_000
# A line that Compose prints for each step
COMPOSE_PROGRESS_PATTERN = re.compile(r"\s*(Container|Network) retinue-\S+\s+[A-Z][a-z]+\s*$")
ERROR_LINE_PREFIX = "retinue: "  # the prefix of a line that says why the command failed
END_OF_LINES = ""  # queued after the last line; no real line is empty
KEPT_OUTPUT_LINES, LAST_LINES_SHOWN = 100, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOutcome:
    status: int
    out: str
    err: str

    @property
    def output(self) -> str:
        """Return stdout and stderr, without surrounding white space."""
        return "\n".join(text for text in (self.out.strip(), self.err.strip()) if text)

    @property
    def failure_reason(self) -> str:
        return find_failure_reason(self.output.splitlines()) or texts.EXIT_STATUS(status=self.status)


def run_program(command: Sequence[str], *, seconds: float = SHORT_PROGRAM_TIMEOUT_SECONDS) -> ProgramOutcome:
    """Run a program. Raise ConfigError if it cannot start, takes longer than `seconds` or prints too much."""
    with start_process(command) as process:
        try:
            out, err = read_output(process, time.monotonic() + seconds)
        except subprocess.TimeoutExpired:
            raise ConfigError(target_texts.NOT_ENDED_IN_TIME(command=shlex.join(command), seconds=seconds)) from None
        except OverflowError:
            most = MAX_OUTPUT_BYTES >> 20
            raise ConfigError(target_texts.SAYS_TOO_MUCH(command=shlex.join(command), most=most)) from None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    return ProgramOutcome(status=process.returncode, out=out, err=err)


def run_checked(command: Sequence[str], *, seconds: float = SHORT_PROGRAM_TIMEOUT_SECONDS) -> str:
    """Run a program and return its stdout, without surrounding white space. Raise ConfigError if it fails."""
    outcome = run_program(command, seconds=seconds)
    if outcome.status:
        raise ConfigError(texts.COMMAND_FAILED(command=shlex.join(command), reason=outcome.failure_reason))
    return outcome.out.strip()


def find_failure_reason(lines: Sequence[str]) -> str:
    """Return why a command failed: its findings (as `retinue migrate` prints), or its errors, or its last lines."""
    words = [each.strip() for each in lines if each.strip() and not COMPOSE_PROGRESS_PATTERN.match(each)]
    wrong = [" ".join(each.split()[1:]) for each in words if each.startswith("wrong ")]
    complaint = [each.removeprefix(ERROR_LINE_PREFIX) for each in words if each.startswith(ERROR_LINE_PREFIX)]
    return "; ".join(wrong or complaint or words[-LAST_LINES_SHOWN:])


def start_process(
    command: Sequence[str],
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    stdout: IO[bytes] | int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> subprocess.Popen[str]:
    """Start a command whose output is text. Raise ConfigError if it cannot start."""
    # COMPOSE_ variables could change the meaning of a tenant's files. Each command names all that it needs.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COMPOSE_")}
    env["PODMAN_COMPOSE_WARNING_LOGS"] = "false"  # else podman reports each start on stderr
    env["DOCKER_BUILDKIT"] = "1"
    try:  # in a new session, so that Ctrl-C reaches only us, and we end the command with all its children
        return subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=stderr, errors="replace", env=env, start_new_session=True
        )
    except OSError as error:
        raise ConfigError(target_texts.CANNOT_RUN(program=command[0], error=error.strerror)) from None


def read_output(process: subprocess.Popen[str], until: float) -> tuple[str, str]:
    """Return stdout and stderr as text. Raise OverflowError if they are too long, TimeoutExpired at `until`."""
    out, err = bytearray(), bytearray()
    assert process.stdout
    assert process.stderr
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ, out)
        pipes.register(process.stderr, selectors.EVENT_READ, err)
        while pipes.get_map():
            if (left := until - time.monotonic()) <= 0:
                raise subprocess.TimeoutExpired(process.args, left)
            for key, _ in pipes.select(left):
                if part := os.read(key.fd, READ_CHUNK_BYTES):
                    key.data.extend(part)
                else:
                    pipes.unregister(key.fileobj)
            if len(out) + len(err) > MAX_OUTPUT_BYTES:
                raise OverflowError
    process.wait(max(0.0, until - time.monotonic()))
    said, complained = (each.decode(errors="replace").replace("\r\n", "\n") for each in (out, err))
    return said, complained


def run_long_command(
    command: Sequence[str],
    tell: TellOperator,
    *,
    source: IO[bytes] | None = None,
    into: IO[bytes] | None = None,
    silence_limit_seconds: float = SILENCE_LIMIT_SECONDS,
    min_free_bytes: int = MIN_FREE_DISK_BYTES_WHILE_WRITING,
) -> None:
    """Run a command on open files and report its lines. Raise ConfigError if it fails, stalls or fills the disk."""
    errors = subprocess.PIPE if into else subprocess.STDOUT
    process = start_process(command, source or subprocess.DEVNULL, into or subprocess.PIPE, errors)
    lines, last = SimpleQueue[str](), deque[str](maxlen=KEPT_OUTPUT_LINES)
    reader = Thread(target=queue_output_lines, args=(process.stderr or process.stdout, lines), daemon=True)
    reader.start()
    began = moved = told = time.monotonic()
    passed, is_over = bytes_transferred(source, into), False
    try:
        while not is_over or process.poll() is None:
            try:
                if is_over:
                    process.wait(OUTPUT_POLL_SECONDS)
                elif (line := lines.get(timeout=OUTPUT_POLL_SECONDS)) == END_OF_LINES:
                    is_over = True
                else:
                    last.append(line)
                    tell(f"  {line}")
                    moved = told = time.monotonic()
            except (Empty, subprocess.TimeoutExpired):
                pass
            now = time.monotonic()
            if (come := bytes_transferred(source, into)) != passed:
                passed, moved = come, now
            if now - told > PROGRESS_INTERVAL_SECONDS:
                tell(texts.PROGRESS(seconds=now - began, megabytes=passed / 1e6))
                told = now
            if now - moved > silence_limit_seconds:
                raise ConfigError(texts.STANDS_STILL(command=shlex.join(command), seconds=silence_limit_seconds))
            if into and stat.S_ISREG(os.fstat(into.fileno()).st_mode):  # a pipe takes no disk space
                free = shutil.disk_usage(into.fileno()).free
                if free < min_free_bytes:
                    raise ConfigError(texts.DISK_NEARLY_FULL(megabytes=free / 1e6))
    finally:
        end_process_group(process)
        reader.join(KILL_AFTER_SECONDS)
    if process.returncode:
        status = texts.EXIT_STATUS(status=process.returncode)
        said = find_failure_reason(last) or texts.COMMAND_FAILED(command=shlex.join(command), reason=status)
        raise ConfigError(said)


def bytes_transferred(source: IO[bytes] | None, into: IO[bytes] | None) -> int:
    """Return the bytes read and written so far. Processes that share an open file share its offset."""
    read = source.seekable() and os.lseek(source.fileno(), 0, os.SEEK_CUR) if source else 0
    return read + (os.fstat(into.fileno()).st_size if into else 0)


def queue_output_lines(pipe: IO[str], lines: SimpleQueue[str]) -> None:
    """Put the pipe's lines into the queue until it ends, then END_OF_LINES."""
    with pipe:
        while line := pipe.readline(MAX_LINE_CHARACTERS):
            if line.strip() and not COMPOSE_PROGRESS_PATTERN.match(line):
                lines.put(line.rstrip())
    lines.put(END_OF_LINES)


def run_and_report_lines(command: Sequence[str], tell: TellOperator) -> int:
    """Report each line of a command and return its exit status. End the command if this process is interrupted."""
    process = start_process(command, stderr=subprocess.STDOUT)
    assert process.stdout
    try:
        with process.stdout as pipe:
            while line := pipe.readline(MAX_LINE_CHARACTERS):
                tell(line.rstrip("\r\n"))
        return process.wait()
    finally:
        end_process_group(process)


def end_process_group(process: subprocess.Popen[str]) -> None:
    """If the process still runs, end it with all its children: SIGTERM first, SIGKILL after KILL_AFTER_SECONDS."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(KILL_AFTER_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
