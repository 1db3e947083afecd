"""A large database: many chats, each with a conversation and memories, as the bot itself would leave them."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep

from bot.core.messages import Address
from bot.store.connection import Connection
from bot.store.text_search.ranking import CONVERSATION_BITS
from bot.store.text_search.scopes import MemoryScope, get_or_add_scope_id
from bot.store.text_search.word_index import CONVERSATION_INDEX, marked_words
from bot.store.text_search.words import text_as_stems
from tests.support.search import LANGUAGES, index_all

AT_ONCE = 50  # chats in one commit: a bot that runs beside it must not wait long
PAUSE_SECONDS = 0.03  # after each, so that the bot gets its turn
ENTRIES_PER_TURN = 8
SINCE = datetime(2026, 1, 1, tzinfo=UTC)
SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu")
USUAL = ("the", "Ann", "likes", "harvest")  # every memory has these words


def fill(path: Path, channel: str, chats: Iterable[int], *, entries: int, memories: int, texts: int = 0) -> None:
    """Add chats of these numbers (`chat 7`) to a database in which the bot has answered once. Each gets copies of that
    answer's turn and chapter. So many texts of each can be found as said."""
    with closing(sqlite3.connect(path, isolation_level=None, factory=Connection)) as db:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA synchronous=OFF")
        turn, chapter = db.fetch_row("SELECT * FROM turns"), db.fetch_row("SELECT * FROM chapters")
        assert turn, "the bot has answered nobody"
        assert chapter, "the bot has answered nobody"
        for some in batches(list(chats)):
            db.execute("BEGIN")
            for number in some:
                address = f"{channel}:chat%20{number}"
                converse(db, address, dict(turn), dict(chapter), entries)
                remember(db, address, memories)
                say(db, address, texts)
            db.execute("COMMIT")
            sleep(PAUSE_SECONDS)
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")  # so that the new rows are in the main file
    with path.open("rb") as file:
        os.fsync(file.fileno())  # so that no later commit has to wait for it


def batches(chats: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(chats), AT_ONCE):
        yield chats[start : start + AT_ONCE]


def converse(db: Connection, address: str, turn: dict[str, object], chapter: dict[str, object], entries: int) -> None:
    session = f"{address}#0"
    db.insert_if_new("sessions", id=session, address=address, opened_at=SINCE.isoformat(), chapter=1)
    db.insert_if_new("chapters", **{**chapter, "session": session, "seq": entries, "last_role": "assistant"})
    ids = [f"{address}/{n}" for n in range(0, entries, ENTRIES_PER_TURN)]
    for id in ids:
        db.insert_if_new("turns", **{**turn, "id": id, "root": id, "session": session, "address": address})
    said = json.dumps([{"type": "text", "text": "Ann: the harvest of that year was better than anybody had hoped"}])
    rows = [
        (session, 1, seq, ids[(seq - 1) // ENTRIES_PER_TURN], ("user", "assistant")[(seq - 1) % 2], said)
        for seq in range(1, entries + 1)
    ]
    entry = "INSERT INTO entries (session, chapter, seq, turn, role, body) VALUES (?, ?, ?, ?, ?, ?)"
    db.executemany(entry, rows)


def remember(db: Connection, address: str, memories: int) -> None:
    """Add memories. Each has the usual words, and a few rare ones."""
    rng = random.Random(address)
    first = db.fetch_number("SELECT ifnull(max(id), 0) FROM memories") + 1
    texts = [" ".join([*USUAL, *(rare(rng) for _ in range(8))]) for _ in range(memories)]
    rows = [
        (id, f"{address}/{id}", address, "Ann", text, (SINCE + timedelta(days=id % 90)).isoformat())
        for id, text in enumerate(texts, start=first)
    ]
    memory = "INSERT INTO memories (id, call, chat, person, text, saved_at) VALUES (?, ?, ?, ?, ?, ?)"
    db.executemany(memory, rows)
    index_all(db)


def say(db: Connection, address: str, texts: int) -> None:
    """Add texts that were said, and index them. Each has the usual words, and a few rare ones."""
    rng = random.Random(f"{address} said")
    scope = get_or_add_scope_id(db, MemoryScope.for_address(Address.parse(address)))
    newest = db.fetch_number("SELECT ifnull(max(id), 0) FROM said") >> CONVERSATION_BITS
    told = [" ".join([*USUAL, *(rare(rng) for _ in range(8))]) for _ in range(texts)]
    ids = range((newest + 1 << CONVERSATION_BITS) + 1, (newest + 1 << CONVERSATION_BITS) + 1 + texts)
    stems = [text_as_stems(text, LANGUAGES) for text in told]
    row = (scope, f"{address}#0", f"{address}/0", "Ann", "", SINCE.isoformat())
    rows = [(id, *row, text, stem) for id, text, stem in zip(ids, told, stems, strict=True)]
    columns = "id, scope, session, turn, person, name, said_at, text, stems"
    db.executemany(f"INSERT INTO said ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    words = [(id, marked_words(CONVERSATION_INDEX, scope, stem)) for id, stem in zip(ids, stems, strict=True)]
    db.executemany("INSERT INTO said_words (rowid, words) VALUES (?, ?)", words)


def rare(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=3))
