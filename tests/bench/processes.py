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
    """A module as a process, with what it prints; ended when left."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", module, *words, stdout=PIPE, cwd=REPOSITORY)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
