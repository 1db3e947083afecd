"""What the calls of a turn have done: each with the request that made it, what a person was asked, and what it left."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from bot.core.messages import RoleName
from bot.core.turn import CallId, CallState, RequestId, TurnId
from bot.store.connection import Connection
from bot.store.session_records import turn_in_tree_condition_sql

HAS_EFFECT_SQL = "(acts != '[]' OR calls.kind = 'change' OR held_kind IS NOT NULL OR approval != '')"
# The reply that made a call is the entry after the last one of its request.
REQUEST_OF_CALL_SQL = """SELECT max(id) FROM requests
    WHERE requests.turn = calls.turn AND json_extract(sent, '$.last_entry') = calls.step - 1"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedApproval:
    """A question whether a call may run."""

    text: str
    person: str  # who was asked
    state: str  # open | answered | expired | withdrawn
    answer: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedMessage:
    """A message that a call has posted."""

    key: str
    address: str
    text: str
    state: str  # of its delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A call that has done something, may have, or was kept from it."""

    call: CallId
    turn: TurnId
    role: RoleName  # of the turn
    name: str
    arguments: dict[str, Any]
    acts: tuple[str, ...]
    state: CallState
    is_waiting_for_person: bool
    result: str | None
    is_error: bool
    request: RequestId | None  # that was answered with this call; None if nothing is kept of that
    approvals: tuple[AskedApproval, ...]
    posted: tuple[PostedMessage, ...]


def list_effects_of_tree(db: Connection, top: TurnId) -> list[Effect]:
    """Return what a turn and all turns below it have done by calls, by turn and in the order of the calls."""
    sql = f"""SELECT calls.*, turns.role, ({REQUEST_OF_CALL_SQL}) AS request FROM calls
        JOIN turns ON turns.id = calls.turn WHERE {turn_in_tree_condition_sql("calls.turn")} AND {HAS_EFFECT_SQL}
        ORDER BY turns.rowid, step, position"""
    return [effect_from_row(db, row) for row in db.fetch_rows(sql, top)]


def effect_from_row(db: Connection, row: sqlite3.Row) -> Effect:
    return Effect(
        call=CallId(row["id"]),
        turn=TurnId(row["turn"]),
        role=RoleName(row["role"]),
        name=row["name"],
        arguments=json.loads(row["arguments"]),
        acts=tuple(json.loads(row["acts"])),
        state=CallState(row["state"]),
        is_waiting_for_person=row["held_kind"] is not None and row["state"] != CallState.DONE,
        result=row["result"],
        is_error=bool(row["is_error"]),
        request=RequestId(row["request"]) if row["request"] else None,
        approvals=tuple(list_approvals_of_call(db, row["turn"], row["id"])),
        posted=tuple(list_messages_of_call(db, row["id"])),
    )


def list_approvals_of_call(db: Connection, turn: str, call: str) -> list[AskedApproval]:
    holds_back = "EXISTS (SELECT 1 FROM json_each(arguments, '$.held_calls') WHERE value = ?)"
    sql = f"SELECT * FROM questions WHERE turn = ? AND kind = 'question' AND {holds_back} ORDER BY rowid"
    return [
        AskedApproval(text=row["text"], person=row["person"], state=row["state"], answer=row["answer"])
        for row in db.fetch_rows(sql, turn, call)
    ]


def list_messages_of_call(db: Connection, call: str) -> list[PostedMessage]:
    """Return the messages that a call itself has posted, without the question about it."""
    sql = "SELECT * FROM outbox WHERE key IN (?, ?) AND kind NOT IN ('question', 'approval') ORDER BY seq"
    return [
        PostedMessage(key=row["key"], address=row["address"], text=row["text"], state=row["state"])
        for row in db.fetch_rows(sql, call, f"{call}:sent")
    ]
