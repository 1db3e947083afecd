"""The requests of a turn with what was kept when each was sent, and the entries that each held."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from bot.core.limits import LimitKind
from bot.core.model import TranscriptEntry
from bot.core.prices import Micros, Usage, total_usage_from_json
from bot.core.sent_request import SentRequest
from bot.core.turn import RequestId, SessionId, TurnId
from bot.store import transcript
from bot.store.connection import Connection


def add_sent_requests(db: Connection) -> None:
    """Add to a request how it was built, and a digest of it: a SentRequest as JSON."""
    db.execute("ALTER TABLE requests ADD COLUMN sent TEXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRequest:
    """A request to the model, as its row tells."""

    id: RequestId
    turn: TurnId
    model: str
    attempt: int
    max_tokens: int
    limit: LimitKind | None  # whose last request it is
    state: str  # open | settled | lost
    cost: Micros | None  # None while it is open
    usage: Usage | None  # None if it is open or lost
    sent: SentRequest | None  # None if it was not sent, or if nothing of that was kept


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesOfRequest:
    """What a request held of its chapter, as far as it is still kept."""

    prefix_hash: str
    entries: list[TranscriptEntry]


def list_requests_of_turn(db: Connection, turn: TurnId) -> list[KeptRequest]:
    """Return the requests of a turn, oldest first."""
    return [kept_request(row) for row in db.fetch_rows("SELECT * FROM requests WHERE turn = ? ORDER BY id", turn)]


def find_request(db: Connection, id: RequestId) -> KeptRequest | None:
    row = db.fetch_row("SELECT * FROM requests WHERE id = ?", id)
    return kept_request(row) if row else None


def kept_request(row: sqlite3.Row) -> KeptRequest:
    return KeptRequest(
        id=RequestId(row["id"]),
        turn=TurnId(row["turn"]),
        model=row["model"],
        attempt=row["attempt"],
        max_tokens=row["max_tokens"],
        limit=LimitKind(row["last_of"]) if row["last_of"] else None,
        state=row["state"],
        cost=None if row["cost"] is None else Micros(row["cost"]),
        usage=total_usage_from_json(row["usage"]) if row["usage"] else None,
        sent=SentRequest.from_json(json.loads(row["sent"])) if row["sent"] else None,
    )


def load_entries_of_request(db: Connection, session: SessionId, last: int) -> EntriesOfRequest | None:
    """Return the entries of the chapter that has the entry number `last`, up to that one; None if none is left."""
    of_entry = "(SELECT max(chapter) FROM entries WHERE session = ?1 AND seq <= ?2)"
    sql = f"SELECT chapter, prefix FROM chapters WHERE session = ?1 AND chapter = {of_entry}"
    chapter = db.fetch_row(sql, session, last)
    if chapter is None:
        return None
    entries = transcript.chapter_entries_by_number(db, session, chapter["chapter"])
    kept = [entry for number, entry in entries.items() if number <= last]
    return EntriesOfRequest(prefix_hash=chapter["prefix"], entries=kept)


def forget_digests(db: Connection, sessions: Collection[SessionId]) -> None:
    """Delete the digests of the requests of these conversations: who knows one could prove that a forgotten word was
    said. How the requests were built stays."""
    emptied = "UPDATE requests SET sent = json_remove(sent, '$.digest', '$.parts') WHERE sent IS NOT NULL"
    of_sessions = "SELECT id FROM turns WHERE session IN (SELECT value FROM json_each(?))"
    db.execute(f"{emptied} AND turn IN ({of_sessions})", (sorted(sessions),))
