"""The delegations that a conversation knows of: a view of the turns below its own, and no table."""

import json
import sqlite3
from dataclasses import dataclass

from bot.prices import Usage, total, usage_from
from bot.store import boards, turns
from bot.store.connection import Connection
from bot.turn import Turn

MOST_LISTED = 50

# What is below a turn has an id that goes on after its own with a slash; the sign after the slash is 0.
BELOW = "turns.id > above.id || '/' AND turns.id < above.id || '0'"
# A group that was asked is known with its report, and nothing of what it began, be it a question back to the group that
# asked it: that is within its own walls. So who began a turn (its id without the call's two numbers) must work for the
# same agent as the turn above.
BEGUN = """JOIN turns AS begun_by ON begun_by.agent_depth = above.agent_depth
    AND begun_by.id = rtrim(rtrim(rtrim(rtrim(turns.id, '0123456789.'), '/'), '0123456789'), '/')"""
BESIDE = "above.address = ?2 AND above.background AND ?3 AND above.parent_group = ?4"
KNOWN = f"""SELECT turns.rowid AS number, turns.id
    FROM turns AS above CROSS JOIN turns ON {BELOW} {BEGUN} WHERE above.session = ?1
    UNION SELECT above.rowid, above.id FROM turns AS above WHERE {BESIDE}
    UNION SELECT turns.rowid, turns.id FROM turns AS above CROSS JOIN turns ON {BELOW} {BEGUN}
    WHERE {BESIDE} AND above.agent_depth < above.depth
    ORDER BY number DESC LIMIT ?5"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A turn below another, as it is told of."""

    turn: Turn
    task: str  # its first words
    state: str  # waiting | working | asking, or the status it ended with


def known(db: Connection, asking: Turn, most: int = MOST_LISTED) -> list[Delegation]:
    """Those that a turn may know of, newest first: what its own session has begun, with all below that; and, of a root
    turn, what was begun in the background at its address; of all that, what its own group has begun."""
    rows = db.all(KNOWN, asking.session, str(asking.address), asking.is_root, asking.group, most)
    found = {each.turn.id: each for each in named(db, [row["id"] for row in rows])}
    return [found[row["id"]] for row in rows]


def find(db: Connection, asking: Turn, id: str) -> Delegation | None:
    """The one of that id, if a turn may know of it. One of another conversation is as unknown as one that is not."""
    found = named(db, [id])
    return found[0] if found and is_known(db, asking, found[0].turn) else None


def is_known(db: Connection, asking: Turn, turn: Turn) -> bool:
    if turn.parent_group != asking.group:
        return False
    while not turn.is_root:
        if asking.is_root and turn.background and turn.address == asking.address:
            return True
        turn = turns.get(db, turn.parent)
        if turn.session == asking.session:
            return True
        if turn.is_hop:
            return False
    return False


def below(db: Connection, turn: Turn) -> list[Delegation]:
    """All below a turn that its own agent has begun, in that order; nothing below a group that was asked."""
    if turn.is_hop:
        return []
    rows = db.all(
        f"SELECT turns.id FROM turns AS above CROSS JOIN turns ON {BELOW} {BEGUN} WHERE above.id = ?", turn.id
    )
    return named(db, [row["id"] for row in rows])


def usage(db: Connection, turn: Turn) -> Usage:
    """What the settled requests of a turn, and of all below it, have come to."""
    rows = db.all(
        "SELECT usage FROM requests WHERE usage IS NOT NULL AND (turn = ? OR (turn > ? || '/' AND turn < ? || '0'))",
        *[turn.id] * 3,
    )
    return total(usage_from(row["usage"]) for row in rows)


def named(db: Connection, ids: list[str]) -> list[Delegation]:
    rows = db.all(boards.LINES.format("id IN (SELECT value FROM json_each(?))"), json.dumps(ids))
    return [read(row) for row in rows]


def read(row: sqlite3.Row) -> Delegation:
    return Delegation(turn=turns.read(row), task=row["task"], state=boards.state_of(row))


def hops(db: Connection) -> int:
    """How many groups are being asked, in the whole tenant."""
    return db.count("SELECT count(*) FROM turns WHERE state != 'ended' AND depth > 0 AND agent_depth = depth")
