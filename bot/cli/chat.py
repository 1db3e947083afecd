"""`retinue chat`: talk in this terminal with the bot that already runs, or with a bot in this process."""

import asyncio
import getpass
import json
import os
import select
import shlex
import signal
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot import app
from bot.assembly import Backend, backend_data_folder, choose_backend, demo_config, open_assembly
from bot.cli import json_records, print_error, startup, texts
from bot.cli.options import config_option, run_in_event_loop
from bot.config import LoadedConfig, exposure, load
from bot.config.resolved_settings import find_operator_language
from bot.config.roles import load_roles
from bot.core.access import Access
from bot.core.errors import FolderInUse
from bot.core.exit_status import ExitStatus
from bot.core.languages import speaking
from bot.core.messages import Address, role_display_name
from bot.core.program_names import retinue_command
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import escape_unprintable, people
from bot.ops import logs
from bot.ops.control.unix_socket import connect_to_bot
from bot.ops.folder_holder import find_holding_process_id
from bot.ops.garbage_collector import collect_again_once_loaded
from bot.ops.health import retinue_version
from bot.ops.watchdog import Watchdog
from bot.store.chat_reader import ChatReader, query_database_file
from channels.terminal.attachments import ATTACH_COMMAND, describe_file
from channels.terminal.bot_connection import HELLO_TIMEOUT_SECONDS, BotConnection
from channels.terminal.channel import Terminal
from channels.terminal.conversation import LOCAL_ADDRESS, OWNER_ID, TerminalConversation
from channels.terminal.line_interface import LineInterface, iterate_single_text, read_lines_from_descriptor

if TYPE_CHECKING:
    from channels.terminal.screen_interface import ScreenInterface

    Face = ScreenInterface | LineInterface

STDIN_HINT_SECONDS = 2.0
MODEL_WAIT_SECONDS = 60.0  # a single message waits this long for a model that is away
ATTACH_TIMEOUT_SECONDS = 5.0  # wait for the socket of the bot that holds the folder: it may be starting or ending
ATTACH_RETRY_SECONDS = 0.1
RECONNECT_TIMEOUT_SECONDS = 60.0  # without a screen, wait this long for a bot that is away; a screen has no limit
TERMINAL_ACCESS = Access(owner_id=OWNER_ID, owner_address=LOCAL_ADDRESS)


