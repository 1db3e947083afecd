"""`retinue chat`: talk here, in the terminal, with the bot that already runs or with a bot in this process."""

import asyncio
import logging
import os
import select
import shlex
import stat
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from bot import app
from bot.assembly import Backend, assemble, backend_data_folder, choose_backend, demo_config
from bot.cli import print_error, texts
from bot.cli.options import config_option
from bot.cli.startup import describe_whereabouts, hold_environment_lock, warn_of_disk
from bot.cli.terminal_run import PATIENCE_SECONDS, TerminalRun, attach_to_running_bot, user_name
from bot.config import LoadedConfig, exposure, load
from bot.config.roles import load_roles
from bot.core.access import Access
from bot.core.errors import ConfigError, FolderInUse, first_bot_error
from bot.core.exit_status import ExitStatus
from bot.core.printable import escape_unprintable
from bot.core.program_names import retinue_command
from bot.core.role import LEAD
from bot.core.texts import operators, people
from bot.ops.control.server import ControlServer
from bot.ops.folder_holder import HOLDER_REQUEST, answer_with
from bot.ops.garbage_collector import freeze_lasting_objects
from bot.ops.health import answer_health_request, retinue_version
from bot.ops.logs import open_log_file, secrets_to_redact
from bot.ops.watchdog import Watchdog
from bot.store import folder_lock
from bot.store.chat_reader import ChatReader
from channels.terminal.channel import LocalSeat, Terminal
from channels.terminal.talk import CHANNEL, LOCAL_ADDRESS, OWNER, Talk

HINT_SECONDS = 2.0


@click.command()
@config_option
@click.option("-m", "--message", "text", metavar="TEXT", help="Say this, print the answer, and leave; stdin joins it.")
@click.option("--lines", "by_lines", is_flag=True, help="From a pipe: each line is a message, answered in order.")
@click.option("--continue", "goes_on", is_flag=True, help="Go on with the newest conversation.")
@click.option(
    "--json", "is_json", is_flag=True, help="Of one message: print the answer as JSON, with who worked for it."
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long to wait for a model that is away or too busy; 60 for a message of -m or a pipe, else 900.",
)
@click.option("--plain", is_flag=True, help="Without a screen: nothing is drawn over, each line typed is a message.")
@click.argument("words", nargs=-1, metavar="")
def command(
    file: Path | None,
    text: str | None,
    by_lines: bool,
    goes_on: bool,
    is_json: bool,
    wait: float | None,
    plain: bool,
    words: tuple[str, ...],
) -> ExitStatus:
    """Talk here, in the terminal; what comes from a pipe is one message."""
    if words:
        raise click.UsageError(texts.TO_SAY_AT_ONCE(command=retinue_command(f"chat -m {shlex.quote(' '.join(words))}")))
    if text is not None and not text.strip():
        raise click.UsageError(texts.MESSAGE_IS_EMPTY)
    if by_lines and (is_json or text is not None):
        raise click.UsageError(texts.LINES_ARE_FOR_MANY)
    if not by_lines:
        text = "\n\n".join(filter(None, [text, read_piped_stdin().strip()])) or None
    if is_json and text is None:
        raise click.UsageError(texts.JSON_NEEDS_A_MESSAGE)
    return hold_conversation(file, text, goes_on=goes_on, wait=wait, is_json=is_json, is_plain=plain)


def read_piped_stdin() -> str:
    """Return all of stdin if it is a pipe, a socket or a file, else an empty string."""
    try:
        kind = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # stdin was closed
        return ""
    if not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)):
        return ""
    with suppress(OSError):
        if stat.S_ISFIFO(kind) and not select.select([sys.stdin], [], [], HINT_SECONDS)[0]:
            print_error(texts.WAITING_FOR_STDIN)
        return sys.stdin.buffer.read().decode(errors="replace")
    return ""


TERMINAL_ACCESS = {CHANNEL: Access(owner=OWNER, owner_at=LOCAL_ADDRESS)}
WAIT_SECONDS = 60.0  # how long a single message waits for a model that is away


