"""The delegations that a conversation knows of: a view of the turns below its own, and no table."""

import json
import sqlite3
from dataclasses import dataclass

from bot.core.prices import Usage, parse_usage, sum_usages
from bot.core.turn import Turn, TurnId, TurnState
from bot.store import turns
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


DELEGATIONS_SQL = """SELECT turns.*, EXISTS (
    SELECT 1 FROM questions WHERE questions.root = turns.root AND questions.turn = turns.id
    AND questions.state = 'open') AS is_asking,
    parent_group = (SELECT iif(depth, parent_group, group_name) FROM turns AS top WHERE top.id = turns.root)
    AS is_of_chat FROM turns WHERE {} AND depth > 0 ORDER BY rowid"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A turn below another, as it is told of."""

    turn: Turn
    task: str  # its first words
    state: str  # waiting | working | asking, or the status it ended with
    is_of_chat: bool  # it was begun by the agent that answers in its chat, and not by a group that was asked


def list_known_delegations(db: Connection, asking: Turn, most: int = MOST_LISTED) -> list[Delegation]:
    """Return the delegations that a turn may know of, newest first.

    These are what its own session has begun, with all below that. A root turn also knows what was begun in the
    background at its address. Of all that, it knows only what its own group has begun.
    """
    rows = db.fetch_rows(KNOWN_SQL, asking.session, str(asking.address), asking.is_root, asking.group, most)
    found = {each.turn.id: each for each in load_delegations(db, [row["id"] for row in rows])}
    return [found[row["id"]] for row in rows]


def find_known_delegation(db: Connection, asking: Turn, id: str) -> Delegation | None:
    """Return the delegation with that id; None if there is none, or if the turn may not know of it."""
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
    """Return all delegations below a turn that its own agent has begun, oldest first; none below a group that was
    asked."""
    if turn.is_hop:
        return []
    rows = db.fetch_rows(
        f"SELECT turns.id FROM turns AS above CROSS JOIN turns ON {BELOW_SQL} {BEGUN_BY_SQL} WHERE above.id = ?",
        turn.id,
    )
    return load_delegations(db, [row["id"] for row in rows])


def usage_of_tree(db: Connection, turn: Turn) -> Usage:
    """Return what the settled requests of a turn, and of all turns below it, have used."""
    rows = db.fetch_rows(
        "SELECT usage FROM requests WHERE usage IS NOT NULL AND (turn = ? OR (turn > ? || '/' AND turn < ? || '0'))",
        *[turn.id] * 3,
    )
    return sum_usages(parse_usage(row["usage"]) for row in rows)


def list_delegations_of_root(db: Connection, root: TurnId) -> list[Delegation]:
    """Return all delegations below a root turn, oldest first."""
    return [read_delegation(row) for row in db.fetch_rows(DELEGATIONS_SQL.format("root = ?"), root)]


def load_delegations(db: Connection, ids: list[str]) -> list[Delegation]:
    """Return the delegations with these ids, oldest first."""
    rows = db.fetch_rows(DELEGATIONS_SQL.format("id IN (SELECT value FROM json_each(?))"), json.dumps(ids))
    return [read_delegation(row) for row in rows]


def read_delegation(row: sqlite3.Row) -> Delegation:
    is_waiting = row["state"] == TurnState.QUEUED or row["waits_for"]
    at_work = "asking" if row["is_asking"] else "waiting" if is_waiting else "working"
    return Delegation(
        turn=turns.read_turn(row), task=row["task"], state=row["status"] or at_work, is_of_chat=bool(row["is_of_chat"])
    )


def count_open_hops(db: Connection) -> int:
    """Return how many groups are being asked now, in the whole tenant."""
    return db.fetch_number("SELECT count(*) FROM turns WHERE state != 'ended' AND depth > 0 AND agent_depth = depth")
