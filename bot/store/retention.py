"""What is forgotten, and when. Transcripts stay until their session is deleted; what was set aside or failed, too."""

from datetime import datetime, timedelta

from bot.store.connection import Connection

IDS_DAYS = 7  # a platform may repeat an event for as long: its id must be known
EMPTY_COLUMNS_SQL = "text = '', name = '', quotes = '[]', attachments = '[]'"
HAS_WORDS_SQL = "text != '' OR quotes != '[]' OR attachments != '[]'"
ROWS_AT_ONCE = 500  # rows: a sweep does not hold up the chat


def sweep_old_rows(db: Connection, now: datetime, keep_days: int) -> bool:
    """Delete rows older than `keep_days`; none if it is 0. Return True if there may be more to delete."""
    if not keep_days:
        return False
    old = (now - timedelta(days=keep_days)).isoformat()
    ids_old = (now - timedelta(days=max(keep_days, IDS_DAYS))).isoformat()
    changed = [
        forget_rows(
            db,
            f"UPDATE inbox SET {EMPTY_COLUMNS_SQL}",
            "inbox",
            f"state = 'done' AND ({HAS_WORDS_SQL}) AND kept_at < ?",
            old,
        ),
        forget_rows(db, "DELETE FROM inbox", "inbox", "state = 'done' AND kept_at < ?", ids_old),
        forget_rows(db, "DELETE FROM outbox", "outbox", "state = 'sent' AND said_at < ?", old),
        forget_rows(db, "DELETE FROM outbox", "outbox", "state = 'failed' AND is_cosmetic AND said_at < ?", old),
        forget_rows(db, "DELETE FROM questions", "questions", "kind = 'pairing' AND deadline < ?", old),
        forget_rows(db, "DELETE FROM orders", "orders", "answer IS NOT NULL AND given_at < ?", old),
    ]
    return max(changed) == ROWS_AT_ONCE


def forget_rows(db: Connection, change: str, table: str, where: str, before: str) -> int:
    found = f"SELECT rowid FROM {table} WHERE {where} LIMIT {ROWS_AT_ONCE}"
    return db.execute(f"{change} WHERE rowid IN ({found})", (before,)).rowcount
