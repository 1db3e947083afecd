"""The tables of a file: migrate them, and find where they differ from those that the steps make."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache

from bot.core.errors import ConfigError
from bot.store import texts
from bot.store.connection import Connection
from bot.store.migrations import STEPS, Step

MAX_TABLE_NAMES_IN_ERROR = 3  # names of differing tables that an error shows


def migrate(db: Connection) -> None:
    """Run every missing step, in one transaction. Raise ConfigError if the file is from a newer version, or if its
    tables are not those of its step."""
    db.start_collecting_wake_ups()
    db.execute("BEGIN IMMEDIATE")
    done = db.fetch_number("PRAGMA user_version")
    error = newer_version_error(done) if done > len(STEPS) else None
    if error is None and (names := list_changed_tables(db)):
        error = development_version_error(names)
    if error:
        db.execute("ROLLBACK")
        raise error
    for step in STEPS[done:]:
        step(db)
    db.execute(f"PRAGMA user_version = {len(STEPS)}")
    db.execute("COMMIT")


def is_migrated_to_this_version(db: Connection) -> bool:
    """Return True if every step was run. Raise ConfigError if the file is from a newer version."""
    done = db.fetch_number("PRAGMA user_version")
    if done > len(STEPS):
        raise newer_version_error(done)
    return done == len(STEPS)


def list_changed_tables(db: Connection) -> list[str]:
    """Return the names of the tables and indexes that the file's steps make and that are missing or different in it."""
    found = table_definitions(db)
    return sorted(name for name, sql in expected_table_definitions(db).items() if found.get(name) != sql)


def list_unknown_tables(db: Connection) -> list[str]:
    """Return the names of tables and indexes that are in the file and that its steps do not make. They do no harm in
    our own folder: a tool that replicates the file keeps its tables there."""
    return sorted(table_definitions(db).keys() - expected_table_definitions(db).keys())


def expected_table_definitions(db: Connection) -> dict[str, str]:
    return table_definitions_made_by_steps(STEPS[: db.fetch_number("PRAGMA user_version")])


@cache
def table_definitions_made_by_steps(steps: tuple[Step, ...]) -> dict[str, str]:
    """Return the SQL of all that these steps create in an empty file, by name."""
    with closing(sqlite3.connect(":memory:", factory=Connection)) as db:
        db.start_collecting_wake_ups()
        for step in steps:
            step(db)
        return table_definitions(db)


def table_definitions(db: Connection) -> dict[str, str]:
    """Return the SQL of each table, index, trigger and view, by name. What FTS5 keeps behind its table is left out: it
    depends on the version of SQLite."""
    behind = " AND ".join(f"name NOT GLOB '{name}'" for name in ("sqlite_*", "memory_words_*", "said_words_*"))
    rows = db.fetch_rows(f"SELECT name, sql FROM sqlite_master WHERE {behind}")
    return {row["name"]: " ".join(row["sql"].split()) for row in rows}


def development_version_error(names: Sequence[str]) -> ConfigError:
    shown = ", ".join(names[:MAX_TABLE_NAMES_IN_ERROR]) + (" …" if len(names) > MAX_TABLE_NAMES_IN_ERROR else "")
    return ConfigError(texts.OF_DEVELOPMENT(names=shown))


def newer_version_error(done: int) -> ConfigError:
    return ConfigError(texts.OF_NEWER_VERSION(step=done, steps=len(STEPS)))
