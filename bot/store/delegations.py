"""The delegations that a conversation knows of: a view of the turns below its own, and no table."""

import json
import sqlite3
from dataclasses import dataclass

from bot.prices import Usage, total
from bot.store import boards, turns
from bot.store.connection import Connection
from bot.turn import Turn

MOST_LISTED = 50

# What is below a turn has an id that goes on after its own with a slash; the sign after the slash is 0.
BELOW = "turns.id > above.id || '/' AND turns.id < above.id || '0'"
BESIDE = "above.address = ? AND above.background AND ?"
KNOWN = f"""SELECT turns.rowid AS number, turns.id
    FROM turns AS above CROSS JOIN turns ON {BELOW} WHERE above.session = ?
    UNION SELECT above.rowid, above.id FROM turns AS above WHERE {BESIDE}
    UNION SELECT turns.rowid, turns.id FROM turns AS above CROSS JOIN turns ON {BELOW} WHERE {BESIDE}
    ORDER BY number DESC LIMIT ?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A turn below another, as it is told of."""

    turn: Turn
    task: str  # its first words
    state: str  # waiting | working | asking, or the status it ended with


def known(db: Connection, asking: Turn, most: int = MOST_LISTED) -> list[Delegation]:
    """Those that a turn may know of, newest first: what its own session has begun, with all below that; and, of a root
    turn, what was begun in the background at its address."""
    beside = (str(asking.address), asking.is_root)
    rows = db.all(KNOWN, asking.session, *beside, *beside, most)
    found = {each.turn.id: each for each in named(db, [row["id"] for row in rows])}
    return [found[row["id"]] for row in rows]


def find(db: Connection, asking: Turn, id: str) -> Delegation | None:
    """The one of that id, if a turn may know of it. One of another conversation is as unknown as one that is not."""
    found = named(db, [id])
    return found[0] if found and is_known(db, asking, found[0].turn) else None


def is_known(db: Connection, asking: Turn, turn: Turn) -> bool:
    while not turn.is_root:
        if asking.is_root and turn.background and turn.address == asking.address:
            return True
        turn = turns.get(db, turn.parent)
        if turn.session == asking.session:
            return True
    return False


def below(db: Connection, turn: Turn) -> list[Delegation]:
    """All below a turn, in the order in which they were begun."""
    rows = db.all("SELECT id FROM turns WHERE id > ? || '/' AND id < ? || '0'", turn.id, turn.id)
    return named(db, [row["id"] for row in rows])


def usage(db: Connection, turn: Turn) -> Usage:
    """What the settled requests of a turn, and of all below it, have come to."""
    rows = db.all(
        "SELECT usage FROM requests WHERE usage IS NOT NULL AND (turn = ? OR (turn > ? || '/' AND turn < ? || '0'))",
        *[turn.id] * 3,
    )
    return total(Usage(**json.loads(row["usage"])) for row in rows)


def named(db: Connection, ids: list[str]) -> list[Delegation]:
    rows = db.all(boards.LINES.format("id IN (SELECT value FROM json_each(?))"), json.dumps(ids))
    return [read(row) for row in rows]


def read(row: sqlite3.Row) -> Delegation:
    return Delegation(turn=turns.read(row), task=row["task"], state=boards.state_of(row))
