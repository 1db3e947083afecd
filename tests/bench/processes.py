"""Modules of ours in processes of their own."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@asynccontextmanager
async def child(module: str, *words: str) -> AsyncIterator[Process]:
    """A module as a process, with what it reads and prints; ended when left."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *words, stdin=PIPE, stdout=PIPE, cwd=REPOSITORY
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def line_of(process: Process, who: str, seconds: float) -> str:
    """The next line that it prints; RuntimeError, which says who it is, if none comes in so many seconds."""
    assert process.stdout
    try:
        async with asyncio.timeout(seconds):
            line = await process.stdout.readline()
    except TimeoutError:
        raise RuntimeError(f"{who} has said nothing for {seconds:.0f} s") from None
    if not line:
        raise RuntimeError(f"{who} has ended; what it says of that stands above")
    return line.decode().strip()


async def told(process: Process, line: str, who: str, seconds: float) -> str:
    """What it prints when it is told this; RuntimeError as for `line_of`."""
    assert process.stdin
    process.stdin.write(f"{line}\n".encode())
    return await line_of(process, f"{who}, told {line!r},", seconds)
