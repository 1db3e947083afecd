"""The memories of each chat and of each group: saved, forgotten, and found again by their words."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, PersonId, RoleName
from bot.core.turn import CallId, Turn, TurnId
from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_from_row
from bot.store.text_search import ranking
from bot.store.text_search.scopes import MemoryScope, find_scope_ids
from bot.store.text_search.word_index import MAX_UNINDEXED_TEXTS, MEMORY_INDEX, find_hits, remove_from_index
from bot.store.text_search.words import Languages, query_as_words, text_as_stems

MAX_FOUND_MEMORIES = 10

SECONDS_PER_DAY = 86_400.0


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
    scope = MemoryScope.of_turn(turn)
    columns = {"chat": scope.chat, "group_name": scope.group or None, "person": turn.person, "asker": turn.asker}
    columns |= {"delegation": turn.id, "role": turn.role} if as_role else {}
    db.insert_if_new(
        "memories", call=call, text=text, saved_at=now, sources=sources, is_confirmed=not sources, **columns
    )
    return db.fetch_number("SELECT id FROM memories WHERE call = ?", call)


def forget_memory(db: Connection, scope: MemoryScope, id: int) -> bool:
    """Delete a memory, and its words in the index. Return False if the scope has no memory with that number."""
    where = f"id = ? AND {scope.column_name} = ?"
    remove_from_index(db, MEMORY_INDEX, where, id, scope.column_value)
    return db.execute(f"DELETE FROM memories WHERE {where}", (id, scope.column_value)).rowcount == 1


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


def search_memories(
    db: Connection, scope: MemoryScope, words: Sequence[str], languages: Languages, now: datetime
) -> FoundMemories:
    """Return the memories that fit the words best (as `split_into_words` returns them). A memory fits if it has any of
    the words, whole or as the beginning of a longer word. If two fit equally well, the newer one comes first."""
    scopes, searched = find_scope_ids(db, scope), query_as_words(words, languages)
    unindexed = [(row["id"], text_as_stems(row["text"], languages)) for row in list_unindexed_rows(db, scope)]
    weighed = ranking.weigh_words(searched, find_hits(db, MEMORY_INDEX, scopes, searched, unindexed))
    ids = ranking.shortlist(ranking.score_own_words(weighed))
    sql = f"SELECT memories.* FROM json_each(?) CROSS JOIN memories ON memories.id = value AND {scope.column_name} = ?"
    rows = db.fetch_rows(sql, ids, scope.column_value)

    def score(row: sqlite3.Row) -> tuple[float, int]:
        days = (now - datetime.fromisoformat(row["saved_at"])).total_seconds() / SECONDS_PER_DAY
        stems = row["stems"] or text_as_stems(row["text"], languages)
        return ranking.score_stems(stems, weighed) * ranking.freshness_factor(days), row["id"]

    best = sorted(rows, key=score, reverse=True)[:MAX_FOUND_MEMORIES]
    found = tuple(dataclass_from_row(Memory, row) for row in best)
    return FoundMemories(memories=found, is_complete=len(rows) == len(best))


def list_unindexed_rows(db: Connection, scope: MemoryScope) -> list[sqlite3.Row]:
    sql = "SELECT id, text FROM memories INDEXED BY memories_unindexed WHERE chat = ? AND group_name IS ?"
    newest = f"{sql} AND stems IS NULL ORDER BY id DESC LIMIT ?"
    return db.fetch_rows(newest, scope.chat, scope.group or None, MAX_UNINDEXED_TEXTS)


def move_chat_memories(db: Connection, old: Address, new: Address) -> None:
    """Move a chat's memories to its new address. (Memories of its group do not carry an address.)"""
    db.execute("UPDATE memories SET chat = ? WHERE chat = ?", (new, old))
