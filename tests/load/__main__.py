"""Load, whole: `scripts/torture load` or `python -m tests.load`, with the names of platforms or none for all.

On each: 30 messages a second from 500 chats for a minute, 5,000 queued before the start, and one who floods. The exit
status is 1 if anything was lost, doubled or out of order, or a limit passed.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.load import Crowd, Load, at_work
from tests.load.crowds import CROWDS

OpenCrowd = Callable[[], AbstractAsyncContextManager[Crowd]]

CHATS, PER_SECOND, SECONDS = 500, 30, 60
QUEUED = 5_000
FLOOD_CHATS, FLOOD_PER_SECOND, FLOOD = 100, 10, 5
PATIENCE = 600.0


def report(what: str, load: Load, chats: range) -> int:
    """Say what came of it; return the number of faults."""
    faults = load.faults()
    waits = f"p50 {load.percentile(chats, 50):.1f} s, p95 {load.percentile(chats):.1f} s"
    print(f"{what}: {len(load.at)} messages, {waits}, faults {len(faults)}", *faults[:3], sep="\n   ", flush=True)
    return len(faults)


async def stream(crowd: OpenCrowd, data: Path) -> int:
    async with crowd() as people, at_work(people, data) as load:
        await load.flows(CHATS, PER_SECOND, SECONDS)
        await load.is_answered(PATIENCE)
        return report(f"{PER_SECOND} a second from {CHATS} chats for {SECONDS} s", load, range(1, CHATS + 1))


async def queue(crowd: OpenCrowd, data: Path) -> int:
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
            return report(f"{QUEUED} queued before the start", again, range(1, CHATS + 1))


async def flood(crowd: OpenCrowd, data: Path) -> int:
    p95, faults = list[float](), 0
    for per_second in (0.0, FLOOD):
        async with crowd() as people, at_work(people, data / str(per_second)) as load:
            await load.flows(FLOOD_CHATS, FLOOD_PER_SECOND, SECONDS / 3, flood=per_second)
            await load.is_answered(PATIENCE)
            others = range(1, FLOOD_CHATS + 1)
            beside = f", beside one who floods with {per_second:g}" if per_second else ""
            faults += report(f"{FLOOD_PER_SECOND} a second from {FLOOD_CHATS} chats{beside}", load, others)
            p95.append(load.percentile(others))
    print(f"the others' 95th percentile: {p95[1] / p95[0]:.2f} times that without the flood", flush=True)
    return faults


async def main(*names: str) -> int:
    """The number of faults; SystemExit for a platform that there is not."""
    if unknown := [name for name in names if name not in CROWDS]:
        sys.exit(f"there is no load on {unknown[0]!r}; there is on {', '.join(CROWDS)}\n\n{__doc__}")
    faults = 0
    for name in names or CROWDS:
        print(f"{name}:", flush=True)
        for what in (stream, queue, flood):
            with tempfile.TemporaryDirectory() as data:
                faults += await what(CROWDS[name], Path(data))
    return faults


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(main(*sys.argv[1:]))))
