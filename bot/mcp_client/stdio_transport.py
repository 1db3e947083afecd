"""Talk with an MCP server that is a program: a line of JSON per message, over its input and output.

The program's lines are bounded in length and number, its group of processes is killed whole, and what it writes to its
errors is kept only so far that an operator reads why it ended.
"""

import asyncio
import os
import re
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.texts import escape_unprintable
from bot.mcp_client import texts
from bot.mcp_client.faults import ServerFault

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

READ_BYTES = 65_536
MAX_ERROR_LINES, MAX_ERROR_CHARACTERS = 5, 300
STOP_SECONDS = 0.5  # after its input is closed, and again after SIGTERM
POLL_SECONDS = 0.01
FLOOD_SECONDS, MAX_FLOOD_MESSAGES = 10.0, 2_000
MAX_FLOOD_PAUSE_BYTES = 64_000_000  # in FLOOD_SECONDS, for servers with large results
ANSWER_BEGINNING = re.compile(rb'\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,9})\s*,')
ANSWER_BEGINNING_BYTES = 200
ANSWER_TOO_LARGE_CODE = -32_098  # of the protocol's range for servers; the SDK uses others

OnFault = Callable[[str], None]


class LineReader:
    """Cut a program's output into lines, and drop each that is too long."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.kept = bytearray()
        self.is_dropping = False

    def feed(self, piece: bytes) -> list[bytes | int]:
        """Return the whole lines, and of each that is too long the id of the request that it answers, or -1."""
        found: list[bytes | int] = []
        *lines, rest = piece.split(b"\n")
        for line in lines:
            self.add(line, found)
            if not self.is_dropping:
                found.append(bytes(self.kept))
            self.kept.clear()
            self.is_dropping = False
        self.add(rest, found)
        return found

    def add(self, part: bytes, found: list[bytes | int]) -> None:
        if self.is_dropping:
            return
        self.kept += part
        if len(self.kept) > self.most_bytes:
            answered = ANSWER_BEGINNING.match(bytes(self.kept[:ANSWER_BEGINNING_BYTES]))
            found.append(int(answered[1]) if answered else -1)
            self.is_dropping = True
            self.kept.clear()


class FloodGuard:
    """Count what a server sends. `count` returns False if it is too much in a short time."""

    def __init__(self) -> None:
        self.began_at = 0.0
        self.messages = self.bytes = 0

    def count(self, messages: int, size: int, now: float) -> bool:
        if now - self.began_at > FLOOD_SECONDS:
            self.began_at, self.messages, self.bytes = now, 0, 0
        self.messages += messages
        self.bytes += size
        return self.messages <= MAX_FLOOD_MESSAGES and self.bytes <= MAX_FLOOD_PAUSE_BYTES


@asynccontextmanager
async def program_transport(
    command: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    most_bytes: int,
    on_fault: OnFault,
    inherited: Sequence[int] = (),
) -> "AsyncIterator[TransportStreams]":
    """Start a program, and yield the streams of its messages. `on_fault` is told why the connection has ended.
    `inherited` are descriptors that it takes over. Raise ServerFault if the program cannot be started."""
    import anyio
    from mcp.shared.message import SessionMessage

    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
            pass_fds=inherited,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        shown = escape_unprintable(command[0], MAX_ERROR_CHARACTERS)
        raise ServerFault(texts.PROGRAM_NOT_STARTED(command=shown, reason=reason)) from None
    received, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, to_send = anyio.create_memory_object_stream[SessionMessage](0)
    errors: deque[str] = deque(maxlen=MAX_ERROR_LINES)
    is_stopping = False

    def note_end(reason: str) -> None:
        if not is_stopping:
            on_fault(reason)

    tasks = [
        asyncio.create_task(read_error_lines(process, errors)),
        asyncio.create_task(send_messages(process, to_send)),
        asyncio.create_task(receive_messages(process, received, errors, most_bytes, note_end)),
    ]
    try:
        yield read_stream, write_stream
    finally:
        is_stopping = True
        for stream in (received, read_stream, write_stream, to_send):
            stream.close()
        await asyncio.shield(asyncio.ensure_future(stop_program(process, tasks)))


async def receive_messages(
    process: Process,
    received: "MemoryObjectSendStream[SessionMessage | Exception]",
    errors: deque[str],
    most_bytes: int,
    on_fault: OnFault,
) -> None:
    """Read the program's messages until it ends, or floods."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError, jsonrpc_message_adapter

    assert process.stdout
    lines, flood, fault = LineReader(most_bytes), FloodGuard(), ""
    now = asyncio.get_running_loop().time
    try:
        while piece := await process.stdout.read(READ_BYTES):
            found = lines.feed(piece)
            if not flood.count(len(found), len(piece), now()):
                fault = texts.FLOODED
                return
            for line in found:
                if isinstance(line, int):
                    if line >= 0:
                        said = ErrorData(code=ANSWER_TOO_LARGE_CODE, message=texts.ANSWER_TOO_LARGE(most=most_bytes))
                        await received.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=line, error=said)))
                    continue
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:  # many programs print other things, too
                    continue
                await received.send(SessionMessage(message))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # nobody listens any more
    finally:
        if fault or process.stdout.at_eof():
            on_fault(fault or await describe_end(process, errors))
        received.close()


async def describe_end(process: Process, errors: deque[str]) -> str:
    """Return why a program has ended, in its own last words if it has any."""
    with suppress(TimeoutError):
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    status = "?" if process.returncode is None else process.returncode
    said = escape_unprintable(" ".join(errors)[-MAX_ERROR_CHARACTERS:])
    if said:
        return texts.PROGRAM_ENDED_SAYING(status=status, text=said)
    return texts.PROGRAM_ENDED(status=status)


async def read_error_lines(process: Process, errors: deque[str]) -> None:
    assert process.stderr
    while piece := await process.stderr.read(READ_BYTES):
        text = piece[-MAX_ERROR_LINES * MAX_ERROR_CHARACTERS :].decode(errors="replace")
        errors.extend(line.strip() for line in text.splitlines() if line.strip())


async def send_messages(process: Process, to_send: "MemoryObjectReceiveStream[SessionMessage]") -> None:
    import anyio

    assert process.stdin
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async for each in to_send:
            written = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(f"{written}\n".encode())
            await process.stdin.drain()


async def stop_program(process: Process, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Close the program's input, wait a moment, and kill its whole group. All waits are bounded."""
    if process.stdin:
        process.stdin.close()
    for sent in (None, signal.SIGTERM, signal.SIGKILL):
        if sent:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, sent)
        if await has_ended(process):
            break
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # what it has started lives on without it
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=STOP_SECONDS)
    if transport := getattr(process, "_transport", None):  # a pipe that a killed child's child holds keeps it open
        transport.close()


async def has_ended(process: Process) -> bool:
    """Return True if the program ends in time. `wait` alone would also wait for the end of its output."""
    for _ in range(int(STOP_SECONDS / POLL_SECONDS)):
        if process.returncode is not None:
            return True
        await asyncio.sleep(POLL_SECONDS)
    return process.returncode is not None
