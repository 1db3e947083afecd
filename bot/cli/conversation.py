"""A conversation in the terminal: with the bot that runs already, or else with one of this process."""

import asyncio
import logging
import sys
import time
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from bot import app, phrases
from bot.access import Access
from bot.assembly import Backend, assemble, backend_for, data_of, of_demo
from bot.cli import complain, environment, one_line, texts
from bot.cli.attached import PATIENCE_SECONDS, attached
from bot.cli.condition import installed
from bot.cli.health_said import tell_health
from bot.cli.holder import ASKED, answer_with
from bot.cli.logs import secrets_of, to_file
from bot.cli.sitting import Sitting, user_name
from bot.cli.unwrapping import deliberate
from bot.cli.whereabouts import whereabouts
from bot.collector import spare_what_stays
from bot.commands import menu
from bot.config import Loaded, exposure, load
from bot.control.server import Control
from bot.errors import ConfigError, FolderInUse
from bot.program import command
from bot.role import LEAD
from bot.rolefiles import all_roles
from bot.store import lock
from bot.store.review import Review
from bot.texts import operators
from bot.watchdog import Watchdog
from channels.terminal.channel import Here, Terminal
from channels.terminal.talk import CHANNEL, HERE, OWNER, Talk

ACCESS = {CHANNEL: Access(owner=OWNER, owner_at=HERE)}
WAIT_SECONDS = 60.0  # for a model that is away, where there is one message and nobody watches


def hold(
    file: Path | None,
    text: str | None,
    *,
    goes_on: bool,
    wait: float | None = None,
    is_json: bool = False,
    is_plain: bool = False,
) -> int:
    """Talk until there is no more to say; gives the exit status."""
    environment.keep()
    is_typed = text is None and sys.stdin.isatty()
    is_watched = is_typed and not is_plain and sys.stdout.isatty()
    loaded = load(file)
    words = partial(completions, loaded)
    if wait is None and text is not None:
        wait = WAIT_SECONDS
    data = data_of(loaded)
    is_demo = data != loaded.config.data_dir
    sitting = Sitting(
        text,
        is_watched=is_watched,
        is_json=is_json,
        goes_on=goes_on,
        wait_seconds=wait,
        words=words,
        is_free=is_demo,
    )
    for warning in exposure.warnings(loaded):
        complain(warning)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # whatever a reply holds can be shown
    if is_typed:
        for line in whereabouts(loaded, (of_demo(loaded.config) if is_demo else loaded.config).workspace):
            click.echo(click.style(one_line(line), dim=True) if is_watched else one_line(line), err=True)
    if is_demo:
        click.echo(texts.DEMO_ANSWERS, err=True)
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return try_to_talk(loaded, data, sitting, give_up)
        except FolderInUse:  # another process has begun meanwhile: it can be spoken with
            if time.monotonic() >= give_up:
                raise


def try_to_talk(loaded: Loaded, data: Path, sitting: Sitting, give_up: float) -> int:
    """Talk with the bot that holds the folder, which may take until `give_up` to answer; or with one of this process.

    Raise FolderInUse if another process holds the folder by the time that this one is ready to.
    """
    try:
        if (status := asyncio.run(attached(data, sitting, give_up))) is not None:
            return status
        backend = backend_for(loaded, is_watched=sitting.is_watched)
        make_folder(data, secrets_of(loaded.config))
        spare_what_stays()
        return asyncio.run(converse(loaded, backend, sitting))
    except BaseExceptionGroup as group:
        raise deliberate(group) or group from None


async def converse(loaded: Loaded, backend: Backend, sitting: Sitting) -> int:
    """With a bot of this process; other terminals can be attached to it."""
    until, path = asyncio.Event(), backend.data / "bot.db"
    talk = Talk(Review(path, HERE), user_name(), goes_on=sitting.goes_on, patience=sitting.wait_seconds)
    face = sitting.face(talk, until, backend.title, backend.data)
    terminal = Terminal(Here(face, talk), title=backend.title, version=installed())
    health = partial(tell_health, loaded.config.model_copy(update={"data_dir": backend.data}))
    control = Control(backend.data, {"health": health, "chat": terminal.attach, ASKED: answer_with([])})

    def hear_of_disk(why: str | None) -> None:
        terminal.warn(phrases.of_disk(why), is_over=why is None)

    async with Watchdog().watching(), assemble(backend, [terminal], ACCESS) as assembly:
        await app.run(replace(assembly, control=control.run, hear_of_disk=hear_of_disk), until)
    return sitting.ended(face, talk, path, texts.ENDS_UNANSWERED(command=command("chat")))


def completions(loaded: Loaded) -> list[str]:
    """What Tab completes: the commands, and the names of the roles that can be stopped by them."""
    return [*menu(), *(name for name in all_roles(loaded.config, "the settings") if name != LEAD)]


def make_folder(data: Path, secrets: Collection[str]) -> None:
    """Make the data folder; what is logged goes to a file in it, since the terminal is for the conversation."""
    try:
        lock.make(data)
        logging.raiseExceptions = False  # what cannot be logged, as on a full disk, is not told in the conversation
        log = to_file(data, secrets)
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None
    logging.basicConfig(level=logging.WARNING, handlers=[log])
