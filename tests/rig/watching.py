"""The store of the bot under test. After each transaction it checks what must hold at all times."""

import logging
import os
import signal
from collections.abc import Callable
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from bot.store import Store
from bot.store.connection import Connection
from bot.store.text_search.indexing import index_some_texts
from bot.store.text_search.words import Languages
from tests.rig.groups import MOST_ASKED

log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")

ASKED = """SELECT count(*) FROM turns JOIN calls USING (id) WHERE turns.state != 'ended'
    AND json_extract(calls.arguments, '$.group') IS NOT NULL"""
IN_BACKGROUND = "SELECT id FROM turns WHERE background AND state != 'ended'"
DIRECT = "SELECT session, id FROM turns WHERE depth > 0 AND instr(id, '/') = 0 AND state != 'ended'"
# A call that waits for a person to agree to it or to its cost, and that has begun or says that it is done, though that
# person has not agreed. The last option says no.
UNAGREED = """SELECT calls.id FROM questions, json_each(questions.arguments, '$.held_calls') AS held
    JOIN calls ON calls.id = held.value
    WHERE NOT EXISTS (SELECT 1 FROM json_each(questions.options) AS option
        WHERE option.value = questions.answer AND option.key < json_array_length(questions.options) - 1)
    AND (calls.state = 'started' OR calls.approval != '' OR (calls.state = 'done' AND NOT calls.is_error)
        OR EXISTS (SELECT 1 FROM turns WHERE turns.id = calls.id))"""
BUSY = "SELECT count(*) FROM calls WHERE name = 'delegate' AND state = 'done' AND result LIKE 'busy:%'"


class Watched(Store):
    """A store that logs each fault as an error. A run looks for errors in the log."""

    settings: ClassVar[dict[str, Any]] = {}  # settings that a deliberate bug changes
    languages: ClassVar[Languages] = ()  # by which texts are indexed in the transaction that writes them; empty: later
    told_busy: ClassVar[int | None] = None  # how many calls in the rows were refused as busy
    in_background: ClassVar[set[str]] = set()  # the turns that work for themselves
    direct: ClassVar[dict[str, str]] = {}  # by session: the direct turn that works there

    @staticmethod
    def die() -> None:
        """End this process at once, for a deliberate bug."""
        os.kill(os.getpid(), signal.SIGKILL)

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def watched(db: Connection) -> R:
            result = work(db, *args, **kwargs)
            watch(db)
            if self.languages:
                index_some_texts(db, self.languages)
            return result

        return await super().write(watched)


def watch(db: Connection) -> None:
    """Log an error if too many groups are asked at once, if a question was refused while there was room, or if a call
    began to which nobody has agreed."""
    asked, busy = db.fetch_number(ASKED), db.fetch_number(BUSY)
    Watched.in_background |= {row["id"] for row in db.fetch_rows(IN_BACKGROUND)}
    Watched.direct = {row["session"]: row["id"] for row in db.fetch_rows(DIRECT)}
    has_heard = Watched.told_busy is not None and busy > Watched.told_busy
    Watched.told_busy = busy
    if asked > MOST_ASKED or (has_heard and asked < MOST_ASKED):
        log.error("Error: %d groups are asked%s", asked, ", and one more is too many" * has_heard)
    for row in db.fetch_rows(UNAGREED):
        log.error("Error: %s began without a yes", row["id"])


def root_of(session: str) -> str:
    """Return the turn whose places the delegation of a session uses: the nearest background one above it, or that of a
    person. A direct turn uses its own."""
    turn = Watched.direct.get(session, session)
    while "/" in turn and turn not in Watched.in_background:
        turn = turn.rsplit("/", 2)[0]
    return turn
