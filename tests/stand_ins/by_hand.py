"""What the stand-ins share when a person runs them: the commands for the bot, and the typed lines."""

import asyncio
import shlex
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping


def bot_commands(variables: Mapping[str, object], *words: str) -> list[str]:
    """Return a command for each of these words, to paste in the folder of the checkout. They share their settings.

    Their data folder is new, because a stand-in counts its messages from 1. A bot that has met another stand-in would
    take the first messages for repeats.
    """
    settings = {"RETINUE_DATA_DIR": tempfile.mkdtemp(prefix="retinue-"), **variables}
    lines = [f"{name}={shlex.quote(str(value))}" for name, value in settings.items()]
    return [" \\\n".join(f"    {line}" for line in [*lines, f"scripts/run {each}"]) for each in words]


async def typed_lines() -> AsyncIterator[str]:
    """Yield each line that is typed, except empty ones. After the end of stdin, wait for ever."""
    typed: asyncio.Queue[str] = asyncio.Queue()
    # A thread that dies with the program: reading a terminal cannot be cancelled.
    threading.Thread(target=read_lines, args=(asyncio.get_running_loop(), typed), daemon=True).start()
    while True:
        if line := (await typed.get()).strip():
            yield line


def read_lines(loop: asyncio.AbstractEventLoop, typed: asyncio.Queue[str]) -> None:
    for line in sys.stdin:
        loop.call_soon_threadsafe(typed.put_nowait, line)
