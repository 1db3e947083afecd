"""A command that runs until it ends, in a forked process. Its folder, variables, words and streams are given, as a
shell gives them; what only a new interpreter shows is tested where one begins."""

import asyncio
import os
import random
import runpy
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from tests.support.fork_server import SERVER


async def run_forked(
    module: str, words: Sequence[str], folder: Path, variables: Mapping[str, str], stdin: str | None
) -> tuple[int | None, bytes, bytes]:
    """Run `python -m MODULE WORDS` in `folder`. Return its exit status, and what it wrote to stdout and stderr. If
    `stdin` is None, its stdin is the null device."""
    read_stdin, stdin_pipe = SERVER.Pipe(duplex=False)
    stdout_pipe, write_stdout = SERVER.Pipe(duplex=False)
    stderr_pipe, write_stderr = SERVER.Pipe(duplex=False)
    os.umask(mask := os.umask(0))
    streams = (None if stdin is None else read_stdin, write_stdout, write_stderr)
    process = SERVER.Process(target=be_the_command, args=(module, words, folder, dict(variables), mask, streams))
    await asyncio.to_thread(process.start)  # the server takes seconds to begin, and stand-ins answer in this thread
    for each in (read_stdin, write_stdout, write_stderr):
        each.close()
    try:
        out, err, _ = await asyncio.gather(
            asyncio.to_thread(read_to_end, stdout_pipe),
            asyncio.to_thread(read_to_end, stderr_pipe),
            asyncio.to_thread(write_and_close, stdin_pipe, stdin or ""),
        )
        await asyncio.to_thread(process.join)
    finally:
        process.kill()
    return process.exitcode, out, err


def read_to_end(pipe: Connection) -> bytes:
    with pipe, open(pipe.fileno(), "rb", closefd=False) as file:
        return file.read()


def write_and_close(pipe: Connection, text: str) -> None:
    with pipe, suppress(BrokenPipeError), open(pipe.fileno(), "wb", closefd=False) as file:
        file.write(text.encode())


def be_the_command(
    module: str,
    words: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    mask: int,
    streams: Sequence[Connection | None],
) -> None:
    """This runs in the new process."""
    for number, stream in enumerate(streams):
        given = stream.fileno() if stream else os.open(os.devnull, os.O_RDONLY)
        os.dup2(given, number)
        os.close(given)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(folder)
    os.umask(mask)
    os.environ.clear()
    os.environ.update(variables)
    time.tzset()
    random.seed()  # the server's state would be the same in each
    sys.argv = ["", *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
