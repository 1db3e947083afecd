"""Deliberate bugs of groups that ask each other: a group gets what belongs to another, or a place is not returned."""

from collections.abc import Callable
from typing import ClassVar, Concatenate, ParamSpec, TypeVar

from bot.core.texts import model
from bot.store.connection import TURNS_CHANGED_TOPIC, Connection
from tests.rig.groups import CHATS, MOST_ASKED
from tests.rig.mistakes import Afterwards
from tests.rig.watching import Watched

P = ParamSpec("P")
R = TypeVar("R")

HOPS = "SELECT id FROM calls WHERE name = 'delegate' AND json_extract(arguments, '$.group') IS NOT NULL"


class PostsAtItsOwnChat(Afterwards):
    """The bug: when a group is asked, its agent writes to the group's own chat and not to the chat of the question."""

    statements: ClassVar = [
        f"""UPDATE outbox SET address = '{chat}', channel = '{chat.split(":")[0]}' WHERE kind = 'update'
        AND role = '{group}' AND state = 'queued' AND address != '{chat}'"""
        for group, chat in CHATS.items()
    ]


class ResultsByName(Afterwards):
    """The bug: an answer is kept by the name of the group, and the next question to this group gets the same answer."""

    settings: ClassVar = {"busy": "queue"}  # so that an answer is a result: a message would make it a report
    statements: ClassVar = [
        f"""UPDATE calls SET result = (SELECT first.result FROM calls AS first JOIN turns USING (id)
        WHERE turns.status = 'completed' AND turns.role = json_extract(calls.arguments, '$.group')
        AND NOT turns.background ORDER BY turns.ended_at LIMIT 1)
        WHERE id IN ({HOPS}) AND id IN (SELECT id FROM turns WHERE status = 'completed' AND NOT background)"""
    ]


class WallsOfTheAsker(Afterwards):
    """The bug: an asked group works with the files and the memory of the group that asks it."""

    statements: ClassVar = [f"UPDATE turns SET group_name = parent_group WHERE id IN ({HOPS})"]


class PlacesAreNotCounted(Watched):
    """The bug: there is no limit to the groups that are asked at one time."""

    settings: ClassVar = {"swarm__max_group_delegations": 1_000}


class PlacesAreKept(Watched):
    """The bug: a place is never returned, so later questions to groups are turned away."""

    async def write(self, work: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        def crowded(db: Connection) -> R:
            before = {row["id"] for row in db.fetch_rows(EVER_ASKED)}
            result = work(db, *args, **kwargs)
            for nth, row in enumerate(db.fetch_rows(EVER_ASKED)):
                if row["id"] not in before and nth >= MOST_ASKED:
                    turn_away(db, row["id"])
            return result

        return await super().write(crowded)


EVER_ASKED = f"SELECT id FROM turns WHERE id IN ({HOPS}) ORDER BY rowid"


NEVER_OPENED = (
    "DELETE FROM entries WHERE turn = ?",
    "DELETE FROM turns WHERE id = ?",
    "DELETE FROM chapters WHERE session = ?",
    "DELETE FROM sessions WHERE id = ?",
)
EMPTY_BOARDS = """DELETE FROM outbox WHERE kind = 'board'
    AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.root || ':board' = outbox.key AND depth > 0)"""


def turn_away(db: Connection, hop: str) -> None:
    """Make the rows look as if the call was refused and its turn never opened."""
    for sql in NEVER_OPENED:
        db.execute(sql, (hop,))
    db.execute(EMPTY_BOARDS)
    db.execute(
        "UPDATE calls SET state = 'done', result = ?, is_error = 1 WHERE id = ?", (model.GROUPS_BUSY(MOST_ASKED), hop)
    )
    db.wake_ups[TURNS_CHANGED_TOPIC].discard(hop)


OF_GROUPS: dict[str, type[Watched]] = {
    "an asked group posts in its own chat": PostsAtItsOwnChat,
    "answers are kept by name": ResultsByName,
    "an asked group has its asker's walls": WallsOfTheAsker,
    "places of asked groups are not counted": PlacesAreNotCounted,
    "places of asked groups are kept": PlacesAreKept,
}
