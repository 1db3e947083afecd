"""The memories of each chat and of each group: saved, forgotten, and found again by their words.

In the index each word begins with a mark of its scope. So a search reads only what its own chat or group has saved,
even if others have saved much or use the word often. FTS5's own bm25() would weigh a word by all scopes together.
"""

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from bot.core.messages import NO_GROUP, Address, GroupName, PersonId, RoleName
from bot.core.turn import CallId, Turn, TurnId
from bot.store import word_scoring
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_from_row

MAX_MEMORIES_PER_WORD = 200  # memories with a word, at most, that a search considers: the newest
MAX_SHORTLISTED_MEMORIES = 50  # memories of these, at most, that it reads: the likeliest
MAX_FOUND_MEMORIES = 10

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryScope:
    """The owner of memories: a chat with all its threads, or a group, wherever its agent works."""

    chat: str  # empty for a group
    group: GroupName

    @classmethod
    def for_address(cls, address: Address, group: GroupName = NO_GROUP) -> "MemoryScope":
        return cls(chat="" if group else str(address.whole_chat), group=group)

    @property
    def column_name(self) -> str:
        return "group_name" if self.group else "chat"

    @property
    def column_value(self) -> str:
        return self.group or self.chat

    @property
    def index_word_prefix(self) -> str:
        """Return letters and digits that mark the words of this scope. They never change. If two scopes share a mark,
        each still finds only its own memories. (No chat's name has a space in it.)"""
        name = f"group {self.group}" if self.group else self.chat
        return hashlib.blake2s(name.encode(), digest_size=4).hexdigest()


