"""Index the texts that are not indexed yet, in batches. An interrupted batch is made again: its rows say so."""

import json
import sqlite3

from bot.core.messages import GroupName
from bot.store.connection import Connection
from bot.store.text_search.scopes import MemoryScope, ScopeId, get_or_add_scope_id
from bot.store.text_search.word_index import (
    CONVERSATION_INDEX,
    INDEXES,
    MEMORY_INDEX,
    WordIndex,
    add_to_index,
    empty_index,
    purge_index,
)
from bot.store.text_search.words import Languages, text_as_stems

MAX_TEXTS_PER_BATCH = 200  # about 20 ms


def index_some_texts(db: Connection, languages: Languages) -> bool:
    """Index at most MAX_TEXTS_PER_BATCH texts of each kind, and go on overwriting deleted words. Return True if there
    may be more to do. If the languages are others than before, index everything again."""
    for index in INDEXES:
        if languages_of_index(db, index) != languages:
            empty_index(db, index)
            db.execute("UPDATE search_indexes SET languages = ? WHERE name = ?", (languages, index.name))
    unindexed = "WHERE stems IS NULL LIMIT ?"
    said = db.fetch_rows(f"SELECT * FROM said INDEXED BY said_unindexed {unindexed}", MAX_TEXTS_PER_BATCH)
    for row in said:
        stems = text_as_stems(row["text"], languages, row["name"])
        add_to_index(db, CONVERSATION_INDEX, row["id"], ScopeId(row["scope"]), stems)
    saved = db.fetch_rows(f"SELECT * FROM memories INDEXED BY memories_unindexed {unindexed}", MAX_TEXTS_PER_BATCH)
    for row in saved:
        scope = get_or_add_scope_id(db, scope_of_memory(row))
        add_to_index(db, MEMORY_INDEX, row["id"], scope, text_as_stems(row["text"], languages))
    return purge_some_words(db) or MAX_TEXTS_PER_BATCH in (len(said), len(saved))


def purge_some_words(db: Connection) -> bool:
    """Go on overwriting the words of deleted texts. Return True if there are more."""
    has_more = [purge_index(db, index) for index in INDEXES]  # of both
    return any(has_more)


def languages_of_index(db: Connection, index: WordIndex) -> Languages:
    row = db.fetch_row("SELECT languages FROM search_indexes WHERE name = ?", index.name)
    return tuple(json.loads(row["languages"])) if row else ()


def scope_of_memory(row: sqlite3.Row) -> MemoryScope:
    return MemoryScope(chat=row["chat"], group=GroupName(row["group_name"] or ""))
