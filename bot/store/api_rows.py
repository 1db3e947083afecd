"""What the HTTP API reads and the page does not: sub-sessions and delegations by pages, and searches by pages."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from bot.core.messages import Address, RoleName
from bot.core.prices import Micros
from bot.core.turn import SessionId, TurnId
from bot.store import page_rows
from bot.store.connection import Connection
from bot.store.page_rows import ListedConversation
from bot.store.session_records import turn_in_tree_condition_sql
from bot.store.text_search.words import Languages

SUB_SESSIONS_SQL = """SELECT sessions.rowid AS number, sessions.*, begun_by.session AS parent_session FROM sessions
    LEFT JOIN turns AS begun_by ON begun_by.id = sessions.parent"""
IN_THREADS_OF_CHAT_SQL = "address > ? || ':' AND address < ? || ';'"  # ; follows the colon


@dataclass(frozen=True, slots=True, kw_only=True)
class SubSessionRecord:
    """The session of a delegation. More turns may have followed there, if a person has written to the role."""

    number: int  # grows from each sub-session to the next
    id: SessionId
    parent: SessionId | None  # the session that began it; None: a client did
    delegation: TurnId  # the turn that it was opened for
    role: RoleName
    task_excerpt: str  # its first words
    status: str  # of its newest turn: the status it ended with; until then, its state
    opened_at: datetime
    ended_at: datetime | None  # of its newest turn
    turn_count: int
    cost: Micros  # of its turns and all below them


def list_sub_sessions(db: Connection, parent: SessionId, after: int, most: int) -> list[SubSessionRecord]:
    """Return the sub-sessions that a session has begun and whose numbers are larger, oldest first."""
    begun = "sessions.parent IN (SELECT id FROM turns WHERE session = ?)"
    sql = f"{SUB_SESSIONS_SQL} WHERE {begun} AND sessions.rowid > ? ORDER BY number LIMIT ?"
    return [sub_session_from_row(db, row) for row in db.fetch_rows(sql, parent, after, most)]


def load_sub_session(db: Connection, id: SessionId) -> SubSessionRecord | None:
    """Return the session of a delegation; None if there is none of that id, or if it is a conversation with people."""
    row = db.fetch_row(f"{SUB_SESSIONS_SQL} WHERE sessions.id = ?", id)
    is_sub_session = row and db.has_rows("SELECT 1 FROM turns WHERE session = ? AND depth > 0", id)
    return sub_session_from_row(db, row) if row and is_sub_session else None


def sub_session_from_row(db: Connection, row: sqlite3.Row) -> SubSessionRecord:
    turns = db.fetch_rows("SELECT * FROM turns WHERE session = ? ORDER BY rowid", row["id"])
    first, newest = turns[0], turns[-1]
    in_tree = f"SELECT total(cost) FROM requests WHERE {turn_in_tree_condition_sql('turn')}"
    return SubSessionRecord(
        number=row["number"],
        id=row["id"],
        parent=row["parent_session"],
        delegation=first["id"],
        role=first["role"],
        task_excerpt=first["task"],
        status=newest["status"] or newest["state"],
        opened_at=datetime.fromisoformat(row["opened_at"]),
        ended_at=newest["ended_at"] and datetime.fromisoformat(newest["ended_at"]),
        turn_count=len(turns),
        cost=Micros(int(sum(db.fetch_number(in_tree, turn["id"]) for turn in turns))),
    )


def is_session(db: Connection, id: SessionId) -> bool:
    return db.has_rows("SELECT 1 FROM sessions WHERE id = ?", id)


def list_numbered_delegations(
    db: Connection, below: int, most: int, chat: Address | None = None, *, is_open: bool = False
) -> list[tuple[int, TurnId]]:
    """Return the delegations with smaller numbers, newest first, each with its number: in the threads of a chat if it
    is named, and only those that have not ended if that `is_open`."""
    conditions, values = ["depth > 0", "rowid < ?"], list[object]([below])
    if is_open:
        conditions.append("state != 'ended'")
    if chat is not None:
        conditions.append(IN_THREADS_OF_CHAT_SQL)
        values += [str(chat)] * 2
    sql = f"SELECT rowid AS number, id FROM turns WHERE {' AND '.join(conditions)} ORDER BY rowid DESC LIMIT ?"
    return [(row["number"], TurnId(row["id"])) for row in db.fetch_rows(sql, *values, most)]


def find_conversations_below(
    db: Connection, query: str, languages: Languages, below: int, most: int
) -> list[tuple[int, ListedConversation]]:
    """Return the conversations in which each word of the query was said and whose numbers in the index are smaller,
    those that began last first, each with that number."""
    numbers = (number for number in page_rows.find_numbers_with_words(db, query, languages) if number < below)
    found = ((number, page_rows.load_conversation_of_number(db, number)) for number in numbers)
    return [*islice(((number, conversation) for number, conversation in found if conversation), most)]
