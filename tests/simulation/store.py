"""The store of a simulated bot: the real one, but its work is done in steps of the loop, and it may die at a commit.

A kill leaves an image: the files as they were at that moment, perhaps with a torn tail. The next bot starts on it.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from bot.core.messages import InboundMessage
from bot.engine.intake import store_events_and_open_turns
from bot.store.connection import MAX_CACHED_STATEMENTS, Connection
from tests.rig.bugs import BUGS
from tests.rig.planning import PLANNED
from tests.rig.watching import Watched
from tests.simulation.loop import Killed, settle
from tests.simulation.planners import PLANNERS
from tests.simulation.schedule_judge import judge

if TYPE_CHECKING:
    from tests.simulation.life import Life

R = TypeVar("R")
DATABASE = ("bot.db", "bot.db-wal")


class MortalConnection(Connection):
    """A connection of a process that may die at each commit, also at that of a migration."""

    life: Life
    changes = 0  # at the last commit
    is_migrating = False

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if sql == "COMMIT" and (self.total_changes > self.changes or self.is_migrating):
            self.changes, self.is_migrating = self.total_changes, False
            return self.life.commit(self, lambda: super(MortalConnection, self).execute(sql))
        self.is_migrating = self.is_migrating or sql.startswith("PRAGMA user_version =")
        return super().execute(sql, parameters)


class InlineConnection:
    """A connection whose work runs in steps of the loop, one after the other, as in a thread of its own."""

    def __init__(self, life: Life, path: Path) -> None:
        self.life = life
        self.db = MortalConnection(path, cached_statements=MAX_CACHED_STATEMENTS)
        self.db.life = life
        self._waiting: deque[tuple[Callable[[Connection], Any], asyncio.Future[Any]]] = deque()

    async def run(self, work: Callable[[Connection], R]) -> R:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        self._waiting.append((work, future))
        if len(self._waiting) == 1:
            self._do_next_soon()
        return await future

    async def interrupt(self) -> None:
        self.db.interrupt()

    def _do_next_soon(self) -> None:
        seconds = self.life.run.choices.seconds("store", 0.0001, 0.003)
        asyncio.get_running_loop().call_later(seconds, self._do_next)

    def _do_next(self) -> None:
        work, future = self._waiting[0]
        try:
            result = work(self.db)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it goes to the caller
            settle(future, error=error)
        else:
            settle(future, result)
        self._waiting.popleft()
        if self._waiting:
            self._do_next_soon()


def store_of(life: Life, bug: str) -> type[Watched]:
    """Return the class of one bot's store, with a deliberate bug if one is named."""
    bugged = BUGS[bug] if bug else Watched

    class Simulated(bugged):  # type: ignore[misc, valid-type]  # it is one of the bugs
        @staticmethod
        @asynccontextmanager
        async def connect(path: Path, pragmas: str) -> AsyncIterator[InlineConnection]:
            connection = InlineConnection(life, path)
            life.connections.append(connection.db)
            try:
                await connection.run(lambda db: db.executescript(pragmas))
                yield connection
            finally:
                await connection.run(lambda db: db.close())  # after all work that waits, as in a thread

        async def write(self, work: Callable[..., R], *args: Any, **kwargs: Any) -> R:
            life.store = self
            if life.run.scenario in (PLANNERS, *PLANNED):
                add_fault = life.run.add_fault
                planned = await super().write(lambda db: judge(db, lambda: work(db, *args, **kwargs), add_fault))
                return cast(R, planned)
            town = life.run.town
            if town is None or work is not store_events_and_open_turns or not isinstance(args[0][0], InboundMessage):
                return cast(R, await super().write(work, *args, **kwargs))
            judged = await super().write(lambda db: town.judge(args[0][0], lambda: work(db, *args, **kwargs), db))
            return cast(R, judged)

        @staticmethod
        def die() -> None:
            life.die("as the bug wants it")
            raise Killed

    return Simulated


def write_image(old: Path, new: Path, torn_wal: bytes | None = None) -> None:
    """Copy the database as a crash would leave it. `torn_wal` stands for the log if its last write was torn."""
    shutil.copytree(old, new, ignore=shutil.ignore_patterns("*-shm"))  # it ends with the process
    if torn_wal is not None:
        (new / DATABASE[1]).write_bytes(torn_wal)


def tear(before: bytes, after: bytes, share: float) -> bytes:
    """Return a log of which only a part of the last write has reached the disk."""
    length = min(len(before), len(after))
    difference = int.from_bytes(before[:length]) ^ int.from_bytes(after[:length])
    first = length - (difference.bit_length() + 7) // 8
    # A log that has begun anew keeps its old end, so the last write may end long before the file does.
    end = len(after) if len(after) > length else length - ((difference & -difference).bit_length() - 1) // 8
    cut = first + int((end - first) * share)
    return after[:cut] + before[cut:]
