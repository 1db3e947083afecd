"""The memories of people, chats and groups, and those of everybody: saved, forgotten, and found by their words.

Which scopes a turn may see is decided in `bot/journal/memory_scopes.py`.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import NO_GROUP, Address, GroupName, PersonId, RoleName
from bot.core.scope_kinds import ScopeKind
from bot.core.sources import NO_SOURCES, PRIVATE_SOURCE_PREFIX, Sources, private_sources
from bot.core.turn import CallId, Turn, TurnId
from bot.store.connection import Connection
from bot.store.file_rewrite import note_words_forgotten
from bot.store.row_mapping import dataclass_from_row
from bot.store.text_search import ranking
from bot.store.text_search.scopes import EVERYBODY, MemoryScope, find_scope_ids
from bot.store.text_search.word_index import MAX_UNINDEXED_TEXTS, MEMORY_INDEX, find_hits, remove_from_index
from bot.store.text_search.words import Languages, query_as_words, text_as_stems

MAX_FOUND_MEMORIES = 10
SHARED_KINDS = frozenset({ScopeKind.CHAT, ScopeKind.GROUP})  # where several people have memories saved
SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A saved memory. If a role saved it under its own name, `role` and `delegation` are set."""

    id: int
    chat: str  # as in its scope
    group_name: GroupName | None
    text: str
    saved_at: datetime
    role: RoleName | None
    delegation: TurnId | None
    person: PersonId  # the account that it was saved for; empty if it is everybody's
    asker: str  # the person's name; empty if it was not kept
    sources: tuple[str, ...]  # what was read before it was saved, besides the person's own words: the untrusted ones
    private_sources: Sources  # and those that stand for private things
    is_confirmed: bool

    @property
    def scope(self) -> MemoryScope:
        return MemoryScope(chat=self.chat, group=self.group_name or NO_GROUP)

    @property
    def saver(self) -> PersonId | None:
        """Return who had it saved in their own words, in a place that others share; None if others' words were
        read before, or if nobody shares the place."""
        return self.person if self.scope.kind in SHARED_KINDS and not self.sources else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemories:
    """The memories that fit best, and whether they are all that fit."""

    memories: tuple[Memory, ...]
    is_complete: bool


def add_memory(
    db: Connection,
    turn: Turn,
    scope: MemoryScope,
    call: CallId,
    text: str,
    now: datetime,
    *,
    as_role: bool,
    sources: Sequence[str] = (),
    private: Sources = NO_SOURCES,
) -> int:
    """Save a text in a scope. Return its number. The same call saves only once. If words of others (`sources`) were
    read before, somebody has to confirm the memory. A memory of everybody names no person. `private` are the sources of
    private things that were read before."""
    columns: dict[str, object] = {"chat": scope.chat, "group_name": scope.group or None}
    is_everybodys = scope.kind is ScopeKind.TENANT
    columns |= {"person": "", "asker": ""} if is_everybodys else {"person": turn.person, "asker": turn.asker}
    columns |= {"delegation": turn.id, "role": turn.role} if as_role else {}
    db.insert_if_new(
        "memories",
        call=call,
        text=text,
        saved_at=now,
        sources=[*sources, *sorted(private)],
        is_confirmed=not sources,
        **columns,
    )
    return db.fetch_number("SELECT id FROM memories WHERE call = ?", call)


def add_memory_of_operator(db: Connection, text: str, now: datetime) -> int:
    """Save a text for everybody, by no call of a turn. Return its number."""
    sql = (
        "INSERT INTO memories (call, chat, person, text, saved_at)"
        " VALUES ('operator:' || lower(hex(randomblob(8))), ?, '', ?, ?)"
    )
    return db.execute(sql, (EVERYBODY.chat, text, now)).lastrowid or 0


def forget_memory(db: Connection, scope: MemoryScope, id: int) -> bool:
    """Delete a memory, and its words in the index. Return False if the scope has no memory with that number."""
    where = f"id = ? AND {scope.column_name} = ?"
    remove_from_index(db, MEMORY_INDEX, where, id, scope.column_value)
    is_forgotten = db.execute(f"DELETE FROM memories WHERE {where}", (id, scope.column_value)).rowcount == 1
    if is_forgotten:
        note_words_forgotten(db)
    return is_forgotten


def find_memory(
    db: Connection, scopes: Sequence[MemoryScope], id: int, *, even_if_hidden: bool = False
) -> Memory | None:
    """Return the memory with that number; None if it is in none of these scopes, or if nobody may see it yet."""
    row = db.fetch_row("SELECT * FROM memories WHERE id = ?", id)
    memory = memory_from_row(row) if row else None
    if memory is None or memory.scope not in scopes or (is_hidden(memory) and not even_if_hidden):
        return None
    return memory


def is_hidden(memory: Memory) -> bool:
    """Return True if a memory is everybody's and not confirmed: others' words must not reach all chats by it."""
    return memory.scope == EVERYBODY and not memory.is_confirmed


