"""A conversation in the terminal: who answers, whether there is a screen, and what the exit status is."""

import asyncio
import getpass
import json
import logging
import signal
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot import app, phrases
from bot.access import Access
from bot.cli import complain, records
from bot.cli.answering import Answering, answering
from bot.cli.discretion import Discreet
from bot.cli.logs import secrets_of
from bot.cli.unwrapping import deliberate
from bot.config import load
from bot.errors import ConfigError
from bot.store import lock
from bot.store.review import Review, look
from channels.terminal.channel import Terminal
from channels.terminal.lines import Lines, alone, lines_of
from channels.terminal.talk import CHANNEL, HERE, OWNER, Talk

if TYPE_CHECKING:
    from channels.terminal.screen import Screen

ACCESS = {CHANNEL: Access(owner=OWNER, owner_at=HERE)}
LOG_BYTES = 1_000_000
IN_BACKGROUND = "still at work in the background: {roles}; `retinue chat --continue` goes on and shows the report"
UNANSWERED = "this ends with something unanswered; the next `retinue chat` answers it first"


def hold(file: Path | None, text: str | None, *, goes_on: bool, is_json: bool = False) -> int:
    """Talk until there is no more to say; gives the exit status."""
    is_watched = text is None and sys.stdin.isatty() and sys.stdout.isatty()
    loaded = load(file)
    chosen = answering(loaded, is_watched=is_watched)
    make_folder(chosen.data, secrets_of(loaded.config))
    if chosen.announcement:
        click.echo(chosen.announcement, err=True)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # whatever a reply holds can be shown
    try:
        talk = Talk(Review(chosen.data / "bot.db", HERE), user_name(), goes_on=goes_on)
        return asyncio.run(converse(chosen, talk, text, is_watched=is_watched, is_json=is_json))
    except BaseExceptionGroup as group:
        raise deliberate(group) or group from None


async def converse(chosen: Answering, talk: Talk, text: str | None, *, is_watched: bool, is_json: bool) -> int:
    until, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, until.set)
    face = screen(chosen, talk, until) if is_watched else lines(talk, text, until, tells=not is_json)
    loop.add_signal_handler(signal.SIGINT, face.interrupt)

    def hear_of_disk(why: str | None) -> None:
        face.warn(phrases.of_disk(why), is_over=why is None)

    with chosen.groups as groups:
        async with chosen.model() as model:
            run = partial(app.run, model, chosen.roles, [Terminal(face, talk)], chosen.data, groups=groups)
            settings, tools = chosen.settings, chosen.tools
            await run(tools=tools, access=ACCESS, settings=settings, until=until, hear_of_disk=hear_of_disk)
    if not is_watched and talk.look.unanswered():
        complain(UNANSWERED)
    if not is_watched and (roles := Review(chosen.data / "bot.db", HERE).in_background()):
        complain(IN_BACKGROUND.format(roles=", ".join(map(phrases.shown, roles))))
    if is_json and isinstance(face, Lines):
        nothing: dict[str, Any] = {}
        said = look(chosen.data / "bot.db", lambda db: records.of_message(db, face.newest), nothing)
        click.echo(json.dumps(said))
    return face.status


def screen(chosen: Answering, talk: Talk, until: asyncio.Event) -> "Screen":
    from channels.terminal.screen import Screen  # here, since nobody else needs rich and prompt_toolkit

    return Screen(talk, chosen.title, chosen.data / "history", until.set)


def lines(talk: Talk, text: str | None, until: asyncio.Event, *, tells: bool) -> Lines:
    if text is not None:
        return Lines(talk, alone(text), until.set, is_single=True, tells=tells)
    return Lines(talk, lines_of(sys.stdin.fileno()), until.set)


def user_name() -> str:
    with suppress(OSError, KeyError):  # a user without an entry, as in a container
        return getpass.getuser()
    return "you"


def make_folder(data: Path, secrets: Collection[str]) -> None:
    """Make the data folder; what is logged goes to a file in it, since the terminal is for the conversation."""
    try:
        lock.make(data)
        logging.raiseExceptions = False  # what cannot be logged, as on a full disk, is not told in the conversation
        log = RotatingFileHandler(data / "retinue.log", maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"data_dir: cannot use {error.filename or data}: {error.strerror}") from None
    log.setFormatter(Discreet(secrets))
    logging.basicConfig(level=logging.WARNING, handlers=[log])
