"""A program of this machine that turns speech into text, and prints it."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.core.bounded_process import script_environment
from bot.core.errors import TranscriptionFailed
from bot.core.prices import Micros
from bot.core.settings import FILE_PLACEHOLDER
from bot.core.transcriber import Transcript
from bot.models.transcribers import operator_texts, people_texts

MAX_OUTPUT_BYTES = 2 * 2**20
MAX_SAID_CHARACTERS = 300
PASSED_VARIABLES = ("HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME")  # others may hold secrets
NOT_STARTED_STATUS = 127
# It becomes the program, and keeps the alarm: so the program ends even if the bot is killed.
START_WITH_ALARM = """
import os, signal, sys
signal.alarm(int(sys.argv[1]))
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    os.write(2, error.strerror.encode())
    os._exit(127)
"""


class LocalCommand:
    """Runs a command for each file, one at a time, because such programs take whole processors."""

    def __init__(self, command: Sequence[str], *, seconds: int) -> None:
        self.command = tuple(command)
        self.seconds = seconds
        self.slot = asyncio.Semaphore(1)

    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        """Return what the command prints. Raise TranscriptionFailed if it fails or takes too long."""
        words = [word.replace(FILE_PLACEHOLDER, str(path)) for word in self.command]
        async with self.slot:
            text = await self.run(words)
        return Transcript(text=" ".join(text.split()), cost=Micros(0))

    async def run(self, words: Sequence[str]) -> str:
        passed = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
        starting = (sys.executable, "-I", "-c", START_WITH_ALARM, str(self.seconds + 1), *words)
        process = await asyncio.create_subprocess_exec(
            *starting,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**script_environment(), **passed},
            start_new_session=True,  # Ctrl-C in the terminal is only for the bot
        )
        assert process.stdout
        assert process.stderr
        try:
            async with asyncio.timeout(self.seconds), asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(read_and_drop_rest(process.stdout))
                stderr_reading = tasks.create_task(read_and_drop_rest(process.stderr))
                status = await process.wait()
        except TimeoutError:
            fault = operator_texts.COMMAND_TOO_SLOW(command=words[0], seconds=self.seconds)
            raise TranscriptionFailed(people_texts.TOO_SLOW(), fault=fault) from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        said = " ".join(stderr_reading.result().split())[-MAX_SAID_CHARACTERS:] or operator_texts.NOTHING_SAID
        if status == NOT_STARTED_STATUS:
            fault = operator_texts.NOT_STARTED(command=words[0], reason=said)
            raise TranscriptionFailed(people_texts.NOT_SET_UP_WELL(), fault=fault)
        if status:
            fault = operator_texts.COMMAND_FAILED(command=words[0], status=status, said=said)
            raise TranscriptionFailed(people_texts.NOT_ACCEPTED(), fault=fault)
        return reading.result()


async def read_and_drop_rest(stream: asyncio.StreamReader) -> str:
    """Return what is written to a stream until its end, but no more than fits: the program must not wait for us."""
    kept = bytearray()
    while piece := await stream.read(2**16):
        kept += piece[: MAX_OUTPUT_BYTES - len(kept)]
    return kept.decode(errors="replace")