def confirm_memory(db: Connection, scope: MemoryScope, id: int) -> bool:
    """Confirm a memory. Return False if no memory with that number waits for it in this scope."""
    sql = f"UPDATE memories SET is_confirmed = 1 WHERE id = ? AND {scope.column_name} = ? AND is_confirmed = 0"
    return db.execute(sql, (id, scope.column_value)).rowcount == 1


def list_unconfirmed_memories(db: Connection, scopes: Sequence[MemoryScope]) -> list[Memory]:
    """Return the memories that somebody has to confirm, oldest first."""
    found = list[Memory]()
    for scope in scopes:
        sql = f"SELECT * FROM memories WHERE {scope.column_name} = ? AND is_confirmed = 0"
        found += map(memory_from_row, db.fetch_rows(sql, scope.column_value))
    return sorted(found, key=lambda memory: memory.id)


def list_savers(db: Connection, scopes: Sequence[MemoryScope]) -> set[PersonId]:
    """Return who had the memories of chats and groups saved in their own words, before words of others were
    read."""
    found = set[PersonId]()
    has_others_words = f"SELECT 1 FROM json_each(sources) WHERE value NOT GLOB '{PRIVATE_SOURCE_PREFIX}*'"
    for scope in (each for each in scopes if each.kind in SHARED_KINDS):
        sql = f"SELECT DISTINCT person FROM memories WHERE {scope.column_name} = ? AND NOT EXISTS ({has_others_words})"
        found |= {PersonId(row["person"]) for row in db.fetch_rows(sql, scope.column_value)}
    return found


def list_newest_memories(
    db: Connection, scopes: Sequence[MemoryScope], most: int = MAX_FOUND_MEMORIES, *, only_confirmed: bool = False
) -> FoundMemories:
    """Return the newest memories of some scopes, newest first."""
    rows = []
    for scope in scopes:
        which = " AND is_confirmed" * (only_confirmed or scope == EVERYBODY)
        sql = f"SELECT * FROM memories WHERE {scope.column_name} = ?{which} ORDER BY id DESC LIMIT ?"
        rows += db.fetch_rows(sql, scope.column_value, most + 1)
    rows.sort(key=lambda row: -row["id"])
    newest = tuple(map(memory_from_row, rows[:most]))
    return FoundMemories(memories=newest, is_complete=len(rows) <= most)


def list_memories_of_everybody(db: Connection) -> list[Memory]:
    """Return all memories of everybody, oldest first, also those that nobody has confirmed."""
    rows = db.fetch_rows("SELECT * FROM memories WHERE chat = ? ORDER BY id", EVERYBODY.chat)
    return list(map(memory_from_row, rows))


def search_memories(
    db: Connection, scopes: Sequence[MemoryScope], words: Sequence[str], languages: Languages, now: datetime
) -> FoundMemories:
    """Return the memories that fit the words best (as `split_into_words` returns them). A memory fits if it has any of
    the words, whole or as the beginning of a longer word. If two fit equally well, the newer one comes first."""
    ids, searched = find_scope_ids(db, scopes), query_as_words(words, languages)
    unindexed = [(row["id"], text_as_stems(row["text"], languages)) for row in list_unindexed_rows(db, scopes)]
    weighed = ranking.weigh_words(searched, find_hits(db, MEMORY_INDEX, ids, searched, unindexed))
    fitting = ranking.shortlist(ranking.score_own_words(weighed))
    sql = "SELECT memories.* FROM json_each(?) CROSS JOIN memories ON memories.id = value"
    rows = {row["id"]: row for row in db.fetch_rows(sql, fitting)}
    found = [memory for memory in map(memory_from_row, rows.values()) if memory.scope in scopes]

    def score(memory: Memory) -> tuple[float, int]:
        days = (now - memory.saved_at).total_seconds() / SECONDS_PER_DAY
        stems = rows[memory.id]["stems"] or text_as_stems(memory.text, languages)
        return ranking.score_stems(stems, weighed) * ranking.freshness_factor(days), memory.id

    visible = [memory for memory in found if not is_hidden(memory)]
    best = sorted(visible, key=score, reverse=True)[:MAX_FOUND_MEMORIES]
    return FoundMemories(memories=tuple(best), is_complete=len(visible) == len(best))


def memory_from_row(row: sqlite3.Row) -> Memory:
    read = json.loads(row["sources"])
    private = private_sources(read)
    untrusted = tuple(each for each in read if each not in private)
    return dataclass_from_row(Memory, row, sources=untrusted, private_sources=private)


def list_unindexed_rows(db: Connection, scopes: Sequence[MemoryScope]) -> list[sqlite3.Row]:
    sql = "SELECT id, text FROM memories INDEXED BY memories_unindexed WHERE chat = ? AND group_name IS ?"
    newest = f"{sql} AND stems IS NULL ORDER BY id DESC LIMIT ?"
    return [
        row for scope in scopes for row in db.fetch_rows(newest, scope.chat, scope.group or None, MAX_UNINDEXED_TEXTS)
    ]


def move_chat_memories(db: Connection, old: Address, new: Address) -> None:
    """Move a chat's memories to its new address. (Other memories do not carry an address.)"""
    db.execute("UPDATE memories SET chat = ? WHERE chat = ?", (new, old))
