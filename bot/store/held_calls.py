"""Calls that wait for a person to agree, and what the calls of a request do.

`bot/journal/` decides which calls are held, and what an answer changes.
"""

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from bot.core.acts import ActKind
from bot.core.messages import GroupName
from bot.core.turn import CallApproval, CallId, CallKind, SessionId, TurnId
from bot.store.connection import Connection, turn_wake_up_topic

WRITE_FILE_TOOL_NAME = "write_file"
IS_BELOW_SQL = "(turn = ? OR (turn > ? AND turn < ?))"  # of a turn, or of one below it
IS_OTHER_SQL = "id NOT IN (SELECT value FROM json_each(?))"


class ActingCall(NamedTuple):
    acts: frozenset[ActKind]
    arguments: dict[str, Any]


def hold_calls(db: Connection, calls: Collection[CallId]) -> None:
    """Let calls wait until a person has answered."""
    for call in calls:
        db.execute("UPDATE calls SET held_kind = kind, kind = ? WHERE id = ?", (CallKind.WAIT, call))


def release_held_calls(db: Connection, turn: TurnId, calls: Collection[CallId], *, are_approved: bool) -> None:
    """Let calls run that waited for a person to agree. Those that are only rows run like reading calls, until their
    rows are written. If they `are_approved`, the gate lets each run once."""
    kind = f"CASE held_kind WHEN '{CallKind.CHANGE}' THEN held_kind ELSE '{CallKind.READ}' END"
    approval = f", approval = '{CallApproval.GRANTED}'" if are_approved else ""
    for call in calls:
        db.execute(
            f"UPDATE calls SET kind = {kind}, held_kind = NULL{approval} WHERE id = ? AND state != 'done'", (call,)
        )
    db.add_wake_up(turn_wake_up_topic(turn))


def forget_acts(db: Connection, call: CallId) -> None:
    """Let a call that never begins count as none."""
    db.execute("UPDATE calls SET acts = '[]' WHERE id = ?", (call,))


def use_approval(db: Connection, call: CallId) -> bool:
    """Use up a person's agreement to a call. Return False if there is none. A call that may be repeated after a crash
    begins again with the one it has used."""
    sql = f"UPDATE calls SET approval = '{CallApproval.USED}' WHERE id = ? AND approval != '' AND state = 'planned'"
    return db.execute(sql, (call,)).rowcount == 1


def withdraw_approval(db: Connection, call: CallId) -> None:
    """Forget that a person has agreed to a call: they are asked again."""
    db.execute("UPDATE calls SET approval = '' WHERE id = ?", (call,))


def list_approved_calls_below(db: Connection, top: TurnId) -> list[CallId]:
    """Return the calls of a turn and of all turns below it to which a person has agreed."""
    sql = f"SELECT id FROM calls WHERE {IS_BELOW_SQL} AND approval != ''"
    return [CallId(row["id"]) for row in db.fetch_rows(sql, top, f"{top}/", f"{top}0")]


def is_approved(db: Connection, call: CallId) -> bool:
    """Return True if a person has agreed to a call."""
    return db.has_rows("SELECT 1 FROM calls WHERE id = ? AND approval != ''", call)


def list_acts_below(db: Connection, top: TurnId, besides: Collection[CallId]) -> list[frozenset[ActKind]]:
    """Return the kinds of act of the calls that a turn and all turns below it have begun, or are about to: also of
    those that have failed, since nobody knows what they have done."""
    sql = f"SELECT acts FROM calls WHERE {IS_BELOW_SQL} AND acts != '[]' AND held_kind IS NULL"
    rows = db.fetch_rows(f"{sql} AND {IS_OTHER_SQL}", top, f"{top}/", f"{top}0", sorted(besides))
    return [frozenset(map(ActKind, json.loads(row["acts"]))) for row in rows]


def list_paths_made_below(db: Connection, top: TurnId, group: GroupName) -> set[str]:
    """Return the paths of the new files that a turn and all turns below it have written, in the folder of one group."""
    sql = f"SELECT arguments FROM calls WHERE {IS_BELOW_SQL} AND name = ? AND acts = ?"
    sql += " AND state = 'done' AND NOT is_error AND (SELECT group_name FROM turns WHERE id = calls.turn) = ?"
    made = [WRITE_FILE_TOOL_NAME, [ActKind.MAKE]]
    rows = db.fetch_rows(sql, top, f"{top}/", f"{top}0", *made, group)
    return {str(json.loads(row["arguments"]).get("path")) for row in rows}


def list_acting_calls(db: Connection, session: SessionId) -> list[ActingCall]:
    """Return the calls with kinds of act that the requests of a conversation have begun, in all their delegations."""
    of_request = "(calls.turn = top.id OR (calls.turn > top.id || '/' AND calls.turn < top.id || '0'))"
    tops = "turns AS top WHERE top.session = ? AND instr(top.id, '/') = 0"
    sql = f"SELECT acts, arguments FROM calls WHERE acts != '[]' AND EXISTS (SELECT 1 FROM {tops} AND {of_request})"
    rows = db.fetch_rows(sql, session)
    return [ActingCall(frozenset(map(ActKind, json.loads(row["acts"]))), json.loads(row["arguments"])) for row in rows]


def count_calls_below(db: Connection, top: TurnId, name: str, besides: Collection[CallId]) -> int:
    """Return how many calls of a tool a turn and all turns below it have made, or are about to make."""
    sql = f"SELECT count(*) FROM calls WHERE {IS_BELOW_SQL} AND name = ? AND held_kind IS NULL AND NOT is_error"
    return db.fetch_number(f"{sql} AND {IS_OTHER_SQL}", top, f"{top}/", f"{top}0", name, sorted(besides))


def count_held_calls_below(db: Connection, top: TurnId) -> int:
    """Return how many calls of a turn and of all turns below it a person was asked about."""
    sql = f"SELECT count(*) FROM calls WHERE {IS_BELOW_SQL} AND (held_kind IS NOT NULL OR approval != '')"
    return db.fetch_number(sql, top, f"{top}/", f"{top}0")


def mark_call_waiting(db: Connection, call: CallId) -> bool:
    """Mark a released call as one that others complete. Return False if it is done already, or waits already."""
    sql = "UPDATE calls SET kind = ? WHERE id = ? AND kind = ? AND state != 'done'"
    return db.execute(sql, (CallKind.WAIT, call, CallKind.READ)).rowcount == 1
