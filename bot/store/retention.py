"""What is forgotten, and when. Transcripts stay until their session is deleted; what was set aside or failed, too."""

from datetime import datetime, timedelta

from bot.store.connection import Connection

IDS_DAYS = 7  # a platform may repeat an event for as long: its id must be known
EMPTIED = "text = '', name = '', quotes = '[]', attachments = '[]'"
HAS_WORDS = "text != '' OR quotes != '[]' OR attachments != '[]'"
AT_ONCE = 500  # rows: a sweep does not hold up the chat


def sweep(db: Connection, now: datetime, keep_days: int) -> bool:
    """Forget what is older than the operator keeps; 0 days: nothing. True if there may be more to forget."""
    if not keep_days:
        return False
    old = (now - timedelta(days=keep_days)).isoformat()
    ids_old = (now - timedelta(days=max(keep_days, IDS_DAYS))).isoformat()
    changed = [
        forget(db, f"UPDATE inbox SET {EMPTIED}", "inbox", f"state = 'done' AND ({HAS_WORDS}) AND kept_at < ?", old),
        forget(db, "DELETE FROM inbox", "inbox", "state = 'done' AND kept_at < ?", ids_old),
        forget(db, "DELETE FROM outbox", "outbox", "state = 'sent' AND said_at < ?", old),
        forget(db, "DELETE FROM outbox", "outbox", "state = 'failed' AND is_cosmetic AND said_at < ?", old),
        forget(db, "DELETE FROM questions", "questions", "kind = 'pairing' AND deadline < ?", old),
        forget(db, "DELETE FROM orders", "orders", "answer IS NOT NULL AND given_at < ?", old),
    ]
    return max(changed) == AT_ONCE


def forget(db: Connection, change: str, table: str, where: str, before: str) -> int:
    found = f"SELECT rowid FROM {table} WHERE {where} LIMIT {AT_ONCE}"
    return db.execute(f"{change} WHERE rowid IN ({found})", (before,)).rowcount
