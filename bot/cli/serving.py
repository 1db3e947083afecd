"""`retinue run` at work: what is built of the settings, how it is told to stop, and what it says when it is up."""

import asyncio
import logging
import os
import signal
from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import click

from bot import app, phrases
from bot.access import Access
from bot.channel import Channel
from bot.cli import environment, logs, one_line, texts
from bot.cli.accesses import access_of, settings_of
from bot.cli.answering import QUICK_PACE, Answering, claude, demo, of_demo
from bot.cli.condition import installed
from bot.cli.health_said import tell_health
from bot.cli.holder import ASKED, answer_with, wait_until_free
from bot.cli.metrics import watched
from bot.cli.unwrapping import deliberate
from bot.cli.whereabouts import whereabouts
from bot.collector import spare_what_stays
from bot.commands import menu
from bot.config import Loaded
from bot.config.settings import ChannelSettings
from bot.control.server import Control
from bot.errors import ConfigError
from bot.limits import DEFAULTS, Settings
from bot.store import lock
from bot.watchdog import Watchdog, notify
from bot.wiring import network_of
from channels.terminal.channel import Terminal
from channels.terminal.talk import CHANNEL, OWNER

CHANNELS = {  # where each is: imported only if it is enabled, for their libraries take seconds
    "telegram": ("channels.telegram.channel", "Telegram"),
    "discord": ("channels.discord.channel", "Discord"),
}


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
    chosen = demo(loaded, QUICK_PACE, is_public=True) if is_demo else claude(loaded)
    channels = [built(name, loaded) for name in names]
    access = {name: access_of(name, settings_of(loaded.config, name)) for name in names}
    access[CHANNEL] = Access(
        owner=OWNER
    )  # who may open the data folder; what is told there, nobody may be there to read
    async with Watchdog().watching(), chosen.model() as model, AsyncExitStack() as connections:
        for channel in channels:
            if isinstance(channel, AbstractAsyncContextManager):  # one whose connections outlast its `run`
                await connections.enter_async_context(channel)
        parts = await connections.enter_async_context(watched(loaded.config, model, channels, chosen.models))
        groups = connections.enter_context(chosen.groups)
        terminal = Terminal(title=chosen.title, version=installed())
        health = partial(tell_health, loaded.config.model_copy(update={"data_dir": chosen.data}))
        control = Control(chosen.data, {"health": health, "chat": terminal.attach, ASKED: answer_with(names)})
        run = partial(app.run, parts[0], chosen.roles, parts[1], chosen.data, groups=groups, tools=chosen.tools)
        run = partial(run, console=terminal, control=control.run, hear_of_disk=partial(hear_of_disk, terminal))
        is_up = partial(say_up, loaded, names, chosen.workspace, is_demo=is_demo)
        await run(access=access, settings=patient(chosen), until=until, is_up=is_up)
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


def patient(chosen: Answering) -> Settings:
    """Nobody sits before it: a turn that is stopped may come to its end."""
    return replace(chosen.settings, stop_seconds=DEFAULTS.stop_seconds)


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


def built(name: str, loaded: Loaded) -> Channel:
    """The channel of that name, of its own settings: those that every channel has are the bot's business."""
    settings = settings_of(loaded.config, name)
    assert settings.token, "the command has looked"
    module, kind = CHANNELS[name]
    words = [(command.removeprefix("/"), help) for command, help in menu().items()]
    own = settings.model_dump(exclude=set(ChannelSettings.model_fields))
    channel: Channel = getattr(import_module(module), kind)(
        token=settings.token.get_secret_value().strip(), commands=words, network=network_of(loaded.config), **own
    )
    return channel
