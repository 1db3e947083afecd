"""Faults around the bot: a clock that jumps, a platform that fails in one chat, a full disk."""

import asyncio
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from bot.core.channel import MessagePart
from bot.core.messages import PlatformId
from bot.store import Store
from bot.store.connection import Connection, ConnectionRunner
from bot.store.signals import WakeUpSignals
from bot.store.writer import StoreWriter
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel
from tests.support.patience import PATIENCE

R = TypeVar("R")

_rounds = count(1)


class Clock:
    """The time that the test sets: `app.run(now=Clock())`."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def passes(self, **time: float) -> None:
        self.time += timedelta(**time)


class Ahead:
    """The time plus `by`."""

    by = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.by


class Uneven(FakeChannel):
    """A platform that fails in one chat, with one text, or with one kind of message. Each fault is raised once."""

    def __init__(self) -> None:
        super().__init__()
        self.troubles: dict[str, deque[Exception]] = defaultdict(deque)  # raised by sends
        self.troubles_at_edits: dict[str, deque[Exception]] = defaultdict(deque)
        self.tried: asyncio.Queue[str] = asyncio.Queue()  # the chats where something failed

    async def send(self, part: MessagePart) -> PlatformId:
        self.meet(self.troubles, part)
        return await super().send(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        self.meet(self.troubles_at_edits, part)
        await super().edit(id, part)

    def meet(self, all_troubles: dict[str, deque[Exception]], part: MessagePart) -> None:
        chat = part.message.address.chat
        for troubles in (all_troubles[chat], all_troubles[part.text], all_troubles[part.message.kind]):
            if troubles:
                self.tried.put_nowait(chat)
                if self.accepts_anyway and all_troubles is self.troubles:
                    self.sent.put_nowait(part)
                raise troubles.popleft()

    async def has_tried(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.tried.get()


class Sticky(FakeChannel):
    """A platform that does not answer one part, or any edit, until the test sets `go_on`."""

    def __init__(self, number: int = 0, *, at_edits: bool = False) -> None:
        super().__init__()
        self.number, self.at_edits = number, at_edits
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()

    async def send(self, part: MessagePart) -> PlatformId:
        if part.number == self.number and not self.at_edits:
            await self.stick()
        return await super().send(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if self.at_edits:
            await self.stick()
        await super().edit(id, part)

    async def stick(self) -> None:
        self.reached.set()
        await self.go_on.wait()


class SmallDisk(Store):
    """A store whose disk may be full."""

    disk_retry_seconds = 0.01
    disk: ClassVar[ConnectionRunner]
    refused: ClassVar[asyncio.Event]

    @classmethod
    def make_writer(cls, path: Path, writing: ConnectionRunner, signals: WakeUpSignals) -> StoreWriter:
        cls.disk, cls.refused = writing, asyncio.Event()
        writer = super().make_writer(path, writing, signals)

        async def in_its_thread(work: Callable[[Connection], R]) -> R:
            try:
                return await writing.run(work)
            except sqlite3.OperationalError:
                cls.refused.set()
                raise

        return replace(writer, run_on_connection=in_its_thread)

    @classmethod
    async def is_full(cls) -> None:
        await cls.disk.run(lambda db: db.execute(f"PRAGMA max_page_count = {db.fetch_number('PRAGMA page_count')}"))

    @classmethod
    async def has_met_its_end(cls) -> None:
        async with asyncio.timeout(PATIENCE):
            await cls.refused.wait()

    @classmethod
    async def has_room(cls) -> None:
        await cls.disk.run(lambda db: db.execute("PRAGMA max_page_count = 1000000"))


def listed(data: Path, look: Any) -> list[dict[str, Any]]:
    """Return what a function of the store finds from another connection."""
    db = sqlite3.connect(data / "bot.db", factory=Connection)
    db.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in look(db)]
    finally:
        db.close()


async def has_row(bench: Bench, sql: str) -> list[tuple[Any, ...]]:
    """Wait until a query finds something. Return it."""
    async with asyncio.timeout(PATIENCE):
        while not (rows := bench.rows(sql)):  # noqa: ASYNC110 -- rows of another connection wake nobody
            await asyncio.sleep(0.002)
    return rows


async def wait_for_row(bench: Bench, table: str, where: str = "TRUE", **values: str) -> None:
    """Wait until a table has a row with these values."""
    named = [f"{column} = '{value}'" for column, value in values.items()]
    await has_row(bench, f"SELECT 1 FROM {table} WHERE {' AND '.join([where, *named])}")


async def goes_round(bench: Bench) -> None:
    """Send a message through the whole bot and back, so that everything due before it has happened."""
    number = next(_rounds)
    bench.chat.hears("/help", chat=f"elsewhere {number}")
    await bench.chat.is_taken_in()
    await wait_for_row(bench, "outbox", address=f"fake:elsewhere%20{number}", state="sent")
    others = [bench.chat.sent.get_nowait() for _ in range(bench.chat.sent.qsize())]
    for part in others:
        if not part.message.address.chat.startswith("elsewhere"):
            bench.chat.sent.put_nowait(part)
