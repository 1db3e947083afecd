"""A conversation in the terminal: with the bot that runs already, or else with one of this process."""

import asyncio
import logging
import sys
from collections.abc import Collection
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path

import click

from bot import app, phrases
from bot.access import Access
from bot.cli.answering import ANNOUNCEMENT, Answering, answering, data_of
from bot.cli.attached import attached, is_held
from bot.cli.condition import installed
from bot.cli.discretion import Discreet
from bot.cli.health_said import tell_health
from bot.cli.logs import secrets_of
from bot.cli.sitting import Sitting, user_name
from bot.cli.unwrapping import deliberate
from bot.config import Loaded, load
from bot.control.server import Control
from bot.errors import ConfigError
from bot.store import lock
from bot.store.review import Review
from bot.watchdog import Watchdog
from channels.terminal.channel import Here, Terminal
from channels.terminal.talk import CHANNEL, HERE, OWNER, Talk

ACCESS = {CHANNEL: Access(owner=OWNER, owner_at=HERE)}
LOG_BYTES = 1_000_000
UNANSWERED = "this ends with something unanswered; the next `retinue chat` answers it first"


def hold(file: Path | None, text: str | None, *, goes_on: bool, is_json: bool = False) -> int:
    """Talk until there is no more to say; gives the exit status."""
    is_watched = text is None and sys.stdin.isatty() and sys.stdout.isatty()
    sitting = Sitting(text, is_watched=is_watched, is_json=is_json, goes_on=goes_on)
    loaded = load(file)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # whatever a reply holds can be shown
    data = data_of(loaded)
    try:
        if data != loaded.config.data_dir:
            click.echo(ANNOUNCEMENT, err=True)
        if is_held(data) and (status := asyncio.run(attached(data, sitting))) is not None:
            return status
        chosen = answering(loaded, is_watched=is_watched)
        make_folder(data, secrets_of(loaded.config))
        return asyncio.run(converse(loaded, chosen, sitting))
    except BaseExceptionGroup as group:
        raise deliberate(group) or group from None


async def converse(loaded: Loaded, chosen: Answering, sitting: Sitting) -> int:
    """With a bot of this process; other terminals can be attached to it."""
    until, path = asyncio.Event(), chosen.data / "bot.db"
    talk = Talk(Review(path, HERE), user_name(), goes_on=sitting.goes_on)
    face = sitting.face(talk, until, chosen.title, chosen.data)
    terminal = Terminal(Here(face, talk), title=chosen.title, version=installed())
    health = partial(tell_health, loaded.config.model_copy(update={"data_dir": chosen.data}))
    control = Control(chosen.data, {"health": health, "chat": terminal.attach})

    def hear_of_disk(why: str | None) -> None:
        terminal.warn(phrases.of_disk(why), is_over=why is None)

    with chosen.groups as groups:
        async with Watchdog().watching(), chosen.model() as model:
            run = partial(app.run, model, chosen.roles, [terminal], chosen.data, groups=groups, control=control.run)
            settings, tools = chosen.settings, chosen.tools
            await run(tools=tools, access=ACCESS, settings=settings, until=until, hear_of_disk=hear_of_disk)
    return sitting.ended(face, talk, path, UNANSWERED)


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
