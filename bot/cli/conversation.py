"""A conversation in the terminal, with the bot that already runs or with a bot in this process."""

import asyncio
import logging
import sys
import time
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from bot import app
from bot.assembly import Backend, assemble, backend_data_folder, choose_backend, demo_config
from bot.cli import environment_lock, print_error, texts
from bot.cli.attached_terminal import PATIENCE_SECONDS, attach_to_running_bot
from bot.cli.exception_groups import first_bot_error
from bot.cli.terminal_run import TerminalRun, user_name
from bot.cli.whereabouts import describe_whereabouts
from bot.config import LoadedConfig, exposure, load
from bot.config.roles import load_roles
from bot.core import phrases
from bot.core.access import Access
from bot.core.errors import ConfigError, FolderInUse
from bot.core.exit_status import ExitStatus
from bot.core.printable import escape_unprintable
from bot.core.program_names import retinue_command
from bot.core.role import LEAD
from bot.core.texts import operators
from bot.engine.commands import command_menu
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
    environment_lock.hold_environment_lock()
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

    def hear_of_disk(why: str | None) -> None:
        terminal.warn(phrases.disk_state_text(why), is_over=why is None)

    async with Watchdog().watch_loop(), assemble(backend, [terminal], TERMINAL_ACCESS) as assembly:
        await app.run_bot(replace(assembly, control=control.run, hear_of_disk=hear_of_disk), until)
    return sitting.finish(face, talk, path, texts.ENDS_UNANSWERED(command=retinue_command("chat")))


def list_completions(loaded: LoadedConfig) -> list[str]:
    """Return the words that Tab completes: the commands, and the names of the roles that a command can stop."""
    return [*command_menu(), *(name for name in load_roles(loaded.config, "the settings") if name != LEAD)]


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
