"""Deliberate bugs that this bot might have had: a rig that does not find them proves nothing.

Each is a Store that the app uses like any other. It leaves in the rows what the bug would have left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from bot.core.messages import OutboundId
from bot.journal.bus import withdraw
from bot.store.connection import Connection
from tests.rig.approval_bugs import OF_APPROVALS
from tests.rig.cost_bugs import OF_COSTS
from tests.rig.crossing import OF_GROUPS
from tests.rig.mistakes import Mistaken
from tests.rig.watching import Watched

P = ParamSpec("P")
R = TypeVar("R")


class SendingIsUnsent(Mistaken):
    """The bug: a message that was on its way when the process died counts as not sent."""

    belief = "UPDATE outbox SET state = 'queued', sending_since = NULL WHERE state = 'sending'"


class ResultsPerStep(Mistaken):
    """The bug: results are written only when a step is done. Those of a step that was cut off are lost."""

    belief = """UPDATE calls SET state = 'planned', result = NULL WHERE kind = 'change' AND state = 'done'
        AND turn IN (SELECT id FROM turns WHERE state = 'running') AND step = (SELECT max(seq) FROM entries
        WHERE entries.turn = calls.turn)"""


class AttemptsOfAll(Mistaken):
    """The bug: every turn that was open when the process died counts as a suspect, even if it only waited."""

    belief = """UPDATE turns SET attempts = attempts + 1, state = iif(attempts >= 2, 'stopping', state),
        status = iif(attempts >= 2, 'failed', status), reason = iif(attempts >= 2, 'set aside', reason)
        WHERE state IN ('queued', 'running')
        AND EXISTS (SELECT 1 FROM calls WHERE turn = turns.id AND calls.state != 'done')
        AND NOT EXISTS (SELECT 1 FROM calls WHERE turn = turns.id AND calls.state != 'done' AND kind != 'wait')"""


class StartedIsNotWritten(Watched):
    """The bug: a call that changes things is written down only when it is done, not when it starts."""

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def forgetful(db: Connection) -> R:
            result = work(db, *args, **kwargs)
            db.execute(FORGET_STARTED)
            return result

        return await super().write(forgetful)


class SteeringIsTakenFirst(Watched):
    """The bug: a message joins a turn in one transaction and is read in the next. The process dies once between."""

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def rehearsal(db: Connection) -> list[Any]:
            db.execute("SAVEPOINT rehearsal")
            before = {row["key"] for row in db.fetch_rows(JOINED)}
            work(db, *args, **kwargs)
            joined = [tuple(row) for row in db.fetch_rows(JOINED) if row["key"] not in before]
            db.execute("ROLLBACK TO rehearsal")
            return joined

        for key, turn in await super().write(rehearsal):
            await super().write(lambda db, key, turn: db.execute(TAKE, (turn, key)) and None, key, turn)
            if not (marker := self.path.with_name("died")).exists():
                marker.touch()
                self.die()
            await super().write(lambda db, key: db.execute(GIVE_BACK, (key,)) and None, key)
        return await super().write(work, *args, **kwargs)


class UpdatesAreDrafts(Watched):
    """The bug: a text of the lead beside its calls is only a draft, and is removed as soon as the lead calls."""

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def forgetful(db: Connection) -> R:
            result = work(db, *args, **kwargs)
            for row in db.fetch_rows(UNSENT_UPDATES):
                withdraw(db, OutboundId(row["key"]))
            return result

        return await super().write(forgetful)


FORGET_STARTED = "UPDATE calls SET state = 'planned' WHERE state = 'started'"
UNSENT_UPDATES = "SELECT key FROM outbox WHERE kind = 'update' AND role IS NULL AND text != '' AND state = 'queued'"
JOINED = """SELECT key, turn FROM inbox WHERE state = 'taken' AND turn IN (
    SELECT id FROM turns WHERE EXISTS (SELECT 1 FROM calls WHERE calls.turn = turns.id)) ORDER BY seq"""
TAKE = "UPDATE inbox SET state = 'taken', turn = ? WHERE key = ?"
GIVE_BACK = "UPDATE inbox SET state = 'received', turn = NULL WHERE key = ?"

BUGS: dict[str, type[Watched]] = {
    "sending is unsent": SendingIsUnsent,
    "started is not written": StartedIsNotWritten,
    "results per step": ResultsPerStep,
    "steering is taken first": SteeringIsTakenFirst,
    "attempts of all": AttemptsOfAll,
    "updates are drafts": UpdatesAreDrafts,
    **OF_GROUPS,
    **OF_COSTS,
    **OF_APPROVALS,
}