def hold_conversation(
    file: Path | None,
    text: str | None,
    *,
    goes_on: bool,
    wait: float | None = None,
    is_json: bool = False,
    is_plain: bool = False,
) -> ExitStatus:
    """Talk until the input or the session ends. Return the exit status."""
    hold_environment_lock()
    is_typed = text is None and sys.stdin.isatty()
    is_watched = is_typed and not is_plain and sys.stdout.isatty()
    loaded = load(file)
    words = partial(list_completions, loaded)
    if wait is None and text is not None:
        wait = WAIT_SECONDS
    data = backend_data_folder(loaded)
    is_demo = data != loaded.config.data_dir
    sitting = TerminalRun(
        text,
        is_watched=is_watched,
        is_json=is_json,
        is_continuing=goes_on,
        wait_seconds=wait,
        completions=words,
        is_free=is_demo,
    )
    for warning in exposure.exposure_warnings(loaded):
        print_error(warning)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a reply may hold any character
    if is_typed:
        for line in describe_whereabouts(loaded, (demo_config(loaded.config) if is_demo else loaded.config).workspace):
            click.echo(
                click.style(escape_unprintable(line), dim=True) if is_watched else escape_unprintable(line), err=True
            )
    if is_demo:
        click.echo(texts.DEMO_ANSWERS, err=True)
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return try_to_talk(loaded, data, sitting, give_up)
        except FolderInUse:  # another process has just started: attach to it
            if time.monotonic() >= give_up:
                raise


def try_to_talk(loaded: LoadedConfig, data: Path, sitting: TerminalRun, give_up: float) -> ExitStatus:
    """Talk with the bot that holds the folder, or else with a bot in this process. Return the exit status.

    The bot that holds the folder has until `give_up` (monotonic clock, seconds) to answer.
    Raise FolderInUse if another process takes the folder before this one can.
    """
    try:
        if (status := asyncio.run(attach_to_running_bot(data, sitting, give_up))) is not None:
            return status
        backend = choose_backend(loaded, is_watched=sitting.is_watched)
        prepare_data_folder(data, secrets_to_redact(loaded.config))
        freeze_lasting_objects()
        return asyncio.run(run_bot_with_terminal(loaded, backend, sitting))
    except BaseExceptionGroup as group:
        raise first_bot_error(group) or group from None


async def run_bot_with_terminal(loaded: LoadedConfig, backend: Backend, sitting: TerminalRun) -> ExitStatus:
    """Run a bot in this process and talk with it. Return the exit status. Other terminals can attach to this bot."""
    until, path = asyncio.Event(), backend.data / "bot.db"
    talk = Talk(
        ChatReader(path, LOCAL_ADDRESS), user_name(), goes_on=sitting.is_continuing, patience=sitting.wait_seconds
    )
    face = sitting.make_face(talk, until, backend.title, backend.data)
    terminal = Terminal(LocalSeat(face, talk), title=backend.title, version=retinue_version())
    health = partial(answer_health_request, loaded.config.model_copy(update={"data_dir": backend.data}))
    control = ControlServer(backend.data, {"health": health, "chat": terminal.attach, HOLDER_REQUEST: answer_with([])})
    hear_of_disk = partial(warn_of_disk, terminal)
    async with Watchdog().watch_loop(), assemble(backend, [terminal], TERMINAL_ACCESS) as assembly:
        await app.run_bot(replace(assembly, control=control.run, hear_of_disk=hear_of_disk), until)
    return sitting.finish(face, talk, path, texts.ENDS_UNANSWERED(command=retinue_command("chat")))


def list_completions(loaded: LoadedConfig) -> list[str]:
    """Return the words that Tab completes: the commands, and the names of the roles that a command can stop."""
    return [*people.COMMANDS, *(name for name in load_roles(loaded.config, "the settings") if name != LEAD)]


def prepare_data_folder(data: Path, secrets: Collection[str]) -> None:
    """Make the data folder and log to a file in it, because the terminal is for the conversation.

    Raise ConfigError if the folder or the file cannot be used.
    """
    try:
        folder_lock.make_data_folder(data)
        logging.raiseExceptions = False  # a log that fails, as on a full disk, prints nothing into the conversation
        log = open_log_file(data, secrets)
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None
    logging.basicConfig(level=logging.WARNING, handlers=[log])
