"""The bot of the month: what `retinue run` assembles from a config, in a process of its own, on the shifted clock.

Only three things differ from `retinue run`: the clock, the pace at which the platforms are written to (theirs would let
the month last hours), and the waits before another try. SIGUSR1 says that the clock has jumped: a real bot looks at it
once a minute.
"""

import asyncio
import gc
import os
import random
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot import app, assembly
from bot.config import load
from bot.config.channel_access import access_of_channel, bot_account_on_platform
from bot.core.channel import Channel
from bot.core.limits import Timings
from bot.ops import logs
from bot.store import Store, folder_lock
from bot.store.connection import SCHEDULES_CHANGED_TOPIC, Connection
from channels.discord.channel import Discord
from channels.telegram.channel import Telegram
from channels.telegram.menus import commands_by_language
from tests.month.clock import ShiftedClock
from tests.support.discord_channel import QUICK
from tests.support.places.telegram import HASTY, NONE, UNPACED

MAX_DOWNLOAD_BYTES = 20 * 2**20
TIMINGS = Timings(
    draft_delay_seconds=0.3,
    draft_edit_seconds=(0.2,),
    delivery_retry_seconds=0.05,
    file_retry_seconds=0.1,
    stop_timeout_seconds=1.0,
)


class WatchedStore(Store):
    """The rows, and the last one that was opened."""

    opened: "WatchedStore | None" = None

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        WatchedStore.opened = self


def wake_scheduler(db: Connection) -> None:
    db.add_wake_up(SCHEDULES_CHANGED_TOPIC)


def be_the_bot(folder: Path, environment: Mapping[str, str]) -> None:
    """Run in the new process until it is stopped or killed."""
    out = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(folder)
    os.environ.update(environment)
    gc.freeze()  # what is imported need not be looked through
    random.seed()  # the server's state would be the same in each
    asyncio.run(answer(folder))


async def answer(folder: Path) -> None:
    stop, loop, jumps = asyncio.Event(), asyncio.get_running_loop(), set[asyncio.Task[None]]()

    def on_jump() -> None:
        if WatchedStore.opened:
            os.utime(lock, (clock(), clock()))
            jumps.add(task := loop.create_task(WatchedStore.opened.write(wake_scheduler), name="the clock has jumped"))
            task.add_done_callback(jumps.discard)

    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loaded = load(folder / "config.json")
    logs.set_up_stderr_logging(logs.secrets_to_redact(loaded.config), is_json=False)
    clock, lock = ShiftedClock(folder / "clock"), loaded.config.data_dir / folder_lock.LOCK_FILE_NAME
    folder_lock.make_data_folder(loaded.config.data_dir)
    loop.add_signal_handler(signal.SIGUSR1, on_jump)
    backend = assembly.claude_backend(loaded)
    access = {name: access_of_channel(name, loaded.config.channels[name]) for name in ("telegram", "discord")}
    async with assembly.open_assembly(backend, make_channels(loaded), access) as made:
        await app.run_bot(replace(made, now=clock.now, store=WatchedStore, timings=TIMINGS), stop)


def make_channels(loaded: Any) -> list[Channel]:
    """Return the channels as their `platform.py` makes them, with quick timings."""
    menus = assembly.make_command_menus(loaded.config)
    commands = menus[0].commands
    telegram, discord = (bot_account_on_platform(loaded.config, name) for name in ("telegram", "discord"))
    ours: Any = telegram.settings
    theirs: Any = discord.settings
    timing = replace(
        HASTY,
        poll_seconds=25,
        call_timeout_seconds=8.0,
        cosmetic_call_timeout_seconds=4.0,
        tap_answer_wait_seconds=2.0,
    )
    # A mark that waits for its pace would be out of date: the clock of the month moves by hours meanwhile.
    rates = replace(UNPACED, reaction_limit=NONE)
    quick = replace(
        QUICK,
        max_gateway_silence_seconds=45,
        request_timeout_seconds=8.0,
        seconds_away_until_fault=60,
        seconds_to_finish_command=1.5,
        reaction_limit=NONE,
    )
    made = Telegram(
        telegram.token,
        ours.base_url,
        commands,
        timing,
        rates,
        telegram.network,
        reactions=ours.reactions,
        native_drafts=ours.native_drafts,
        owner=ours.owner,
        commands_by_language=commands_by_language(menus),
    )
    # By its address the stand-in is a server of the operator's own, which has no such limit. It plays Telegram's.
    made.max_download_bytes = made.files.max_download_bytes = MAX_DOWNLOAD_BYTES
    return [
        made,
        Discord(
            discord.token,
            theirs.base_url,
            theirs.gateway_url,
            commands,
            quick,
            discord.network,
            role_label=theirs.role_label,
            reactions=theirs.reactions,
            threads=theirs.threads,
            forum_posts=theirs.forum_posts,
            menus=menus,
        ),
    ]
