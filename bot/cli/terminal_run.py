"""A person or a script at a terminal: how the conversation is shown, how it ends, and its exit status."""

import asyncio
import getpass
import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import json_records, print_error, texts
from bot.core import phrases
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command
from bot.ops import logs
from bot.ops.control.socket_path import connect_to_bot
from bot.ops.folder_holder import holding_process
from bot.ops.health import retinue_version
from bot.store.chat_reader import ChatReader, read_database
from channels.terminal.bot_connection import HELLO_SECONDS, BotConnection
from channels.terminal.channel import LocalSeat
from channels.terminal.lines import LineFace, read_lines_from, single_message
from channels.terminal.talk import Talk

if TYPE_CHECKING:
    from channels.terminal.screen import Screen

PATIENCE_SECONDS = 5.0  # wait for the socket of the bot that holds the folder: it may be starting or ending
RETRY_SECONDS = 0.1
AWAY_SECONDS = 60.0  # one message or a pipe waits this long for a bot that is away; a screen has no limit


@dataclass(frozen=True, slots=True)
class TerminalRun:
    text: str | None  # the only message; None: read messages from stdin
    is_watched: bool  # there is a screen
    is_json: bool
    is_continuing: bool
    wait_seconds: float | None  # how long to wait for a model that is away; None: the settings decide
    completions: Callable[[], list[str]]  # what Tab completes
    is_free: bool = False  # the demo's script answers, which costs nothing

    def make_face(self, talk: Talk, until: asyncio.Event, title: str, data: Path) -> "Screen | LineFace":
        """Return the face that shows the conversation and sets `until` when it ends. Handle signals from now on."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, until.set)
        face: Screen | LineFace
        if self.is_watched:
            from channels.terminal import screen  # here: only a screen needs rich and prompt_toolkit

            face = screen.Screen(talk, title, data / "history", until.set, self.completions, is_free=self.is_free)
        elif self.text is not None:
            face = LineFace(talk, single_message(self.text), until.set, is_single=True, tells=not self.is_json)
        else:
            typed = read_lines_from(sys.stdin.fileno())
            face = LineFace(talk, typed, until.set, is_typed=sys.stdin.isatty(), is_free=self.is_free)
        loop.add_signal_handler(signal.SIGINT, face.interrupt)
        return face

    def finish(self, face: "Screen | LineFace", talk: Talk, database: Path, unanswered: str) -> ExitStatus:
        """Print what is left to say and return the exit status.

        Print `unanswered` if a message has no answer yet. Name the roles that still work in the background.
        With --json, print the newest message's result.
        """
        if not self.is_watched and talk.look.find_unanswered():
            print_error(unanswered)
        if not self.is_watched and (roles := ChatReader(database, talk.address).roles_in_background()):
            names = ", ".join(map(phrases.role_display_name, roles))
            print_error(texts.STILL_IN_BACKGROUND(roles=names, command=retinue_command("chat --continue")))
        if self.is_json and isinstance(face, LineFace):
            nothing: dict[str, Any] = {}
            click.echo(
                json.dumps(read_database(database, lambda db: json_records.message_as_json(db, face.newest), nothing))
            )
        return face.status


def user_name() -> str:
    with suppress(OSError, KeyError):  # the user may have no passwd entry, as in a container
        return getpass.getuser()
    return "you"


async def attach_to_running_bot(data: Path, sitting: TerminalRun, give_up: float) -> ExitStatus | None:
    """Talk with the bot that holds the folder. Return the exit status.

    Return None if no process holds the folder, or if the bot has not answered by `give_up` (monotonic clock, seconds).
    """
    if not holding_process(data):
        return None
    remote = BotConnection(
        partial(connect_to_bot, data, HELLO_SECONDS), retinue_version(), goes_on=sitting.is_continuing
    )
    while not await remote.open():
        if time.monotonic() >= give_up or not holding_process(data):
            return None
        await asyncio.sleep(RETRY_SECONDS)
    assert remote.address, "it has sat down"
    logs.silence_logs()
    until, path = asyncio.Event(), data / "bot.db"
    review = ChatReader(path, remote.address)
    talk = Talk(
        review, user_name(), goes_on=sitting.is_continuing, address=remote.address, patience=sitting.wait_seconds
    )
    face = sitting.make_face(talk, until, remote.title, data)
    here, patience = LocalSeat(face, talk), None if sitting.is_watched else AWAY_SECONDS
    async with asyncio.TaskGroup() as tasks:
        talking = tasks.create_task(here.run(remote.publish), name="face")  # first: it looks for what was left open
        hearing = tasks.create_task(remote.run(here, texts.BOT_AWAY, texts.BOT_BACK, patience), name="bot")
        hearing.add_done_callback(lambda _: until.set())
        await until.wait()
        is_lost = hearing.done()
        for task in (hearing, talking):
            task.cancel()
    await remote.close()
    if is_lost:
        print_error(texts.BOT_LOST(command=retinue_command("chat --continue")))
        return ExitStatus.NOT_DONE
    return sitting.finish(face, talk, path, texts.BOT_GOES_ON(command=retinue_command("chat --continue")))