def memory_scope_of_turn(turn: Turn) -> MemoryScope:
    return MemoryScope.for_address(turn.address, turn.group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A saved memory. If a role saved it under its own name, `role` and `delegation` are set."""

    id: int
    text: str
    saved_at: datetime
    role: RoleName | None
    delegation: TurnId | None
    person: PersonId  # the person it was saved for
    asker: str  # the person's name; empty if it was not kept
    sources: tuple[str, ...]  # what was read before it was saved, besides the person's own words
    is_confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemories:
    """The memories that fit best, and whether they are all that fit."""

    memories: tuple[Memory, ...]
    is_complete: bool


def add_memory(
    db: Connection, turn: Turn, call: CallId, text: str, now: datetime, *, as_role: bool, sources: Sequence[str] = ()
) -> int:
    """Save a text for the turn's chat or group. Return its number. The same call saves only once. If words of others
    (`sources`) were read before, somebody has to confirm the memory."""
    scope = memory_scope_of_turn(turn)
    columns = {"chat": scope.chat, "group_name": scope.group or None, "person": turn.person, "asker": turn.asker}
    columns |= {"delegation": turn.id, "role": turn.role} if as_role else {}
    is_new = db.insert_if_new(
        "memories", call=call, text=text, saved_at=now, sources=sources, is_confirmed=not sources, **columns
    )
    id = db.fetch_number("SELECT id FROM memories WHERE call = ?", call)
    if is_new:
        db.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (id, build_index_text(scope, text)))
    return id


def forget_memory(db: Connection, scope: MemoryScope, id: int) -> bool:
    """Delete a memory. Return False if the scope has no memory with that number. FTS5 only marks the words as deleted,
    and keeps them until it merges their segment. So we tell it to merge all segments, which takes about 4 ms for a
    thousand memories. (The option 'secure-delete' would delete at once. But only newer versions of SQLite have it, and
    older ones cannot read the file that it leaves.)"""
    sql = f"DELETE FROM memories WHERE id = ? AND {scope.column_name} = ?"
    if db.execute(sql, (id, scope.column_value)).rowcount == 0:
        return False
    db.execute("DELETE FROM memory_words WHERE rowid = ?", (id,))
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    return True


def find_memory(db: Connection, scope: MemoryScope, id: int) -> Memory | None:
    row = db.fetch_row(f"SELECT * FROM memories WHERE id = ? AND {scope.column_name} = ?", id, scope.column_value)
    return dataclass_from_row(Memory, row) if row else None


def confirm_memory(db: Connection, scope: MemoryScope, id: int) -> bool:
    """Confirm a memory. Return False if no memory with that number waits for it in this scope."""
    sql = f"UPDATE memories SET is_confirmed = 1 WHERE id = ? AND {scope.column_name} = ? AND is_confirmed = 0"
    return db.execute(sql, (id, scope.column_value)).rowcount == 1


def list_unconfirmed_memories(db: Connection, scope: MemoryScope) -> list[Memory]:
    """Return the memories that somebody has to confirm, oldest first."""
    sql = f"SELECT * FROM memories WHERE {scope.column_name} = ? AND is_confirmed = 0 ORDER BY id"
    return [dataclass_from_row(Memory, row) for row in db.fetch_rows(sql, scope.column_value)]


def list_newest_memories(
    db: Connection, scope: MemoryScope, most: int = MAX_FOUND_MEMORIES, *, only_confirmed: bool = False
) -> FoundMemories:
    """Return the newest memories of a scope, newest first."""
    which = " AND is_confirmed" * only_confirmed
    sql = f"SELECT * FROM memories WHERE {scope.column_name} = ?{which} ORDER BY id DESC LIMIT ?"
    rows = db.fetch_rows(sql, scope.column_value, most + 1)
    newest = tuple(dataclass_from_row(Memory, row) for row in rows[:most])
    return FoundMemories(memories=newest, is_complete=len(rows) <= most)


def search_memories(db: Connection, scope: MemoryScope, words: Sequence[str], now: datetime) -> FoundMemories:
    """Return the memories that fit the words best (as `split_into_words` returns them). A memory fits if it has any of
    the words, whole or as the beginning of a longer word. If two fit equally well, the newer one comes first."""
    mark = scope.index_word_prefix
    holding = {mark + word: find_memory_ids_with_word(db, mark, word) for word in words}
    weighed = word_scoring.weigh_words_by_rarity(holding)
    rows = db.fetch_rows(
        f"SELECT memories.*, words FROM json_each(?) CROSS JOIN memories ON memories.id = value"
        f" AND {scope.column_name} = ? CROSS JOIN memory_words ON memory_words.rowid = value",
        shortlist_memories(holding, weighed),
        scope.column_value,
    )
    usual_length = fmean(row["words"].count(" ") for row in rows) if rows else 1.0

    def rank(row: sqlite3.Row) -> tuple[float, int]:
        days = (now - datetime.fromisoformat(row["saved_at"])).total_seconds() / SECONDS_PER_DAY
        score = word_scoring.score_text_for_words(row["words"], weighed, usual_length)
        return score * word_scoring.freshness_factor(days), row["id"]

    best = sorted(rows, key=rank, reverse=True)[:MAX_FOUND_MEMORIES]
    found = tuple(dataclass_from_row(Memory, row) for row in best)
    return FoundMemories(memories=found, is_complete=len(rows) == len(best))


def move_chat_memories(db: Connection, old: Address, new: Address) -> None:
    """Move a chat's memories to its new address. (Memories of its group do not carry an address.)"""
    for row in db.fetch_rows("SELECT id, text FROM memories WHERE chat = ?", old):
        words = build_index_text(MemoryScope.for_address(new), row["text"])
        db.update("memory_words", {"words": words}, rowid=row["id"])
    db.execute("UPDATE memories SET chat = ? WHERE chat = ?", (new, old))


def find_memory_ids_with_word(db: Connection, mark: str, word: str) -> list[int]:
    """Return the ids of the newest memories with a word. It has only letters and digits: no operator of FTS5."""
    beginning = "*" if len(word) >= word_scoring.MIN_WORD_PREFIX_LENGTH else ""
    sql = f"SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT {MAX_MEMORIES_PER_WORD}"
    return [row["rowid"] for row in db.fetch_rows(sql, f'"{mark}{word}"{beginning}')]


def shortlist_memories(holding: Mapping[str, Iterable[int]], weighed: Mapping[str, float]) -> list[int]:
    """Return the ids of the memories with the most telling words, best first, at most MAX_SHORTLISTED_MEMORIES."""
    totals: dict[int, float] = defaultdict(float)
    for word, ids in holding.items():
        for id in ids:
            totals[id] += weighed[word]
    return sorted(totals, key=lambda id: (totals[id], id), reverse=True)[:MAX_SHORTLISTED_MEMORIES]


def build_index_text(scope: MemoryScope, text: str) -> str:
    """Return a text as the index holds it: each word with the mark of its scope, as often as the text has it."""
    mark = scope.index_word_prefix
    return f" {' '.join(mark + word for word in word_scoring.split_into_words(text))} "
