"""The bot's memory, in a process of its own: before it was asked anything, after one answer, after many. Resident is
all that it has; private is what it shares with no other process, so what another tenant costs."""

import asyncio
import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench.processes import child
from tests.bench.responder import responder
from tests.bench.rig import Bare, running
from tests.bench.table import Row

CHATS = 200
KIB, MIB = 1 << 10, 1 << 20
MOST_IDLE, MOST_IDLE_WITH_CHANNEL, MOST_AFTER = 65, 80, 90  # MiB, private
START = 4.0  # seconds, until the SDK is imported, which is begun without being asked for
HELLO = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}


async def rows(count: int = CHATS) -> list[Row]:
    async with responder() as url:
        ours, bare = await asked("bot", url, count), await asked("bare", url, count)
    return [
        row("nothing asked yet", ours[0], MOST_IDLE),
        row("idle after the first answer", ours[1], MOST_IDLE, f"the bare SDK after one call: {bare[0]}"),
        row(f"after {count} chats at once", ours[2], MOST_AFTER, f"the bare SDK after as many calls: {bare[-1]}"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """In MiB."""

    resident: float
    private: float

    def __str__(self) -> str:
        return f"{self.private:.0f} MiB private, {self.resident:.0f} resident"


def row(when: str, found: Memory, most: float, other: str = "") -> Row:
    """Hold the private memory against `most` MiB."""
    return Row(
        what=f"memory, {when}",
        ours=str(found),
        other=other,
        value=found.private,
        most=most,
        aim=f"≤ {most:.0f} MiB private",
        is_ratio=False,
    )


async def asked(who: str, url: str, count: int) -> list[Memory]:
    async with child("tests.bench.memory", who, url, str(count)) as process:
        out, _ = await process.communicate()
    return [Memory(**each) for each in json.loads(out)]


def memory_of_this_process() -> Memory:
    """What the kernel counts; the private part is not to be had where /proc does not say it."""
    found = dict(re.findall(r"(?m)^(\w+): +(\d+) kB$", Path("/proc/self/smaps_rollup").read_text()))
    private = int(found["Private_Clean"]) + int(found["Private_Dirty"])
    return Memory(resident=int(found["Rss"]) * KIB / MIB, private=private * KIB / MIB)


async def of_bot(url: str, count: int) -> list[Memory]:
    found = []
    async with running(url) as bot:
        await asyncio.sleep(START)
        found.append(memory_of_this_process())
        await bot.ask("hi")
        await asyncio.sleep(0.5)
        found.append(memory_of_this_process())
        await asyncio.gather(*(bot.ask("hello", chat=f"room {number}") for number in range(count)))
        await asyncio.sleep(0.5)
        found.append(memory_of_this_process())
    return found


async def of_bare(url: str, count: int) -> list[Memory]:
    async with Bare(url) as sdk:
        await sdk.ask(HELLO)
        first = memory_of_this_process()
        await asyncio.gather(*(sdk.ask(HELLO) for _ in range(count)))
        return [first, memory_of_this_process()]


if __name__ == "__main__":
    who, url, count = sys.argv[1:]
    measure = of_bot if who == "bot" else of_bare
    print(json.dumps([asdict(each) for each in asyncio.run(measure(url, int(count)))]))
