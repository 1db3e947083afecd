"""Memories of a file from before there were scopes: those of a private chat become their person's."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from bot.core.messages import Address, GroupName
from bot.store import memories
from bot.store.connection import Connection
from bot.store.migrations import STEPS
from bot.store.migrations_of_0_3 import add_memory_scopes
from bot.store.people import account_key
from bot.store.schema import migrate
from bot.store.text_search.scopes import MemoryScope
from tests.support.rows import NOW
from tests.support.search import LANGUAGES, index_all

ROWS = [  # (chat, group, person)
    ("telegram:7", None, "7"),
    ("discord:%408", None, "8"),
    ("telegram:-5", None, "7"),
    ("telegram:7", None, "9"),  # somebody else's: it cannot be their private chat
    ("", "alpha", "7"),
]
SCOPES = [
    MemoryScope.of_account(account_key("telegram", "7")),
    MemoryScope.of_account(account_key("discord", "8")),
    MemoryScope.for_address(Address(channel="telegram", chat="-5")),
    MemoryScope.for_address(Address(channel="telegram", chat="7")),
    MemoryScope(chat="", group=GroupName("alpha")),
]


def find(db: Connection, scope: MemoryScope, now: datetime) -> list[int]:
    found = memories.search_memories(db, [scope], ["mat"], LANGUAGES, now)
    return [memory.id for memory in found.memories]


def test_memories_of_private_chats_become_those_of_their_person(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "bot.db", isolation_level=None, factory=Connection)) as db:
        before = STEPS.index(add_memory_scopes)
        for step in STEPS[:before]:
            step(db)
        db.execute(f"PRAGMA user_version = {before}")
        for number, (chat, group, person) in enumerate(ROWS):
            row = {"call": f"c{number}", "chat": chat, "group_name": group, "person": person}
            db.insert_if_new("memories", text=f"the mat {number}", saved_at=NOW, **row)
        db.start_collecting_wake_ups()
        index_all(db)
        migrate(db)
        assert [find(db, scope, NOW) for scope in SCOPES] == [[1], [2], [3], [4], [5]]
        index_all(db)
        assert [find(db, scope, NOW) for scope in SCOPES] == [[1], [2], [3], [4], [5]]
