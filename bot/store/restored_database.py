"""Settle the rows of a database that comes out of a back-up, since its facts may have changed by now."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from bot.core.errors import ConfigError, StoreDamaged
from bot.core.messages import Address
from bot.store import texts, turns
from bot.store.connection import Connection, open_database_file
from bot.store.file_errors import is_disk_error

R = TypeVar("R")
RESTORE_NOTICE_ID_PREFIX = "restored:"  # begins the ids of the notices about a restore

SECOND_BEFORE_SAID_SQL = (
    "strftime('%Y-%m-%dT%H:%M:%S', said_at, '-1 second') || '+00:00'"  # Delivery.has_all_unshown_parts_in_doubt
)


@contextmanager
def open_restored_database(path: Path) -> Iterator[Connection]:
    """Yield a connection to a copy. Afterwards the copy is one file without a log, and on the disk. Raise StoreDamaged
    if SQLite cannot use it, ConfigError if the disk does not accept it."""
    try:
        with closing(sqlite3.connect(path, factory=Connection)) as db:
            # Do not trust the schema in the file before it is compared with ours.
            db.executescript("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;")
            yield db
            db.executescript("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;")
    except sqlite3.Error as error:
        if is_disk_error(error):
            raise ConfigError(texts.CANNOT_WRITE(path=path, reason=error)) from None
        raise StoreDamaged(texts.COPY_UNUSABLE(reason=error)) from None


def list_tables_with_broken_references(db: Connection) -> list[str]:
    """Return the tables whose rows name rows that are not there."""
    return [row[0] for row in db.fetch_rows("PRAGMA foreign_key_check")]


def run_transaction(db: Connection, work: Callable[[Connection], R]) -> R:
    db.start_collecting_wake_ups()
    db.execute("BEGIN IMMEDIATE")
    result = work(db)
    db.execute("COMMIT")
    return result


def mark_unfinished_work_unknown(db: Connection) -> None:
    """Mark what waited or was on its way as unknown: it may have happened since the back-up was made."""
    # A draft's message may have become the reply since then, so it is neither searched for nor deleted.
    db.execute("UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE kind = 'draft' AND text != ''")
    db.execute(
        f"UPDATE outbox SET state = 'unknown', tries = 0, not_before = NULL, sending_since = {SECOND_BEFORE_SAID_SQL}"
        " WHERE state IN ('queued', 'sending', 'unknown')"
    )
    # The next start says of every started call that its outcome is unknown.
    db.execute("UPDATE calls SET state = 'started' WHERE state = 'planned' AND kind = 'change' AND NOT is_repeatable")
    turns.reset_crash_attempts_of_open_turns(db)
    # The time in which no bot ran is not the file's: it is fetched at once, and tried again for as long as a new one.
    fresh = "failing_since = NULL, failures = 0, retry_at = NULL"
    db.execute(f"UPDATE incoming_files SET {fresh} WHERE state = 'waiting'")


def skip_message_and_entry_numbers(db: Connection, *, messages: int, entries: int, least: int) -> None:
    """Skip `messages` numbers of messages, and `entries` numbers of entries in the sessions of open turns. The next
    numbers are greater than `least`."""
    db.execute("INSERT INTO sqlite_sequence SELECT 'inbox', 0 WHERE 'inbox' NOT IN (SELECT name FROM sqlite_sequence)")
    db.execute("UPDATE sqlite_sequence SET seq = max(seq + ?, ?) WHERE name = 'inbox'", (messages, least))
    at_work = "SELECT session FROM turns WHERE state != 'ended'"
    db.execute(f"UPDATE chapters SET seq = max(seq + ?, ?) WHERE session IN ({at_work})", (entries, least))


def list_chats_to_tell_of_restore(db: Connection, since: datetime) -> list[Address]:
    """Return the chats where something is open or somebody has spoken since `since`, if they accept messages."""
    rows = db.fetch_rows(
        "SELECT DISTINCT address FROM ("
        " SELECT address FROM outbox WHERE state = 'unknown' AND NOT is_cosmetic"
        " UNION SELECT address FROM turns WHERE state != 'ended'"
        " UNION SELECT address FROM inbox WHERE state IN ('received', 'taken')"
        " UNION SELECT address FROM questions WHERE state = 'open' AND kind != 'pairing'"
        " UNION SELECT address FROM inbox WHERE state = 'done' AND person != '' AND kept_at >= ?"
        ") WHERE address NOT IN (SELECT address FROM chats WHERE closed_at IS NOT NULL OR moved_to IS NOT NULL)"
        " ORDER BY address",
        since,
    )
    return [Address.parse(row["address"]) for row in rows]


def list_sent_restore_notice_ids(path: Path) -> frozenset[str]:
    """Return the ids of the notices about restores that a database has sent; empty if it is damaged or missing."""
    told = f"key GLOB '{RESTORE_NOTICE_ID_PREFIX}*' AND state IN ('sending', 'unknown', 'sent')"
    try:
        with closing(open_database_file(path, "ro")) as db:
            return frozenset(row["key"] for row in db.fetch_rows(f"SELECT key FROM outbox WHERE {told}"))
    except sqlite3.Error:
        return frozenset()


def mark_notice_shown(db: Connection, key: str, now: datetime) -> None:
    db.execute("UPDATE outbox SET state = 'sent', sent_at = ? WHERE key = ?", (now, key))
