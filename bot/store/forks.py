"""Forks: conversations that begin with what the model had read before a turn of another one.

A fork holds words of the people of the other conversation, so it is deleted with that one, and when one of them is
forgotten."""

import json
from collections.abc import Collection
from typing import NamedTuple

from bot.core.content_blocks import Block
from bot.core.turn import SessionId, Turn
from bot.store.connection import Connection


def add_forks(db: Connection) -> None:
    """Add to a session the one that it was forked from."""
    db.execute("ALTER TABLE sessions ADD COLUMN forked_from TEXT")
    db.execute("CREATE INDEX sessions_forked ON sessions (forked_from) WHERE forked_from IS NOT NULL")


def note_fork(db: Connection, session: SessionId, *, of: SessionId) -> None:
    db.execute("UPDATE sessions SET forked_from = ? WHERE id = ?", (of, session))


def list_forks(db: Connection, sessions: Collection[SessionId]) -> list[SessionId]:
    """Return the conversations that were forked from these, and from their forks."""
    sql = """WITH RECURSIVE forks AS (
        SELECT id FROM sessions WHERE forked_from IN (SELECT value FROM json_each(?))
        UNION SELECT sessions.id FROM sessions JOIN forks ON sessions.forked_from = forks.id) SELECT id FROM forks"""
    return [SessionId(row["id"]) for row in db.fetch_rows(sql, sorted(sessions))]


class History(NamedTuple):
    """The entries of a chapter before a turn, as they are kept."""

    entries: list[tuple[str, list[Block]]]  # the role and the content of each
    prefix_hash: str
    day: str  # the date that the model was told last
    media_counts: dict[str, int]  # columns of the chapter that count pictures and PDFs, at least those of the entries


def load_entries_before_turn(db: Connection, turn: Turn) -> History | None:
    """Return the entries before a turn, in the chapter in which it wrote first; None if there are none."""
    first = "SELECT chapter, min(seq) AS seq FROM entries WHERE session = ? AND turn = ? GROUP BY chapter ORDER BY 1"
    begin = db.fetch_row(f"{first} LIMIT 1", turn.session, turn.id)
    if begin is None:
        return None
    where = (turn.session, begin["chapter"])
    rows = db.fetch_rows(
        "SELECT role, body FROM entries WHERE session = ? AND chapter = ? AND seq < ? ORDER BY seq",
        *where,
        begin["seq"],
    )
    chapter = db.fetch_row("SELECT * FROM chapters WHERE session = ? AND chapter = ?", *where)
    if not rows or chapter is None:
        return None
    return History(
        entries=[(row["role"], json.loads(row["body"])) for row in rows],
        prefix_hash=chapter["prefix"],
        day=chapter["day"],
        media_counts={name: chapter[name] for name in ("images", "pages", "media_bytes")},
    )