@dataclass(frozen=True, slots=True)
class ChatRun:
    only_message: str | None  # None: read messages from stdin
    has_screen: bool  # to show the conversation; otherwise it prints lines
    is_json: bool
    is_continuing: bool
    model_wait_seconds: float | None  # how long to wait for a model that is away; None: the settings decide
    get_completions: Callable[[], list[str]]  # returns the words that Tab completes
    is_demo: bool  # the demo's script answers, which costs nothing
    is_typed: bool  # a person types the messages
    attached: tuple[Path, ...]  # files that come with the first message

    def make_terminal_conversation(self, database: Path, address: Address) -> TerminalConversation:
        name = "you"
        with suppress(OSError, KeyError):  # the user may have no passwd entry, as in a container
            name = getpass.getuser()
        reader = ChatReader(database, address)
        return TerminalConversation(
            reader,
            name,
            is_continuing=self.is_continuing,
            address=address,
            patience_seconds=self.model_wait_seconds,
            is_typed=self.is_typed,
            files_to_send=tuple(map(describe_file, self.attached)),
        )

    def make_face_with_signals(self, talk: TerminalConversation, end: asyncio.Event, title: str, data: Path) -> "Face":
        """Return the face that shows the conversation and sets `end` when it ends. Handle signals from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end.set)
        face: Face
        if self.has_screen:
            from channels.terminal.screen_interface import ScreenInterface  # only a screen needs rich, prompt_toolkit

            face = ScreenInterface(talk, title, data / "history", end.set, self.get_completions, is_free=self.is_demo)
        elif self.only_message is not None:
            typed = iterate_single_text(self.only_message)
            face = LineInterface(talk, typed, end.set, is_single_message=True, prints_answers=not self.is_json)
        else:
            typed = read_lines_from_descriptor(sys.stdin.fileno())
            face = LineInterface(talk, typed, end.set, is_interactive=sys.stdin.isatty(), is_free=self.is_demo)
        loop.add_signal_handler(signal.SIGINT, face.on_interrupt)
        return face

    def print_outcome(self, face: "Face", talk: TerminalConversation, database: Path, unanswered: str) -> None:
        """Print what the person must still know. Print `unanswered` if a message has no answer yet. Name
        the roles that still work in the background. With --json, print the newest message's result."""
        if not self.has_screen and talk.rows.list_unanswered_message_ids():
            print_error(unanswered)
        if not self.has_screen and (roles := ChatReader(database, talk.address).list_background_roles()):
            names = ", ".join(map(role_display_name, roles))
            print_error(texts.STILL_IN_BACKGROUND(roles=names, command=retinue_command("chat --continue")))
        if self.is_json and isinstance(face, LineInterface):
            nothing: dict[str, Any] = {}
            result = query_database_file(
                database, lambda db: json_records.message_result_as_json(db, face.newest_message_id), nothing
            )
            click.echo(json.dumps(result))


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
@click.option(
    "--attach",
    "attached",
    metavar="FILE",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path),
    help="Send this file with the message, or with the first one; more than once for several files.",
)
@click.option("--plain", is_flag=True, help="Without a screen: nothing is drawn over, each line typed is a message.")
@click.argument("words", nargs=-1, metavar="")
def chat(
    file: Path | None,
    text: str | None,
    by_lines: bool,
    goes_on: bool,
    is_json: bool,
    wait: float | None,
    attached: tuple[Path, ...],
    plain: bool,
    words: tuple[str, ...],
) -> ExitStatus:
    """Talk here, in the terminal; a pipe is one message."""
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
    startup.hold_virtualenv_lock()
    is_typed = text is None and sys.stdin.isatty()
    if attached and text is None and not (is_typed or by_lines):
        raise click.UsageError(texts.ATTACH_NEEDS_A_MESSAGE)
    loaded = load(file)
    data = backend_data_folder(loaded)
    is_demo = data != loaded.config.data_dir
    chat_run = ChatRun(
        text,
        has_screen=is_typed and not plain and sys.stdout.isatty(),
        is_json=is_json,
        is_continuing=goes_on,
        model_wait_seconds=MODEL_WAIT_SECONDS if wait is None and text is not None else wait,
        get_completions=partial(list_completions, loaded),
        is_demo=is_demo,
        is_typed=is_typed,
        attached=attached,
    )
    for warning in exposure.exposure_warnings(loaded):
        print_error(warning)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a reply may hold any character
    if is_typed:
        config = demo_config(loaded.config) if is_demo else loaded.config
        for line in startup.describe_config_and_workspace(loaded, config.workspace):
            line = escape_unprintable(line)
            click.echo(click.style(line, dim=True) if chat_run.has_screen else line, err=True)
    if is_demo:
        click.echo(texts.DEMO_ANSWERS, err=True)
    give_up = time.monotonic() + ATTACH_TIMEOUT_SECONDS
    while True:
        try:
            return talk_with_running_or_own_bot(loaded, data, chat_run, give_up)
        except FolderInUse:  # another process has just taken the folder: attach to it
            if time.monotonic() >= give_up:
                raise


def read_piped_stdin() -> str:
    """Return all of stdin if it is a pipe, a socket or a file, else an empty string."""
    try:
        kind = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # stdin was closed
        return ""
    if not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)):
        return ""
    with suppress(OSError):
        if stat.S_ISFIFO(kind) and not select.select([sys.stdin], [], [], STDIN_HINT_SECONDS)[0]:
            print_error(texts.WAITING_FOR_STDIN)
        return sys.stdin.buffer.read().decode(errors="replace")
    return ""


