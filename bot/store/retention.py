"""Delete old rows. Transcripts stay until their session is deleted; what was set aside or failed stays, too."""

from datetime import datetime

from bot.store.connection import Connection

EMPTY_COLUMNS_SQL = "text = '', name = '', quotes = '[]', attachments = '[]'"
HAS_WORDS_SQL = "text != '' OR quotes != '[]' OR attachments != '[]'"
ROWS_AT_ONCE = 500  # rows: a sweep does not hold up the chat


def forget_old_rows(db: Connection, old: datetime, ids_old: datetime) -> bool:
    """Forget what is from before `old`, and the ids of messages from before `ids_old`. Return True if there may be
    more to forget."""
    emptied = f"UPDATE inbox SET {EMPTY_COLUMNS_SQL}"
    changed = [
        forget_rows(db, emptied, "inbox", f"state = 'done' AND ({HAS_WORDS_SQL}) AND kept_at < ?", old),
        forget_rows(db, "DELETE FROM inbox", "inbox", "state = 'done' AND kept_at < ?", ids_old),
        forget_rows(db, "DELETE FROM outbox", "outbox", "state = 'sent' AND said_at < ?", old),
        forget_rows(db, "DELETE FROM outbox", "outbox", "state = 'failed' AND is_cosmetic AND said_at < ?", old),
        forget_rows(db, "DELETE FROM questions", "questions", "kind = 'pairing' AND deadline < ?", old),
        forget_rows(db, "DELETE FROM orders", "orders", "answer IS NOT NULL AND given_at < ?", old),
    ]
    return max(changed) == ROWS_AT_ONCE


def forget_rows(db: Connection, change: str, table: str, where: str, before: datetime) -> int:
    found = f"SELECT rowid FROM {table} WHERE {where} LIMIT {ROWS_AT_ONCE}"
    return db.execute(f"{change} WHERE rowid IN ({found})", (before.isoformat(),)).rowcount
