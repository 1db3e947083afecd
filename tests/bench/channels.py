"""The bot's memory with one channel, in a process of its own: idle, after one answer, after a burst."""

import asyncio
import json
from dataclasses import asdict

from tests.bench.memory import CHATS, MOST_AFTER, MOST_IDLE_WITH_CHANNEL, START, Memory
from tests.bench.memory import row as row_of
from tests.bench.platform import PATIENCE, PLATFORMS, platform
from tests.bench.processes import child, told
from tests.bench.responder import responder
from tests.bench.table import Row

REST = 0.5  # seconds for what follows an answer


async def rows(chats: int = CHATS, start: float = START) -> list[Row]:
    return [row for name in PLATFORMS for row in await of(name, chats, start)]


async def of(name: str, chats: int, start: float) -> list[Row]:
    """Idle is connected, with the SDK imported, which is begun without being asked for."""
    who = f"the bot on {name}"
    async with responder() as url, platform(name) as there, child("tests.bench.alone") as bot:
        await told(bot, json.dumps({"url": url, "where": asdict(there.where)}), who, PATIENCE)
        await there.connected()
        await asyncio.sleep(start)
        idle = Memory(**json.loads(await told(bot, "idle", who, PATIENCE)))
        await there.ask(0)
        await asyncio.sleep(REST)
        answered = Memory(**json.loads(await told(bot, "answered", who, PATIENCE)))
        seconds = await there.ask(1, chats)
        await asyncio.sleep(REST)
        after = Memory(**json.loads(await told(bot, "after", who, PATIENCE)))
    title = name.title()
    return [
        row_of(f"idle with {title}", idle, MOST_IDLE_WITH_CHANNEL),
        row_of(f"with {title} after the first answer", answered, MOST_IDLE_WITH_CHANNEL),
        row_of(f"with {title} after {chats} chats at once", after, MOST_AFTER, f"all answered in {seconds:.1f} s"),
    ]
