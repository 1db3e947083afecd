"""Stores that watch what the bot does to them, or delay it."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from bot.journal import endings
from bot.store import Store
from bot.store.connection import Connection
from tests.support.patience import PATIENCE

MOST = {
    "turn": "SELECT max(cost + reserved) FROM turns WHERE depth = 0",
    "chat": "SELECT max(cost + reserved) FROM spending WHERE chat NOT IN ('') AND chat NOT LIKE '@%'",
    "day": "SELECT max(cost + reserved) FROM spending WHERE chat = ''",
}


def most_at_once() -> tuple[type[Store], Counter[str]]:
    """Return a store, and a counter of the most that was spent and reserved at any of its commits."""
    most: Counter[str] = Counter()

    class Watching(Store):
        @classmethod
        def commit(cls, db: Connection) -> None:
            for name, query in MOST.items():
                most[name] = max(most[name], db.fetch_number(query))
            super().commit(db)

    return Watching, most


class Died(Exception):
    """The process has died, as far as a store can imitate that."""


def dying(at: int, *, is_written: bool) -> type[Store]:
    """Return a store that dies at its `at`-th commit that changes anything, before or after it is written."""

    class Dying(Store):
        commits = changes = 0

        @classmethod
        def commit(cls, db: Connection) -> None:
            cls.commits += db.total_changes > cls.changes
            is_last = cls.commits == at and db.total_changes > cls.changes
            cls.changes = db.total_changes
            if is_last and not is_written:
                raise Died
            super().commit(db)
            if is_last:
                raise Died

    return Dying


class Gate:
    """Delays one kind of read while it is closed."""

    def __init__(self, held: Callable[..., Any]) -> None:
        self.held = held
        self._is_open = asyncio.Event()
        self._is_open.set()

    def close(self) -> None:
        self._is_open.clear()

    def open(self) -> None:
        self._is_open.set()

    def store(self) -> type[Store]:
        gate = self

        class Held(Store):
            async def read(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
                if work is gate.held:
                    await gate._is_open.wait()
                return await super().read(work, *args, **kwargs)

        return Held


class NeverCloses(Store):
    """A store that blocks when trees of turns are to be ended."""

    reached: ClassVar[asyncio.Event]

    @classmethod
    def anew(cls) -> asyncio.Event:
        """Return a new event, set when the store blocks."""
        cls.reached = asyncio.Event()
        return cls.reached

    async def write(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if work is endings.end_marked_trees:
            self.reached.set()
            await asyncio.Event().wait()
        return await super().write(work, *args, **kwargs)


class Commits:
    """Lets a test wait until the rows are in some state."""

    def __init__(self) -> None:
        self._written = asyncio.Event()

    def store(self) -> type[Store]:
        written = self._written

        class Telling(Store):
            async def write(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
                try:
                    return await super().write(work, *args, **kwargs)
                finally:
                    written.set()

        return Telling

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self._written.clear()
                await self._written.wait()


class Tally:
    """Counts the bot's commits and its trips to the store (`ways`), and keeps every statement."""

    def __init__(self) -> None:
        self.commits = self.ways = 0
        self.statements: list[str] = []
        self._work: list[tuple[str, int]] = []  # each statement, with the steps that SQLite's virtual machine took
        self._under_way = 0

    def forget(self) -> None:
        self.commits = self.ways = 0
        self.statements.clear()
        self._work.clear()

    async def rest(self) -> None:
        """Wait until no trip to the store is under way and none begins in 50 rounds of the loop."""
        quiet = 0
        while quiet < 50:  # rounds of the event loop
            quiet = 0 if self._under_way else quiet + 1
            await asyncio.sleep(0)

    def store(self) -> type[Store]:
        tally = self

        class Counted(Store):
            changes = 0

            @classmethod
            def commit(cls, db: Connection) -> None:
                tally.commits += db.total_changes > cls.changes  # a commit without changes does not write to the disk
                cls.changes = db.total_changes
                super().commit(db)

            async def write(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
                with tally.way():
                    return await super().write(tally.traced(work), *args, **kwargs)

            async def read(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
                with tally.way():
                    return await super().read(tally.traced(work), *args, **kwargs)

        return Counted

    @contextmanager
    def way(self) -> Iterator[None]:
        self.ways += 1
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    def traced(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def watched(db: Connection, *args: Any, **kwargs: Any) -> Any:
            begun: list[str] = []  # of this trip: another may be under way in the other thread
            steps: Counter[int] = Counter()

            def step() -> int:
                steps[len(begun)] += 1
                return 0  # continue

            db.set_trace_callback(begun.append)
            db.set_progress_handler(step, 1)  # call it at every step
            try:
                return work(db, *args, **kwargs)
            finally:
                db.set_trace_callback(None)
                db.set_progress_handler(None, 1)
                self.statements += begun
                self._work += [(statement, steps[number]) for number, statement in enumerate(begun, start=1)]

        return watched

    def most_work(self) -> Counter[str]:
        """Return the most steps that a statement took, by its shape."""
        most: Counter[str] = Counter()
        for statement, steps in self._work:
            most[shape(statement)] = max(most[shape(statement)], steps)
        return most


def shape(statement: str) -> str:
    """Return a statement without its values."""
    return re.sub(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?(?:e-?\d+)?\b", "?", statement)
