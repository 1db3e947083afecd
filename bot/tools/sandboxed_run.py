"""Run a command in a sandbox to its end: read its output, keep the beginning and the end of it, and stop it, with all
that it has started, if it takes too long or too much."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import IO

from bot.core.sandbox.listener import LOWEST_DESCRIPTOR
from bot.core.sandbox.usage import TotalLimits, measure_usage, offer_to_be_killed_first

CHUNK_BYTES = 65_536
HEAD_BYTES, TAIL_BYTES = 6_000, 14_000  # kept of a long output: errors mostly stand at its end
SECONDS_BETWEEN_LOOKS = 0.1
SECONDS_TO_END = 5.0  # for the streams of a killed command to close, and for its processes to go
SECONDS_BETWEEN_CHECKS_OF_END = 0.002


class StopReason(Enum):
    TIME = "time"
    PROCESSES = "processes"
    MEMORY = "memory"
    DISK = "disk"


@dataclass(slots=True)
class CappedOutput:
    """The beginning and the end of an output of any length."""

    head: bytes = b""
    tail: bytes = b""
    total: int = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = HEAD_BYTES - len(self.head)
        self.head += chunk[:room]
        self.tail = (self.tail + chunk[room:] if room < len(chunk) else self.tail)[-TAIL_BYTES:]

    @property
    def left_out(self) -> int:
        return self.total - len(self.head) - len(self.tail)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    status: int  # the exit status; 128 and the signal's number if a signal ended it
    seconds: float
    output: CappedOutput = field(default_factory=CappedOutput)
    stopped: StopReason | None = None


TakeOutput = Callable[[bytes], None]
MakeCommand = Callable[[int], Sequence[str]]  # takes the descriptor on which bubblewrap tells of its first process


def ignore_output(chunk: bytes) -> None:
    """Do nothing, where nobody wants to know before the end."""


async def run_command(
    make_command: MakeCommand,
    limits: TotalLimits,
    seconds: float,
    inherited: Sequence[int] = (),
    on_output: TakeOutput = ignore_output,
) -> FinishedRun:
    """Start a command that makes a sandbox, and return when all in it has ended. Its environment is empty.
    `inherited` are further descriptors that it takes over. Each piece of the output goes to `on_output`, too, as soon
    as it comes. If this is cancelled, the command is ended too."""
    begun = time.monotonic()
    reader, writer = open_info_pipe()
    with closing(os.fdopen(reader, "rb")) as info:
        try:
            process = await asyncio.create_subprocess_exec(
                *make_command(writer),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={},
                cwd="/",
                start_new_session=True,
                pass_fds=[writer, *inherited],
            )
        finally:
            os.close(writer)
        return await watch_process(process, info, limits, begun, seconds, on_output)


def open_info_pipe() -> tuple[int, int]:
    """Return the two ends of a pipe. The shell that starts bubblewrap has its own uses for low descriptors."""
    reader, low = os.pipe()
    try:
        return reader, fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)
    finally:
        os.close(low)


async def watch_process(
    process: asyncio.subprocess.Process,
    info: IO[bytes],
    limits: TotalLimits,
    begun: float,
    seconds: float,
    on_output: TakeOutput,
) -> FinishedRun:
    output, stopped = CappedOutput(), None
    async with asyncio.TaskGroup() as owner:
        reading = owner.create_task(read_output(process, output, on_output), name="output of a sandbox")
        ending = owner.create_task(process.wait(), name="end of a sandbox")
        try:
            stopped = await wait_for_end_or_excess(process.pid, ending, limits, seconds)
        finally:
            await end_process(process, reading, ending)
            await wait_for_end_of_sandbox(info)
    status = process.returncode if process.returncode is not None else -signal.SIGKILL
    return FinishedRun(
        status=status if status >= 0 else 128 - status,
        seconds=time.monotonic() - begun,
        output=output,
        stopped=stopped,
    )


async def read_output(process: asyncio.subprocess.Process, output: CappedOutput, on_output: TakeOutput) -> None:
    assert process.stdout is not None
    while chunk := await process.stdout.read(CHUNK_BYTES):
        output.add(chunk)
        on_output(chunk)


async def wait_for_end_or_excess(
    process: int, ending: asyncio.Task[int], limits: TotalLimits, seconds: float
) -> StopReason | None:
    """Wait until the process ends. Return why it must be stopped, or None if it has ended."""
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if left <= 0:
            return StopReason.TIME
        ended, _ = await asyncio.wait({ending}, timeout=min(left, SECONDS_BETWEEN_LOOKS))
        if ended:
            return None
        if reason := await asyncio.to_thread(find_excess, process, limits):
            return reason


def find_excess(process: int, limits: TotalLimits) -> StopReason | None:
    used = measure_usage(process, limits)
    if used.processes > limits.processes:
        return StopReason.PROCESSES
    if used.memory_bytes > limits.memory_bytes:
        return StopReason.MEMORY
    if used.written_bytes > limits.written_bytes:
        return StopReason.DISK
    offer_to_be_killed_first(process)
    return None


async def end_process(
    process: asyncio.subprocess.Process, reading: asyncio.Task[None], ending: asyncio.Task[int]
) -> None:
    """Kill what still runs, and wait until it is gone. Bubblewrap's end is the end of all that runs in the sandbox,
    also of what has left the process group. The output is read to its end: until then asyncio may not see the end of a
    process."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await asyncio.wait({reading, ending}, timeout=SECONDS_TO_END)
    for task in (reading, ending):
        task.cancel()


async def wait_for_end_of_sandbox(info: IO[bytes]) -> None:
    """Wait until the first process of the sandbox is gone, and with it all others. Bubblewrap ends a moment earlier."""
    try:
        status = Path("/proc", str(int(json.loads(info.read())["child-pid"])), "stat")
    except (ValueError, KeyError):  # it did not come so far
        return
    until = time.monotonic() + SECONDS_TO_END
    while has_not_ended(status) and time.monotonic() < until:  # noqa: ASYNC110 -- nobody else's child tells us
        await asyncio.sleep(SECONDS_BETWEEN_CHECKS_OF_END)


def has_not_ended(status: Path) -> bool:
    try:
        return status.read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False
