"""`retinue run` at work: what is built of the settings, how it is told to stop, and what it says when it is up."""

import asyncio
import logging
import os
import signal
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from bot import app, phrases
from bot.access import Access
from bot.assembly import QUICK_PACE, assemble, channels_for, claude_backend, demo_backend, of_demo
from bot.cli import environment, logs, one_line, texts
from bot.cli.condition import installed
from bot.cli.health_said import tell_health
from bot.cli.holder import ASKED, answer_with, wait_until_free
from bot.cli.metrics import watched
from bot.cli.unwrapping import deliberate
from bot.cli.whereabouts import whereabouts
from bot.collector import spare_what_stays
from bot.config import Loaded
from bot.control.server import Control
from bot.errors import ConfigError
from bot.limits import DEFAULTS
from bot.store import lock
from bot.watchdog import Watchdog, notify
from channels.terminal.channel import Terminal
from channels.terminal.talk import CHANNEL, OWNER


def serve(loaded: Loaded, names: Sequence[str], *, is_demo: bool = False) -> int:
    """Answer in these channels until told to stop; gives the exit status."""
    environment.keep()
    spare_what_stays()
    data = (of_demo(loaded.config) if is_demo else loaded.config).data_dir
    try:
        lock.make(data)
        logging.getLogger().addHandler(logs.to_file(data, logs.secrets_of(loaded.config)))
    except OSError as error:
        raise ConfigError(texts.CANNOT_USE_DATA_FOLDER(folder=data, reason=error.strerror)) from None
    wait_until_free(data)
    try:
        return asyncio.run(answer(loaded, names, is_demo=is_demo))
    except BaseExceptionGroup as group:
        raise deliberate(group) or group from None


async def answer(loaded: Loaded, names: Sequence[str], *, is_demo: bool) -> int:
    until = asyncio.Event()
    obey_signals(until)  # before all else: to import what a channel needs takes a second
    backend = demo_backend(loaded, QUICK_PACE, is_public=True) if is_demo else claude_backend(loaded)
    channels, access = channels_for(loaded, names)
    access[CHANNEL] = Access(owner=OWNER)  # who may open the data folder; of faults nobody may be there to read
    terminal = Terminal(title=backend.title, version=installed())
    health = partial(tell_health, loaded.config.model_copy(update={"data_dir": backend.data}))
    control = Control(backend.data, {"health": health, "chat": terminal.attach, ASKED: answer_with(names)})
    async with (
        Watchdog().watching(),
        assemble(backend, channels, access, terminal) as made,
        watched(loaded.config, made.model, channels, backend.models) as (model, counted),
    ):
        assembly = replace(
            made,
            model=model,
            channels=counted,
            settings=replace(backend.settings, stop_seconds=DEFAULTS.stop_seconds),  # nobody sits before it
            control=control.run,
            hear_of_disk=partial(hear_of_disk, terminal),
            is_up=partial(say_up, loaded, names, backend.workspace, is_demo=is_demo),
        )
        await app.run(assembly, until)
    return 0


def hear_of_disk(terminal: Terminal, why: str | None) -> None:
    terminal.warn(phrases.of_disk(why), is_over=why is None)


def obey_signals(until: asyncio.Event) -> None:
    """SIGTERM or SIGINT is a clean stop; the second one ends the process now, which loses nothing either."""
    loop = asyncio.get_running_loop()

    def heard(number: signal.Signals) -> None:
        if until.is_set():
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        notify("STOPPING=1")
        until.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard, number)


def say_up(loaded: Loaded, names: Sequence[str], workspace: Path, *, is_demo: bool) -> None:
    notify("READY=1")
    channels = " and ".join(names)
    up = texts.DEMO_ANSWERING(channels=channels) if is_demo else texts.ANSWERING(channels=channels)
    say_all(loaded, [*whereabouts(loaded, workspace), up])


def say_all(loaded: Loaded, lines: Iterable[str]) -> None:
    for line in lines:
        logs.say(line)
        if loaded.config.logs != "json":
            click.echo(one_line(line), err=True)
