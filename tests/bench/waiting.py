"""A turn while many messages wait at other chats, against one while none does: what waits slows nobody."""

import asyncio
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from bot.core.messages import Address
from bot.store.connection import Connection
from tests.bench.responder import responder
from tests.bench.rig import Bot, folder, running
from tests.bench.table import Row, ms
from tests.support.rows import say

WAITING, CHATS = 50_000, 50
TURNS = 40
REST = 0.01  # seconds for what follows an answer, which is no part of its time but of its processor


async def rows(waiting: int = WAITING, turns: int = TURNS) -> list[Row]:
    with folder() as data:
        async with responder() as url:
            async with running(url, data=data) as bot:
                none = await processor_of_turns(bot, turns, "first")
            fill(data / "bot.db", waiting)
            async with running(url, data=data) as bot:
                many = await processor_of_turns(bot, turns, "second")
    return [
        Row(
            what=f"processor of a turn while {waiting:,} messages wait at {CHATS} other chats",
            ours=ms(many),
            other=f"{ms(none)} while none waits",
            value=many / none,
            most=1.2,
            aim="≤ 1.2 times",
        )
    ]


async def processor_of_turns(bot: Bot, turns: int, name: str) -> float:
    costs = list[float]()
    for number in range(turns):
        cpu = time.process_time()
        await bot.ask("hello", chat=f"{name} {number % 10}")
        await asyncio.sleep(REST)
        costs.append(time.process_time() - cpu)
    return median(costs[10:])


def fill(database: Path, count: int) -> None:
    """Let messages wait at other chats, for tomorrow."""
    with closing(sqlite3.connect(database, isolation_level=None, timeout=60, factory=Connection)) as db:
        db.start_collecting_wake_ups()
        db.execute("BEGIN IMMEDIATE")
        for number in range(count):
            say(db, f"waiting {number}", address=Address(channel="bench", chat=f"away {number % CHATS}"))
        later = datetime.now(UTC) + timedelta(days=1)
        db.execute("UPDATE outbox SET not_before = ? WHERE key GLOB 'waiting *'", (later,))
        db.execute("COMMIT")
