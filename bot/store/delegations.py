"""The delegations that a conversation knows of: a view of the turns below its own, and no table."""

import json
import sqlite3
from dataclasses import dataclass

from bot.core.prices import Usage, parse_usage, sum_usages
from bot.core.turn import Turn
from bot.store import boards, turns
from bot.store.connection import Connection

MOST_LISTED = 50

# What is below a turn has an id that goes on after its own with a slash; the sign after the slash is 0.
BELOW_SQL = "turns.id > above.id || '/' AND turns.id < above.id || '0'"
# A group that was asked is known with its report, and nothing of what it began, be it a question back to the group that
# asked it: that is within its own walls. So who began a turn (its id without the call's two numbers) must work for the
# same agent as the turn above.
BEGUN_BY_SQL = """JOIN turns AS begun_by ON begun_by.agent_depth = above.agent_depth
    AND begun_by.id = rtrim(rtrim(rtrim(rtrim(turns.id, '0123456789.'), '/'), '0123456789'), '/')"""
BESIDE_SQL = "above.address = ?2 AND above.background AND ?3 AND above.parent_group = ?4"
KNOWN_SQL = f"""SELECT turns.rowid AS number, turns.id
    FROM turns AS above CROSS JOIN turns ON {BELOW_SQL} {BEGUN_BY_SQL} WHERE above.session = ?1
    UNION SELECT above.rowid, above.id FROM turns AS above WHERE {BESIDE_SQL}
    UNION SELECT turns.rowid, turns.id FROM turns AS above CROSS JOIN turns ON {BELOW_SQL} {BEGUN_BY_SQL}
    WHERE {BESIDE_SQL} AND above.agent_depth < above.depth
    ORDER BY number DESC LIMIT ?5"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A turn below another, as it is told of."""

    turn: Turn
    task: str  # its first words
    state: str  # waiting | working | asking, or the status it ended with


def list_known_delegations(db: Connection, asking: Turn, most: int = MOST_LISTED) -> list[Delegation]:
    """Those that a turn may know of, newest first: what its own session has begun, with all below that; and, of a root
    turn, what was begun in the background at its address; of all that, what its own group has begun."""
    rows = db.fetch_rows(KNOWN_SQL, asking.session, str(asking.address), asking.is_root, asking.group, most)
    found = {each.turn.id: each for each in load_delegations(db, [row["id"] for row in rows])}
    return [found[row["id"]] for row in rows]


def find_known_delegation(db: Connection, asking: Turn, id: str) -> Delegation | None:
    """The one of that id, if a turn may know of it. One of another conversation is as unknown as one that is not."""
    found = load_delegations(db, [id])
    return found[0] if found and is_delegation_known(db, asking, found[0].turn) else None


def is_delegation_known(db: Connection, asking: Turn, turn: Turn) -> bool:
    if turn.parent_group != asking.group:
        return False
    while not turn.is_root:
        if asking.is_root and turn.background and turn.address == asking.address:
            return True
        turn = turns.get_turn(db, turn.parent)
        if turn.session == asking.session:
            return True
        if turn.is_hop:
            return False
    return False


def list_delegations_below(db: Connection, turn: Turn) -> list[Delegation]:
    """All below a turn that its own agent has begun, in that order; nothing below a group that was asked."""
    if turn.is_hop:
        return []
    rows = db.fetch_rows(
        f"SELECT turns.id FROM turns AS above CROSS JOIN turns ON {BELOW_SQL} {BEGUN_BY_SQL} WHERE above.id = ?",
        turn.id,
    )
    return load_delegations(db, [row["id"] for row in rows])


def usage_of_tree(db: Connection, turn: Turn) -> Usage:
    """What the settled requests of a turn, and of all below it, have come to."""
    rows = db.fetch_rows(
        "SELECT usage FROM requests WHERE usage IS NOT NULL AND (turn = ? OR (turn > ? || '/' AND turn < ? || '0'))",
        *[turn.id] * 3,
    )
    return sum_usages(parse_usage(row["usage"]) for row in rows)


def load_delegations(db: Connection, ids: list[str]) -> list[Delegation]:
    rows = db.fetch_rows(boards.BOARD_LINES_SQL.format("id IN (SELECT value FROM json_each(?))"), json.dumps(ids))
    return [read_delegation(row) for row in rows]


def read_delegation(row: sqlite3.Row) -> Delegation:
    return Delegation(turn=turns.read_turn(row), task=row["task"], state=boards.delegation_state(row))


def count_open_hops(db: Connection) -> int:
    """Return how many groups are being asked now, in the whole tenant."""
    return db.fetch_number("SELECT count(*) FROM turns WHERE state != 'ended' AND depth > 0 AND agent_depth = depth")
