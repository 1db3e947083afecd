"""The forms of deliberate bugs: wrong statements at each start, or at the end of each transaction."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, Concatenate, ParamSpec, Self, TypeVar

from bot.store.connection import Connection, outbox_topic, turn_wake_up_topic
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
            if changed:
                wake_all(db)
            return result

        return await super().write(wrong)


def wake_all(db: Connection) -> None:
    """Let the couriers of the groups' chats and all open turns look at their rows: they may have more to do now."""
    for chat in CHATS.values():
        db.add_wake_up(outbox_topic(chat.split(":")[0]), chat)
    for row in db.fetch_rows("SELECT id FROM turns WHERE state != 'ended'"):
        db.add_wake_up(turn_wake_up_topic(row["id"]))
