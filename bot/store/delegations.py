"""The delegations that a conversation knows of. They have no table of their own: they are turns below other turns."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bot.core.messages import Address, RoleName
from bot.core.prices import Micros, Usage, sum_usages, total_usage_from_json
from bot.core.turn import Turn, TurnId, TurnState
from bot.store import turns
from bot.store.connection import Connection

MAX_LISTED_DELEGATIONS = 50
DELEGATIONS_IN_MEDIAN = 5  # newest of a role, in the median of their cost

# The id of a turn below another begins with that one's id and a slash. "0" is the character after the slash.
IS_BELOW_SQL = "turns.id > above.id || '/' AND turns.id < above.id || '0'"
# A turn knows of a group that it asked, but of nothing that the group began, even if the group asks the first group
# back. So the turn that began a delegation (its id without the call's two numbers) must work for the same agent as the
# turn above.
BEGINNER_ID_SQL = "rtrim(rtrim(rtrim(rtrim(turns.id, '0123456789.'), '/'), '0123456789'), '/')"
JOIN_BEGINNER_OF_SAME_AGENT_SQL = f"""JOIN turns AS begun_by ON begun_by.agent_depth = above.agent_depth
    AND begun_by.id = {BEGINNER_ID_SQL}"""
IS_OWN_BACKGROUND_DELEGATION_SQL = "above.address = ?2 AND above.background AND ?3 AND above.parent_group = ?4"
VISIBLE_DELEGATIONS_SQL = f"""SELECT turns.rowid AS number, turns.id
    FROM turns AS above CROSS JOIN turns ON {IS_BELOW_SQL} {JOIN_BEGINNER_OF_SAME_AGENT_SQL} WHERE above.session = ?1
    UNION SELECT above.rowid, above.id FROM turns AS above WHERE {IS_OWN_BACKGROUND_DELEGATION_SQL}
    UNION SELECT turns.rowid, turns.id FROM turns AS above
    CROSS JOIN turns ON {IS_BELOW_SQL} {JOIN_BEGINNER_OF_SAME_AGENT_SQL}
    WHERE {IS_OWN_BACKGROUND_DELEGATION_SQL} AND above.agent_depth < above.depth
    ORDER BY number DESC LIMIT ?5"""


# The agent that answers in the chat has depth 0. The turns that it begins have the same agent, except an asked group.
SELECT_DELEGATIONS_SQL = f"""SELECT turns.*, EXISTS (
    SELECT 1 FROM questions WHERE questions.root = turns.root AND questions.turn = turns.id
    AND questions.state = 'open') AS is_asking, iif(agent_depth < depth, agent_depth,
    (SELECT begun_by.agent_depth FROM turns AS begun_by WHERE begun_by.id = {BEGINNER_ID_SQL})) = 0
    AS is_begun_by_chat_agent FROM turns WHERE {{}} AND depth > 0 ORDER BY rowid"""


# The root turns of a request, from one of them: those whose delegations report to it, if no person has written to it,
# and those that its own delegations report to in the same way. A report's key is "report:" and its delegation's id.
HAS_NO_WORDS_SQL = "NOT EXISTS (SELECT 1 FROM inbox AS words WHERE words.turn = {} AND words.kind != 'report')"
COUNT_DELEGATIONS_OF_REQUEST_SQL = f"""WITH RECURSIVE request (top) AS (
    VALUES (?)
    UNION SELECT substr(inbox.key, 8, instr(inbox.key || '/', '/') - 8) FROM request CROSS JOIN inbox
    ON inbox.turn = request.top AND inbox.kind = 'report' WHERE {HAS_NO_WORDS_SQL.format("request.top")}
    UNION SELECT inbox.turn FROM request CROSS JOIN inbox
    ON inbox.key > 'report:' || request.top || '/' AND inbox.key < 'report:' || request.top || '0'
    WHERE inbox.turn IS NOT NULL AND {HAS_NO_WORDS_SQL.format("inbox.turn")})
    SELECT count(*) FROM request CROSS JOIN turns ON turns.id > request.top || '/' AND turns.id < request.top || '0'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A turn below another, with what is shown of it."""

    turn: Turn
    task_excerpt: str  # its first words
    state: str  # waiting | working | asking, or the status it ended with
    is_begun_by_chat_agent: bool  # begun by the agent that answers in the chat, and not by a group that was asked


def list_visible_delegations(db: Connection, asking: Turn, most: int = MAX_LISTED_DELEGATIONS) -> list[Delegation]:
    """Return the delegations that a turn may know of, newest first, at most `most`: what its session has begun, with
    all below that. A root turn also knows of what was begun in the background at its address, by its own group."""
    rows = db.fetch_rows(VISIBLE_DELEGATIONS_SQL, asking.session, asking.address, asking.is_root, asking.group, most)
    found = {each.turn.id: each for each in load_delegations_with_ids(db, [row["id"] for row in rows])}
    return [found[row["id"]] for row in rows]


def list_own_delegations_below(db: Connection, turn: Turn) -> list[Delegation]:
    """Return the delegations below a turn that its own agent began, oldest first; none for an asked group's turn."""
    if turn.is_hop:
        return []
    below = (
        f"SELECT turns.id FROM turns AS above CROSS JOIN turns ON {IS_BELOW_SQL} {JOIN_BEGINNER_OF_SAME_AGENT_SQL}"
        " WHERE above.id = ?"
    )
    return load_delegations_with_ids(db, [row["id"] for row in db.fetch_rows(below, turn.id)])


