"""The store of the bot under test, which looks after each transaction whether it holds what must hold at all times."""

import logging
from collections.abc import Callable
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from bot.store import Store
from bot.store.connection import Connection
from tests.rig.groups import MOST_ASKED

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")

ASKED = """SELECT count(*) FROM turns JOIN calls USING (id) WHERE turns.state != 'ended'
    AND json_extract(calls.arguments, '$.group') IS NOT NULL"""
BUSY = "SELECT count(*) FROM calls WHERE name = 'delegate' AND state = 'done' AND result LIKE 'busy:%'"


class Watched(Store):
    """What it finds goes to the log, where a run looks for errors."""

    settings: ClassVar[dict[str, Any]] = {}  # that are not as they should be, in a deliberate bug
    told_busy: ClassVar[int | None] = None  # how often, in all that is in the rows

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def watched(db: Connection) -> R:
            result = work(db, *args, **kwargs)
            watch(db)
            return result

        return await super().write(watched)


def watch(db: Connection) -> None:
    """Never are more groups asked than may be, and nobody hears that all are busy while there is room."""
    asked, busy = db.fetch_number(ASKED), db.fetch_number(BUSY)
    has_heard = Watched.told_busy is not None and busy > Watched.told_busy
    Watched.told_busy = busy
    if asked > MOST_ASKED or (has_heard and asked < MOST_ASKED):
        log.error("Error: %d groups are asked%s", asked, ", and one more is too many" * has_heard)
