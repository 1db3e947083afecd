"""A turn beside a bare call with the same request: time, processor, and how both grow over a conversation; then in
fresh chats, with the short answer and with one in many pieces, and counted in calls of functions."""

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from statistics import fmean, median

from tests.bench.responder import responder
from tests.bench.rig import Bare, running, seconds_to_sync
from tests.bench.table import Row, ms

TURNS = 200
BLOCK = 10  # turns, then as many bare calls
REST = 0.01  # seconds for what follows an answer, which is no part of its time but of its processor
TIME_GROWN, CPU_GROWN = 1.25, 1.05  # of a tenth of the turns: of their time, so much is noise
PIECES = 200  # of an answer as people have it: about 150 words
TURNS_OF_FRESH_CHAT = 10
ROUNDS = 8  # of as many turns, bare calls and bare calls on aiohttp
OWN_SECONDS, SYNCS = 0.003, 3  # what a turn may add: so much, and so many times what the disk takes for a commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    seconds: float
    cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    ours: list[Cost]
    bare: list[Cost]
    sync: float


async def measure(turns: int = TURNS) -> Measured:
    """Blocks of turns and of bare calls by turns, so that what else the machine does falls on both."""
    ours, bare, syncs = list[Cost](), list[Cost](), list[float]()
    async with responder() as url, running(url) as bot, Bare(url) as sdk:
        for _ in range(3):
            await bot.ask("warm up", chat="another")
            await sdk.ask(bot.model.body())
        for block in range(0, turns, BLOCK):
            bodies = []
            for number in range(block, block + BLOCK):
                ours.append(await costing(bot.ask(f"This is message {number}: say something about it.")))
                bodies.append(bot.model.body())
            bare += [await costing(sdk.ask(body)) for body in bodies]
            syncs += [seconds_to_sync(bot.folder) for _ in range(5)]
    return Measured(ours=ours, bare=bare, sync=median(syncs))


async def costing(asked: Awaitable[str]) -> Cost:
    cpu, began = time.process_time(), time.perf_counter()
    await asked
    seconds = time.perf_counter() - began
    await asyncio.sleep(REST)
    return Cost(seconds=seconds, cpu=time.process_time() - cpu)


async def fresh(rounds: int = ROUNDS) -> list[Row]:
    """The processor of a turn in a fresh chat: of one with the short answer, and of one with a real answer."""
    return [
        await in_fresh_chats(rounds, 0, 1.5, "a plain turn in fresh chats"),
        await in_fresh_chats(rounds, PIECES, 0.7, f"a turn with an answer in {PIECES} pieces, in fresh chats"),
    ]


async def in_fresh_chats(rounds: int, pieces: int, most: float, what: str) -> Row:
    ours, bare, on_aiohttp = list[float](), list[float](), list[float]()
    async with (
        responder(pieces=pieces) as url,
        running(url) as bot,
        Bare(url) as sdk,
        Bare(url, on_aiohttp=True) as other,
    ):
        for each in (sdk, other):
            await bot.ask("warm up", chat="another")
            await each.ask(bot.model.body())
        for number in range(rounds):
            bodies = []
            for turn in range(TURNS_OF_FRESH_CHAT):
                ours.append((await costing(bot.ask(f"This is message {turn}.", chat=f"room {number}"))).cpu)
                bodies.append(bot.model.body())
            bare += [(await costing(sdk.ask(body))).cpu for body in bodies]
            on_aiohttp += [(await costing(other.ask(body))).cpu for body in bodies]
    value, value_on_aiohttp = fmean(ours) / fmean(bare), fmean(ours) / fmean(on_aiohttp)
    return Row(
        what=f"CPU of {what}",
        ours=ms(fmean(ours)),
        other=f"{ms(fmean(bare))} a bare call; {ms(fmean(on_aiohttp))} on aiohttp ({value_on_aiohttp:.2f} times)",
        value=value,
        most=most,
        aim=f"≤ {most} times the bare call",
    )


async def rows(turns: int = TURNS) -> list[Row]:
    found = await measure(turns)
    time_ours, time_bare = (median(cost.seconds for cost in costs) for costs in (found.ours, found.bare))
    cpu_ours, cpu_bare = (fmean(cost.cpu for cost in costs) for costs in (found.ours, found.bare))
    may_add = OWN_SECONDS + SYNCS * found.sync
    return [
        Row(
            what="time added to a plain turn, on the bus",
            ours=f"{ms(time_ours)}: {ms(time_ours - time_bare)} more",
            other=f"{ms(time_bare)} a bare call; {ms(found.sync)} a commit's fdatasync",
            value=(time_ours - time_bare) / may_add,
            most=1.0,
            aim=f"3 ms + 3 times fdatasync = {ms(may_add)}",
        ),
        Row(
            what="CPU of a plain turn",
            ours=ms(cpu_ours),
            other=f"{ms(cpu_bare)} a bare call",
            value=cpu_ours / cpu_bare,
            most=1.5,
            aim="≤ 1.5 times the bare call",
        ),
        *growth(found, turns),
    ]


def growth(found: Measured, turns: int) -> list[Row]:
    """The first turns of a chat against its last. The bare calls grow too: they send the same conversation."""
    if turns < 2 * BLOCK:
        return []
    made = []
    figures = (("time", TIME_GROWN, lambda cost: cost.seconds), ("CPU", CPU_GROWN, lambda cost: cost.cpu))
    for what, most, of in figures:
        first, last, bare_first, bare_last = (
            median(map(of, part))
            for part in (found.ours[:BLOCK], found.ours[-BLOCK:], found.bare[:BLOCK], found.bare[-BLOCK:])
        )
        made.append(
            Row(
                what=f"{what} of a turn, 1-{BLOCK} → {turns - BLOCK + 1}-{turns} of one chat",
                ours=f"{ms(first)} → {ms(last)}",
                other=f"{ms(bare_first)} → {ms(bare_last)} a bare call with the same history",
                value=last / first,
                most=most,
                aim=f"flat (≤ {most})",
            )
        )
    return made