def talk_with_running_or_own_bot(loaded: LoadedConfig, data: Path, chat_run: ChatRun, give_up: float) -> ExitStatus:
    """Talk with the bot that holds the folder, or else with one in this process. Return the exit status. Wait for the
    other's answer until `give_up` (monotonic clock, seconds). Raise FolderInUse if this one cannot take the folder."""
    with speaking(find_operator_language(loaded.config)):  # a bot in this process sees to it itself
        status = run_in_event_loop(talk_with_running_bot(data, chat_run, give_up))
    if status is not None:
        return status
    backend = choose_backend(loaded, is_watched=chat_run.has_screen)
    startup.make_data_folder_and_open_log(data, logs.secrets_to_redact(loaded.config))
    return run_in_event_loop(run_bot_with_terminal(loaded, backend, chat_run))


async def talk_with_running_bot(data: Path, chat_run: ChatRun, give_up: float) -> ExitStatus | None:
    """Talk with the bot that holds the folder. Return the exit status, or None if no process holds the folder or the
    bot has not answered by `give_up` (monotonic clock, seconds)."""
    if not find_holding_process_id(data):
        return None
    connect = partial(connect_to_bot, data, HELLO_TIMEOUT_SECONDS)
    remote = BotConnection(connect, retinue_version(), is_continuing=chat_run.is_continuing)
    while not await remote.try_to_connect():
        if time.monotonic() >= give_up or not find_holding_process_id(data):
            return None
        await asyncio.sleep(ATTACH_RETRY_SECONDS)
    assert remote.address, "it has sat down"
    logs.silence_logs()
    until, path = asyncio.Event(), data / "bot.db"
    talk = chat_run.make_terminal_conversation(path, remote.address)
    face = chat_run.make_face_with_signals(talk, until, remote.answerer_title, data)
    limit = None if chat_run.has_screen else RECONNECT_TIMEOUT_SECONDS
    async with asyncio.TaskGroup() as tasks:
        # This task comes first, because it looks for unanswered messages.
        talking = tasks.create_task(face.run(remote.publish_until_taken), name="face")
        hearing = tasks.create_task(remote.show_and_reconnect(face, texts.BOT_AWAY, texts.BOT_BACK, limit), name="bot")
        hearing.add_done_callback(lambda _: until.set())
        await until.wait()
        is_lost = hearing.done()
        for task in (hearing, talking):
            task.cancel()
    await remote.close()
    if is_lost:
        print_error(texts.BOT_LOST(command=retinue_command("chat --continue")))
        return ExitStatus.NOT_DONE
    chat_run.print_outcome(face, talk, path, texts.BOT_GOES_ON(command=retinue_command("chat --continue")))
    return face.status


async def run_bot_with_terminal(loaded: LoadedConfig, backend: Backend, chat_run: ChatRun) -> ExitStatus:
    """Run a bot in this process and talk with it. Return the exit status. Other terminals can attach to this bot."""
    collect_again_once_loaded(asyncio.get_running_loop())
    until, data = asyncio.Event(), backend.settings.data_dir
    talk = chat_run.make_terminal_conversation(data / "bot.db", LOCAL_ADDRESS)
    face = chat_run.make_face_with_signals(talk, until, backend.title, data)
    terminal = Terminal(face, title=backend.title, version=retinue_version())
    config = loaded.config.model_copy(update={"data_dir": data})
    control = startup.make_control_socket(config, terminal, [])
    hear_of_disk = partial(startup.tell_terminals_disk_state, terminal)
    opening = open_assembly(backend, [terminal], startup.access_without_platforms(config, TERMINAL_ACCESS))
    async with Watchdog().watch_event_loop(), opening as assembly:
        await app.run_bot(replace(assembly, serve_control_socket=control, on_disk_state_change=hear_of_disk), until)
    chat_run.print_outcome(face, talk, data / "bot.db", texts.ENDS_UNANSWERED(command=retinue_command("chat")))
    return face.status


def list_completions(loaded: LoadedConfig) -> list[str]:
    return [
        *people.COMMANDS,
        ATTACH_COMMAND,
        *(name for name in load_roles(loaded.config, "the settings") if name != LEAD_ROLE_NAME),
    ]
