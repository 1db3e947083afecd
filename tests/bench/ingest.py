"""How many messages the bot takes in a second from a platform, durably; beside the bare library, which keeps none."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from statistics import median

from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from tests.bench.platform import PLATFORMS, Platform, platform
from tests.bench.rig import running
from tests.bench.shipped import channel_at
from tests.bench.table import Row
from tests.stand_ins.bots import bot_of

CHATS, EACH = 100, 20
ROUNDS = 3
LEAST = 300  # a second: ten times what Telegram lets a bot send
LOOK = 0.002  # seconds between two looks at the rows
PATIENCE = 120.0
NOBODY = "http://127.0.0.1:9"  # no request is made


class Thinking(Model):
    """A model that comes to no end: what is taken in is measured, and not what is answered."""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError("nobody wakes it")


async def rows(chats: int = CHATS, each: int = EACH, rounds: int = ROUNDS) -> list[Row]:
    return [await row(name, chats, each, rounds) for name in PLATFORMS]


async def row(name: str, chats: int, each: int, rounds: int) -> Row:
    ours, bare = list[float](), list[float]()
    for _ in range(rounds):
        async with platform(name) as there:  # a new one for each: what it remembers grows
            ours.append(chats * each / await taken_in(there, chats, each))
        async with platform(name) as there:
            bare.append(chats * each / await BARE[name](there, chats, each))
    rate = median(ours)
    return Row(
        what=f"messages taken in a second from {name.title()}, {chats * each} at once",
        ours=f"{rate:.0f}",
        other=f"{median(bare):.0f} by the bare library ({rate / median(bare):.2f} times)",
        value=LEAST / rate,
        most=1.0,
        aim=f"≥ {LEAST}",
        is_ratio=False,
    )


async def taken_in(there: Platform, chats: int, each: int) -> float:
    """Seconds until all are rows. One message in a chat of its own comes first, so that the connection is there."""
    async with channel_at(there.where) as channel, running(NOBODY, model=Thinking(), channels=[channel]) as bot:
        await bot.chat.is_open()
        await there.say(0, 1, 1)
        await kept(bot.folder, 1)
        began = time.perf_counter()
        await there.say(1, chats, each)
        await kept(bot.folder, 1 + chats * each)
        return time.perf_counter() - began


async def kept(folder: Path, count: int) -> None:
    """Wait until so many messages are durable, as another process would see them."""
    with closing(sqlite3.connect(f"file:{folder / 'bot.db'}?mode=ro", uri=True)) as db:
        async with asyncio.timeout(PATIENCE):
            while db.execute("SELECT count(*) FROM inbox").fetchone()[0] < count:  # noqa: ASYNC110 -- rows wake nobody
                await asyncio.sleep(LOOK)


async def bare_telegram(there: Platform, chats: int, each: int) -> float:
    from telegram import Bot  # here: who measures something else must not pay for it

    async with Bot(there.where.token, base_url=there.where.base_url) as bot:
        await there.say(0, 1, 1)
        offset = (await bot.get_updates(timeout=5))[-1].update_id + 1
        began, heard = time.perf_counter(), 0
        async with asyncio.TaskGroup() as people:
            people.create_task(there.say(1, chats, each), name="people")
            while heard < chats * each:
                updates = await bot.get_updates(offset=offset, limit=100, timeout=5)
                heard += len(updates)
                offset = updates[-1].update_id + 1 if updates else offset
        return time.perf_counter() - began


async def bare_discord(there: Platform, chats: int, each: int) -> float:
    async with bot_of(there.where) as bot:
        began = time.perf_counter()
        await there.say(1, chats, each)
        await bot.until(lambda: len(bot.heard) >= chats * each)
        return time.perf_counter() - began


BARE = {"telegram": bare_telegram, "discord": bare_discord}
