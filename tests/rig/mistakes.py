"""The forms of deliberate bugs: wrong statements at each start, or at the end of each transaction."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, Concatenate, ParamSpec, Self, TypeVar

from bot.store.connection import Connection, outbox_topic
from bot.store.writer import DiskListener, ignore_disk_change
from tests.rig.groups import CHATS
from tests.rig.watching import Watched

P = ParamSpec("P")
R = TypeVar("R")


class Mistaken(Watched):
    """The bug: at each start, the store changes its rows by the statement `belief`, which assumes something wrong."""

    belief = ""

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path, hear: DiskListener = ignore_disk_change) -> AsyncIterator[Self]:
        async with super().open(path, hear) as store:
            await store.write(lambda db: db.execute(cls.belief) and None)
            yield store


class Afterwards(Watched):
    """The bug is done at the end of each transaction."""

    statements: ClassVar[list[str]] = []

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def wrong(db: Connection) -> R:
            result = work(db, *args, **kwargs)
            changed = sum(db.execute(statement).rowcount for statement in self.statements)
            for chat in CHATS.values() if changed else ():  # the couriers of these chats may have more to show now
                db.add_wake_up(outbox_topic(chat.split(":")[0]), chat)
            return result

        return await super().write(wrong)
