"""The memories of each chat: saved, forgotten, and found again by their words.

A word stands in the index with a mark of its chat before it, so a search reads only what its own chat has saved,
however much others have and however usual the word is with them. FTS5's own bm25() would weigh by all chats.
"""

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from bot.messages import Address, RoleName
from bot.store.connection import Connection
from bot.store.words import LEAST_BEGINNING, freshness, score, weights, words_of
from bot.turn import CallId, Turn, TurnId

MOST_HOLDING = 200  # memories that hold a word, the newest, are looked at
SHORTLIST = 50  # of those, the likeliest are read
MOST_FOUND = 10

DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Something that a chat is to remember. Where a role saved it under its own name, that and its delegation."""

    id: int
    text: str
    saved_at: datetime
    role: RoleName | None
    delegation: TurnId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best of what fits, and whether that is all."""

    memories: tuple[Memory, ...]
    is_all: bool


def add(db: Connection, turn: Turn, call: CallId, text: str, now: datetime, *, as_role: bool) -> int:
    """Save a text for the turn's chat; gives its number. A call saves once, however often this is done for it."""
    chat = str(turn.address.whole_chat)
    by = {"delegation": turn.id, "role": turn.role} if as_role else {}
    is_new = db.insert("memories", call=call, chat=chat, person=turn.person, text=text, saved_at=now.isoformat(), **by)
    id = db.count("SELECT id FROM memories WHERE call = ?", call)
    if is_new:
        db.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (id, indexed(chat, text)))
    return id


def forget(db: Connection, chat: Address, id: int) -> bool:
    """Delete a memory; False if this chat has none of that number.

    FTS5 only marks its words as gone, and keeps them until it happens to merge what they stand in: so it is told to
    merge all, which takes some 4 ms for a thousand memories. (What would delete at once, 'secure-delete', is in newer
    versions of SQLite alone, and the older ones cannot read what it leaves.)
    """
    if db.execute("DELETE FROM memories WHERE id = ? AND chat = ?", (id, str(chat))).rowcount == 0:
        return False
    db.execute("DELETE FROM memory_words WHERE rowid = ?", (id,))
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    return True


def get(db: Connection, chat: Address, id: int) -> Memory | None:
    row = db.one("SELECT * FROM memories WHERE id = ? AND chat = ?", id, str(chat))
    return read(row) if row else None


def newest(db: Connection, chat: Address, most: int = MOST_FOUND) -> Found:
    """What was saved last comes first."""
    rows = db.all("SELECT * FROM memories WHERE chat = ? ORDER BY id DESC LIMIT ?", str(chat), most + 1)
    return Found(memories=tuple(map(read, rows[:most])), is_all=len(rows) <= most)


def search(db: Connection, chat: Address, words: Sequence[str], now: datetime) -> Found:
    """What fits the words best (as `words_of` gives them), any of them, whole or as the beginning of a longer one. What
    is newer is preferred where two fit alike."""
    mark = mark_of(str(chat))
    holding = {mark + word: holders(db, mark, word) for word in words}
    weighed = weights(holding)
    rows = db.all(
        "SELECT memories.*, words FROM json_each(?) CROSS JOIN memories ON memories.id = value AND chat = ?"
        " CROSS JOIN memory_words ON memory_words.rowid = value",
        json.dumps(likeliest(holding, weighed)),
        str(chat),
    )
    usual_length = fmean(row["words"].count(" ") for row in rows) if rows else 1.0

    def rank(row: sqlite3.Row) -> tuple[float, int]:
        days = (now - datetime.fromisoformat(row["saved_at"])).total_seconds() / DAY_SECONDS
        return score(row["words"], weighed, usual_length) * freshness(days), row["id"]

    best = sorted(rows, key=rank, reverse=True)[:MOST_FOUND]
    return Found(memories=tuple(map(read, best)), is_all=len(rows) == len(best))


def move(db: Connection, old: Address, new: Address) -> None:
    """A chat goes on under another name, with all that it remembers."""
    for row in db.all("SELECT id, text FROM memories WHERE chat = ?", str(old)):
        db.execute("UPDATE memory_words SET words = ? WHERE rowid = ?", (indexed(str(new), row["text"]), row["id"]))
    db.execute("UPDATE memories SET chat = ? WHERE chat = ?", (str(new), str(old)))


def holders(db: Connection, mark: str, word: str) -> list[int]:
    """The newest of what holds a word. It is letters and digits alone: to FTS5 nothing in it can be an operator."""
    beginning = "*" if len(word) >= LEAST_BEGINNING else ""
    rows = db.all(
        "SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT ?",
        f'"{mark}{word}"{beginning}',
        MOST_HOLDING,
    )
    return [row["rowid"] for row in rows]


def likeliest(holding: Mapping[str, Iterable[int]], weighed: Mapping[str, float]) -> list[int]:
    """A shortlist: what holds the most telling words."""
    totals: dict[int, float] = defaultdict(float)
    for word, ids in holding.items():
        for id in ids:
            totals[id] += weighed[word]
    return sorted(totals, key=lambda id: (totals[id], id), reverse=True)[:SHORTLIST]


def indexed(chat: str, text: str) -> str:
    """A text as it stands in the index. A word that it holds often stands there as often."""
    mark = mark_of(chat)
    return f" {' '.join(mark + word for word in words_of(text))} "


def mark_of(chat: str) -> str:
    """The same letters and digits for a chat at all times. Where two chats share them, each finds only its own."""
    return hashlib.blake2s(chat.encode(), digest_size=4).hexdigest()


def read(row: sqlite3.Row) -> Memory:
    return Memory(
        id=row["id"],
        text=row["text"],
        saved_at=datetime.fromisoformat(row["saved_at"]),
        role=row["role"] and RoleName(row["role"]),
        delegation=row["delegation"] and TurnId(row["delegation"]),
    )
