"""Keep the page in a browser running beside the bot: a process of its own, which is started again when it ends.

Whatever happens to it, the bot goes on. It ends with the bot, also with one that was killed: its stdin ends then.
"""

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import bot
from bot.ops import logs, texts

BESIDE_BOT = "--beside-bot"  # the option by which `retinue web` ends with its stdin
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 300.0  # before it is started again; doubled each time
STEADY_SECONDS = 60.0  # once it has run so long, the next pause is the first one again
END_SECONDS = 5.0  # for the page to end by itself
MAX_LINE_BYTES = 65_536

log = logging.getLogger(__name__)


@asynccontextmanager
async def keep_page_running(words: Sequence[str], until: asyncio.Event) -> AsyncIterator[None]:
    """Run `retinue WORDS` again and again until the block ends. Once `until` is set, it is not started again."""
    async with asyncio.TaskGroup() as owner:
        keeping = owner.create_task(run_again_and_again(words, until), name="page")
        yield
        keeping.cancel()


async def run_again_and_again(words: Sequence[str], until: asyncio.Event) -> None:
    clock, pause = asyncio.get_running_loop().time, FIRST_PAUSE_SECONDS
    while True:
        begun = clock()
        try:
            outcome = await run_once(words)
        except Exception:  # an error here must not end the bot
            log.exception(texts.UNFORESEEN_ERROR)
            outcome = texts.UNFORESEEN_ERROR
        if until.is_set():
            return
        if clock() - begun > STEADY_SECONDS:
            pause = FIRST_PAUSE_SECONDS
        log.warning("%s", texts.PAGE_ENDED(outcome=outcome, seconds=pause))
        await asyncio.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE_SECONDS)


async def run_once(words: Sequence[str]) -> str:
    """Run the page until it ends, and log what it says. Return how it ended."""
    here = os.pathsep.join(filter(None, [str(Path(bot.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "bot", *words),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, "PYTHONPATH": here},
            start_new_session=True,  # Ctrl-C in the terminal is only for the bot
            limit=MAX_LINE_BYTES,
        )
    except OSError as error:
        return str(error.strerror)
    assert process.stdout
    assert process.stderr
    try:
        async with asyncio.TaskGroup() as reading:
            reading.create_task(log_lines(process.stdout, logs.log_cli_output_line))
            reading.create_task(log_lines(process.stderr, log_warning))
        return texts.EXIT_STATUS(status=await process.wait())
    finally:
        await asyncio.shield(end_process(process))


def log_warning(text: str) -> None:
    log.warning("%s", text)


async def log_lines(stream: asyncio.StreamReader, write: Callable[[str], None]) -> None:
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # it was longer than MAX_LINE_BYTES
            continue
        if not line:
            return
        write(texts.PAGE_SAYS(line=line.decode(errors="replace").rstrip()))


async def end_process(process: Process) -> None:
    """End a process by the end of its stdin; kill it if it takes longer than END_SECONDS."""
    assert process.stdin
    process.stdin.close()
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
