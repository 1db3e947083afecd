"""A person or a script at a terminal: how the conversation is shown, how it ends, and its exit status."""

import asyncio
import getpass
import json
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import json_records, print_error, texts
from bot.core import phrases
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command
from bot.store.chat_reader import ChatReader, read_database
from channels.terminal.lines import LineFace, read_lines_from, single_message
from channels.terminal.talk import Talk

if TYPE_CHECKING:
    from channels.terminal.screen import Screen


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
        face = self.make_screen_face(talk, title, data, until) if self.is_watched else self.make_lines_face(talk, until)
        loop.add_signal_handler(signal.SIGINT, face.interrupt)
        return face

    def make_lines_face(self, talk: Talk, until: asyncio.Event) -> LineFace:
        if self.text is not None:
            return LineFace(talk, single_message(self.text), until.set, is_single=True, tells=not self.is_json)
        typed = read_lines_from(sys.stdin.fileno())
        return LineFace(talk, typed, until.set, is_typed=sys.stdin.isatty(), is_free=self.is_free)

    def make_screen_face(self, talk: Talk, title: str, data: Path, until: asyncio.Event) -> "Screen":
        from channels.terminal.screen import Screen  # here: only a screen needs rich and prompt_toolkit

        return Screen(talk, title, data / "history", until.set, self.completions, is_free=self.is_free)

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