def load_usage_of_turn_tree(db: Connection, turn: Turn) -> Usage:
    """Return what the settled requests of a turn, and of all turns below it, have used."""
    in_tree = "(turn = ?1 OR (turn > ?1 || '/' AND turn < ?1 || '0'))"
    rows = db.fetch_rows(f"SELECT usage FROM requests WHERE usage IS NOT NULL AND {in_tree}", turn.id)
    return sum_usages(total_usage_from_json(row["usage"]) for row in rows)


def list_delegations_of_root(db: Connection, root: TurnId) -> list[Delegation]:
    """Return all delegations below a root turn, oldest first."""
    return [delegation_from_row(row) for row in db.fetch_rows(SELECT_DELEGATIONS_SQL.format("root = ?"), root)]


def load_delegations_with_ids(db: Connection, ids: Sequence[str]) -> list[Delegation]:
    """Return the delegations with these ids, oldest first."""
    rows = db.fetch_rows(SELECT_DELEGATIONS_SQL.format("id IN (SELECT value FROM json_each(?))"), ids)
    return [delegation_from_row(row) for row in rows]


def delegation_from_row(row: sqlite3.Row) -> Delegation:
    is_waiting = row["state"] == TurnState.QUEUED or row["waits_for"]
    at_work = "asking" if row["is_asking"] else "waiting" if is_waiting else "working"
    return Delegation(
        turn=turns.turn_from_row(row),
        task_excerpt=row["task"],
        state=row["status"] or at_work,
        is_begun_by_chat_agent=bool(row["is_begun_by_chat_agent"]),
    )


def median_cost_of_role(db: Connection, role: RoleName) -> Micros | None:
    """Return the median of what the newest completed delegations of a role have cost, with all below them; None if
    there is none."""
    sql = "SELECT cost FROM turns WHERE role = ? AND depth > 0 AND status = 'completed' ORDER BY rowid DESC LIMIT ?"
    costs = [row["cost"] for row in db.fetch_rows(sql, role, DELEGATIONS_IN_MEDIAN)]
    return Micros(int(median(costs))) if costs else None


def count_open_group_delegations(db: Connection) -> int:
    """Return how many groups are being asked now, in the whole tenant."""
    return db.fetch_number("SELECT count(*) FROM turns WHERE state != 'ended' AND depth > 0 AND agent_depth = depth")


def count_delegations_of_request(db: Connection, turn: TurnId) -> int:
    """Return how many delegations the request above a turn has had, at every depth and in the background. A turn that
    only reports have opened belongs to the request of the reporting delegations."""
    return db.fetch_number(COUNT_DELEGATIONS_OF_REQUEST_SQL, turn.partition("/")[0])


def list_newest_delegations_with_numbers(db: Connection, address: Address, most: int) -> list[Delegation]:
    """Return the newest delegation of each number at an address, the newest first. Numbers are used again."""
    newest = "SELECT max(rowid) FROM turns WHERE address = ? AND number IS NOT NULL AND depth > 0 GROUP BY number"
    sql = f"SELECT id FROM turns WHERE rowid IN ({newest}) ORDER BY rowid DESC LIMIT ?"
    return load_delegations_with_ids(db, [row["id"] for row in db.fetch_rows(sql, address, most)])[::-1]


def find_newest_delegation_with_number(db: Connection, address: Address, number: int) -> Delegation | None:
    """Return the newest delegation at an address that has this number. Numbers are used again."""
    sql = "SELECT id FROM turns WHERE address = ? AND number = ? AND depth > 0 ORDER BY rowid DESC LIMIT 1"
    found = load_delegations_with_ids(db, [row["id"] for row in db.fetch_rows(sql, address, number)])
    return found[0] if found else None


def list_delegations_in_threads(db: Connection, chat: Address, most: int) -> list[Delegation]:
    """Return the delegations in the threads of a chat that no call has opened, the newest first, at most `most`."""
    sql = "SELECT id FROM turns WHERE address > ? AND address < ? AND depth > 0 AND id NOT GLOB '*/*'"
    rows = db.fetch_rows(f"{sql} ORDER BY rowid DESC LIMIT ?", f"{chat}:", f"{chat};", most)
    return load_delegations_with_ids(db, [row["id"] for row in rows])[::-1]


def count_open_delegations_in_threads(db: Connection, chat: Address) -> int:
    """Return how many delegations in the threads of a chat have not ended and were opened by no call."""
    sql = "SELECT count(*) FROM turns WHERE address > ? AND address < ? AND state != 'ended' AND id NOT GLOB '*/*'"
    return db.fetch_number(sql, f"{chat}:", f"{chat};")
