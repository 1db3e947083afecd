"""A database that comes out of a back-up: whether it is whole and ours, and what of it may be otherwise by now."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from bot.core.errors import ConfigError, StoreDamaged
from bot.core.messages import Address
from bot.store import chat_reader, schema, texts, turns
from bot.store.connection import Connection
from bot.store.database_copy import DatabaseContents, open_read_only, read_contents
from bot.store.writer import is_disk_error

R = TypeVar("R")
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)  # from which on there are numbers
NOTICE_PREFIX = "restored:"  # how the id of what is said about a restore begins

BEFORE_SAID_SQL = "strftime('%Y-%m-%dT%H:%M:%S', said_at, '-1 second') || '+00:00'"  # see Delivery.is_all_in_doubt


def admit_database(path: Path, settle: Callable[[Connection], R]) -> tuple[DatabaseContents, R]:
    """Check a copy, bring it to this version's step, read what is in it, and `settle` it in one transaction.

    It is one whole file afterwards, and on the disk. Raises StoreDamaged for what is damaged or no database of ours,
    ConfigError for one from a newer version.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None, factory=Connection)) as db:
            db.row_factory = sqlite3.Row
            # What is written in its schema is somebody else's until it is compared with ours.
            db.executescript("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;")
            if damage := chat_reader.find_damage(db):
                raise StoreDamaged(texts.COPY_DAMAGED(reason=" ".join(damage.split())))
            was = read_contents(db)
            if odd := sorted([*schema.list_changed_tables(db), *schema.list_unknown_tables(db)]):
                raise StoreDamaged(texts.COPY_NOT_OURS(names=", ".join(odd[:3])))
            schema.migrate(db)
            if broken := db.fetch_rows("PRAGMA foreign_key_check"):
                raise StoreDamaged(texts.COPY_NAMES_MISSING_ROWS(table=broken[0][0]))
            db.begin_job()
            db.execute("BEGIN IMMEDIATE")
            result = settle(db)
            db.execute("COMMIT")
            db.executescript("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;")
            return was, result
    except sqlite3.Error as error:
        if is_disk_error(error):
            raise ConfigError(texts.CANNOT_WRITE(path=path, reason=error)) from None
        raise StoreDamaged(texts.COPY_UNUSABLE(reason=error)) from None


def mark_outcomes_unknown(db: Connection) -> None:
    """Mark what waited or was on its way as unknown: it may have happened since the back-up was made."""
    # A draft's message may be the reply by now: it is not looked for, and not taken away.
    db.execute("UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE kind = 'draft' AND text != ''")
    db.execute(
        f"UPDATE outbox SET state = 'unknown', tries = 0, not_before = NULL, sending_since = {BEFORE_SAID_SQL}"
        " WHERE state IN ('queued', 'sending', 'unknown')"
    )
    # As if it had been started: the next start, like any, says that its outcome is unknown.
    db.execute("UPDATE calls SET state = 'started' WHERE state = 'planned' AND kind = 'change' AND NOT is_repeatable")
    turns.reset_attempts(db)


def skip_given_numbers(db: Connection, now: datetime) -> None:
    """Skip the numbers that may have been given since the back-up was made.

    Turns, and all that belongs to them, are named by the numbers of the inbox. The platforms still know some that were
    given since: a repeated nonce would swallow a new message, and the buttons of an old question would answer a new
    one. What an open turn asks and says next is named by the number of an entry: the same holds for those.

    The new numbers come from the clock, so that two restores of one back-up differ as well.
    """
    db.execute("INSERT INTO sqlite_sequence SELECT 'inbox', 0 WHERE 'inbox' NOT IN (SELECT name FROM sqlite_sequence)")
    seconds = int((now - FIRST_DAY).total_seconds())
    db.execute("UPDATE sqlite_sequence SET seq = max(seq + 1000000, ?) WHERE name = 'inbox'", (seconds,))
    at_work = "SELECT session FROM turns WHERE state != 'ended'"
    db.execute(f"UPDATE chapters SET seq = max(seq + 1000, ?) WHERE session IN ({at_work})", (seconds,))


def list_concerned_chats(db: Connection, since: datetime) -> list[Address]:
    """Return the chats where something was open, or where somebody has spoken since then. Chats that accept nothing are
    left out."""
    rows = db.fetch_rows(
        "SELECT DISTINCT address FROM ("
        " SELECT address FROM outbox WHERE state = 'unknown' AND NOT is_cosmetic"
        " UNION SELECT address FROM turns WHERE state != 'ended'"
        " UNION SELECT address FROM inbox WHERE state IN ('received', 'taken')"
        " UNION SELECT address FROM questions WHERE state = 'open' AND kind != 'pairing'"
        " UNION SELECT address FROM inbox WHERE state = 'done' AND person != '' AND kept_at >= ?"
        ") WHERE address NOT IN (SELECT address FROM chats WHERE closed_at IS NOT NULL OR moved_to IS NOT NULL)"
        " ORDER BY address",
        since.isoformat(),
    )
    return [Address.parse(row["address"]) for row in rows]


def restore_notices_told(path: Path) -> frozenset[str]:
    """Return the ids of what a database that is about to be put aside has said about restores; nothing if it is damaged
    or missing."""
    try:
        with closing(open_read_only(path)) as db:
            rows = db.fetch_rows(
                f"SELECT key FROM outbox WHERE key GLOB '{NOTICE_PREFIX}*' AND state IN ('sending', 'unknown', 'sent')"
            )
    except sqlite3.Error:
        return frozenset()
    return frozenset(row["key"] for row in rows)


def mark_notice_shown(db: Connection, key: str, now: datetime) -> None:
    """Mark a notice as shown."""
    db.execute("UPDATE outbox SET state = 'sent', sent_at = ? WHERE key = ?", (now.isoformat(), key))
