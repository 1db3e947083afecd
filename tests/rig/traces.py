"""Look for words that must be gone: in every table, in the indexes, and in all files of the data folder. A word is
looked for by its stem, which is what an index has of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

INDEXES = {"memory_words": "memories", "said_words": "said"}  # and the tables of the texts in them
INDEXED_AT_ONCE = "indexed_at_once"  # the setting of a scenario whose texts are indexed as they are written: languages
OF_THE_RIG = ("out", "log", "socket")  # files beside the bot's own


def find_in_rows(db: sqlite3.Connection, word: str) -> Iterator[str]:
    """Yield the tables and indexes that still have a word."""
    for table, row in rows_of_tables(db):
        if word in row.casefold():
            yield f"{table} still has {word}: {row}"
    for index in INDEXES:
        yield from (f"{index} still has {term}" for term in terms_of_index(db, index) if word in term)


def rows_of_tables(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield each row with the name of its table, as one text."""
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    for (table,) in db.execute(names).fetchall():
        for row in db.execute(f"SELECT * FROM '{table}'"):
            yield table, " ".join(as_text(value) for value in tuple(row))


def as_text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def terms_of_index(db: sqlite3.Connection, index: str) -> list[str]:
    """Return the words that an index has, each behind the mark of its scope."""
    db.execute(f"CREATE VIRTUAL TABLE temp.sought USING fts5vocab(main, {index}, row)")
    found = [term for (term,) in db.execute("SELECT term FROM temp.sought")]
    db.execute("DROP TABLE temp.sought")
    return found


def find_in_files(folder: Path, word: str) -> Iterator[str]:
    """Yield the files below a folder that still have a word, in their content or their name."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in OF_THE_RIG and (word in path.name or word.encode() in path.read_bytes()):
            yield f"{path.relative_to(folder)} still has {word}"
