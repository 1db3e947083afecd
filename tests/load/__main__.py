"""Load, whole: `scripts/torture load` or `python -m tests.load`, with the names of platforms or none for all."""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from tests.load import Crowd, Load, answering
from tests.load.crowds import CROWDS

OpenCrowd = Callable[[], AbstractAsyncContextManager[Crowd]]

CHATS, PER_SECOND, SECONDS = 500, 30, 60
QUEUED = 5_000
FLOOD_CHATS, FLOOD_PER_SECOND, FLOOD = 100, 10, 5
PATIENCE = 600.0


@asynccontextmanager
async def at_work(crowd: Crowd, data: Path) -> AsyncIterator[Load]:
    load, until = Load(crowd), asyncio.Event()
    async with asyncio.TaskGroup() as owner:
        owner.create_task(answering(load, data, until))
        yield load
        until.set()


def report(what: str, load: Load, chats: range) -> None:
    faults = load.faults()
    waits = f"p50 {load.percentile(chats, 50):.1f} s, p95 {load.percentile(chats):.1f} s"
    print(f"{what}: {len(load.at)} messages, {waits}, faults {len(faults)}", *faults[:3], sep="\n   ", flush=True)


async def stream(crowd: OpenCrowd, data: Path) -> None:
    async with crowd() as people, at_work(people, data) as load:
        await load.flows(CHATS, PER_SECOND, SECONDS)
        await load.is_answered(PATIENCE)
        report(f"{PER_SECOND} a second from {CHATS} chats for {SECONDS} s", load, range(1, CHATS + 1))


async def queue(crowd: OpenCrowd, data: Path) -> None:
    """Each chat has been heard before: a first message ever to a bot that is away, Discord tells nobody of."""
    async with crowd() as people:
        async with at_work(people, data) as load:
            for chat in range(1, CHATS + 1):
                load.says(chat)
            await load.is_answered(PATIENCE)
        for number in range(QUEUED):
            load.says(1 + number % CHATS)
        load.at = dict.fromkeys(load.at, time.monotonic())
        async with at_work(people, data) as again:
            again.said, again.at = load.said, load.at
            await again.is_answered(PATIENCE)
            report(f"{QUEUED} queued before the start", again, range(1, CHATS + 1))


async def flood(crowd: OpenCrowd, data: Path) -> None:
    p95 = []
    for per_second in (0.0, FLOOD):
        async with crowd() as people, at_work(people, data / str(per_second)) as load:
            await load.flows(FLOOD_CHATS, FLOOD_PER_SECOND, SECONDS / 3, flood=per_second)
            await load.is_answered(PATIENCE)
            others = range(1, FLOOD_CHATS + 1)
            beside = f", beside one who floods with {per_second:g}" if per_second else ""
            report(f"{FLOOD_PER_SECOND} a second from {FLOOD_CHATS} chats{beside}", load, others)
            p95.append(load.percentile(others))
    print(f"the others' 95th percentile: {p95[1] / p95[0]:.2f} times that without the flood", flush=True)


async def main(names: list[str]) -> None:
    for name in names or list(CROWDS):
        print(f"{name}:", flush=True)
        for what in (stream, queue, flood):
            with tempfile.TemporaryDirectory() as data:
                await what(CROWDS[name], Path(data))


asyncio.run(main(sys.argv[1:]))
