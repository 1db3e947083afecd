"""`retinue run` at work: what is built of the settings, how it is told to stop, and what it says when it is up."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module

import click

from bot import app
from bot.channel import Channel
from bot.cli import logs
from bot.cli.accesses import access_of, settings_of
from bot.cli.answering import QUICK_PACE, Answering, claude, demo, of_demo
from bot.cli.metrics import watched
from bot.cli.unwrapping import deliberate
from bot.commands import COMMANDS
from bot.config import Loaded
from bot.config.settings import ChannelSettings
from bot.errors import ConfigError
from bot.limits import DEFAULTS, Settings
from bot.store import lock

BY_A_SCRIPT = ", by a script: this is the demo"
CHANNELS = {  # where each is: imported only if it is enabled, for their libraries take seconds
    "telegram": ("channels.telegram.channel", "Telegram"),
    "discord": ("channels.discord.channel", "Discord"),
}


def serve(loaded: Loaded, names: Sequence[str], *, is_demo: bool = False) -> int:
    """Answer in these channels until told to stop; gives the exit status."""
    data = (of_demo(loaded.config) if is_demo else loaded.config).data_dir
    try:
        lock.make(data)
    except OSError as error:
        raise ConfigError(f"data_dir: cannot use the folder {data}: {error.strerror}") from None
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
    async with chosen.model() as model, AsyncExitStack() as connections:
        for channel in channels:
            if isinstance(channel, AbstractAsyncContextManager):  # one whose connections outlast its `run`
                await connections.enter_async_context(channel)
        parts = await connections.enter_async_context(watched(loaded.config, model, channels, chosen.models))
        groups = connections.enter_context(chosen.groups)
        run = partial(app.run, parts[0], chosen.roles, parts[1], chosen.data, groups=groups, tools=chosen.tools)
        await run(
            access=access, settings=patient(chosen), until=until, is_up=partial(say_up, loaded, names, is_demo=is_demo)
        )
    return 0


def obey_signals(until: asyncio.Event) -> None:
    """SIGTERM or SIGINT is a clean stop; the second one ends the process now, which loses nothing either."""
    loop = asyncio.get_running_loop()

    def heard(number: signal.Signals) -> None:
        if until.is_set():
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        until.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard, number)


def patient(chosen: Answering) -> Settings:
    """Nobody sits before it: a turn that is stopped may come to its end."""
    return replace(chosen.settings, stop_seconds=DEFAULTS.stop_seconds)


def say_up(loaded: Loaded, names: Sequence[str], *, is_demo: bool) -> None:
    text = f"answering on {' and '.join(names)}{BY_A_SCRIPT * is_demo}"
    logs.say(text) if loaded.config.logs == "json" else click.echo(text, err=True)


def built(name: str, loaded: Loaded) -> Channel:
    """The channel of that name, of its own settings: those that every channel has are the bot's business."""
    settings = settings_of(loaded.config, name)
    assert settings.token, "the command has looked"
    module, kind = CHANNELS[name]
    words = [(command.removeprefix("/"), each.help) for command, each in COMMANDS.items()]
    own = settings.model_dump(exclude=set(ChannelSettings.model_fields))
    channel: Channel = getattr(import_module(module), kind)(
        token=settings.token.get_secret_value().strip(), commands=words, **own
    )
    return channel
