"""The bot's resident memory, in a process of its own: before it was asked anything, after one answer, after many."""

import asyncio
import json
import os
import sys
from pathlib import Path

from tests.bench.processes import child
from tests.bench.responder import responder
from tests.bench.rig import Bare, running
from tests.bench.table import Row

CHATS = 200
MIB = 1 << 20
START = 4.0  # seconds, until the SDK is imported, which is begun without being asked for
HELLO = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}


async def rows(count: int = CHATS) -> list[Row]:
    async with responder() as url:
        ours, bare = await asked("bot", url, count), await asked("bare", url, count)
    after = f"{bare[-1]:.0f} MiB the bare SDK after as many calls"
    return [
        row("resident, nothing asked yet", ours[0], 100),
        row("resident, idle after the first answer", ours[1], 100, f"{bare[0]:.0f} MiB the bare SDK after one call"),
        row(f"resident, after {count} chats at once", ours[2], 120, after),
    ]


def row(what: str, mib: float, most: float, other: str = "") -> Row:
    return Row(
        what=what, ours=f"{mib:.0f} MiB", other=other, value=mib, most=most, aim=f"≤ {most:.0f} MiB", is_ratio=False
    )


async def asked(who: str, url: str, count: int) -> list[float]:
    async with child("tests.bench.memory", who, url, str(count)) as process:
        out, _ = await process.communicate()
    return [float(each) for each in json.loads(out)]


def resident() -> float:
    """MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


async def of_bot(url: str, count: int) -> list[float]:
    found = []
    async with running(url) as bot:
        await asyncio.sleep(START)
        found.append(resident())
        await bot.ask("hi")
        await asyncio.sleep(0.5)
        found.append(resident())
        await asyncio.gather(*(bot.ask("hello", chat=f"room {number}") for number in range(count)))
        await asyncio.sleep(0.5)
        found.append(resident())
    return found


async def of_bare(url: str, count: int) -> list[float]:
    async with Bare(url) as sdk:
        await sdk.ask(HELLO)
        first = resident()
        await asyncio.gather(*(sdk.ask(HELLO) for _ in range(count)))
        return [first, resident()]


if __name__ == "__main__":
    who, url, count = sys.argv[1:]
    measure = of_bot if who == "bot" else of_bare
    print(json.dumps(asyncio.run(measure(url, int(count)))))
