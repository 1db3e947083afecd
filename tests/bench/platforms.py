"""A plain turn through each platform, from the message there to the answer there, beside the same in memory."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median

from tests.bench.platform import PLATFORMS, Platform, platform
from tests.bench.responder import responder
from tests.bench.rig import Bare, Bot, running, seconds_to_sync
from tests.bench.shipped import channel_at
from tests.bench.table import Row, ms

TURNS = 100
BLOCK = 10  # turns of one kind, before those of the next
CHATS = 50  # taken in turn, so that no chat is asked more often than its platform's limits let it be answered
REST = 0.01  # seconds for what follows an answer
OWN_SECONDS, SYNCS = 0.010, 4  # what a turn may add: so much, and so many times what the disk takes for a commit


@dataclass
class Measured:
    """Seconds of each turn: on the bus, and by platform; of each bare call, and of each time the disk was asked."""

    on_bus: list[float] = field(default_factory=list)
    through: dict[str, list[float]] = field(default_factory=dict)
    bare: list[float] = field(default_factory=list)
    sync: list[float] = field(default_factory=list)


async def rows(turns: int = TURNS) -> list[Row]:
    found = await measure(turns)
    return [row(name, found) for name in PLATFORMS]


def row(name: str, found: Measured) -> Row:
    ours, on_bus, bare, sync = map(median, (found.through[name], found.on_bus, found.bare, found.sync))
    may_add = OWN_SECONDS + SYNCS * sync
    return Row(
        what=f"time added to a plain turn, through {name.title()}",
        ours=f"{ms(ours)}: {ms(ours - bare)} more",
        other=f"{ms(on_bus)} on the bus ({ours / on_bus:.2f} times); {ms(bare)} a bare call; {ms(sync)} fdatasync",
        value=(ours - bare) / may_add,
        most=1.0,
        aim=f"10 ms + 4 times fdatasync = {ms(may_add)}",
    )


async def measure(turns: int = TURNS) -> Measured:
    """One bot with all its channels, asked by turns in each, so that what else the machine does falls on all."""
    found = Measured(through={name: [] for name in PLATFORMS})
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(responder())
        there = [await stack.enter_async_context(platform(name)) for name in PLATFORMS]
        channels = [await stack.enter_async_context(channel_at(each.where)) for each in there]
        sdk = await stack.enter_async_context(Bare(url))
        bot = await stack.enter_async_context(running(url, channels=channels))
        await block(bot, sdk, there, range(1), Measured(through={name: [] for name in PLATFORMS}))  # to warm up
        for first in range(1, turns + 1, BLOCK):
            await block(bot, sdk, there, range(first, min(first + BLOCK, turns + 1)), found)
    return found


async def block(bot: Bot, sdk: Bare, there: list[Platform], numbers: range, found: Measured) -> None:
    bodies = []
    for number in numbers:
        began = time.perf_counter()
        await bot.ask(f"This is message {number}: say something about it.", chat=f"room {number % CHATS}")
        found.on_bus.append(time.perf_counter() - began)
        bodies.append(bot.model.body())
        await asyncio.sleep(REST)
    for body in bodies:
        began = time.perf_counter()
        await sdk.ask(body)
        found.bare.append(time.perf_counter() - began)
    for each in there:
        for number in numbers:
            found.through[each.where.name].append(await each.ask(number % CHATS))
            await asyncio.sleep(REST)
    found.sync += [seconds_to_sync(bot.folder) for _ in range(5)]
