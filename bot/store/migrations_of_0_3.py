"""The migration steps of release 0.3.0."""

from bot.store.connection import Connection


def add_cached_until(db: Connection) -> None:
    """Add to a chapter until when the cache of the model's server holds what the last request has left there."""
    db.execute("ALTER TABLE chapters ADD COLUMN cached_until TEXT")


def index_inbox_content(db: Connection) -> None:
    """Add an index of the answered messages that still have words, so that a sweep does not pass over emptied ones."""
    has_content = "text != '' OR quotes != '[]' OR attachments != '[]'"
    db.execute(f"CREATE INDEX inbox_content ON inbox (kept_at) WHERE state = 'done' AND ({has_content})")


def add_text_revision(db: Connection) -> None:
    """Add to a message the revision that its text is of. A board's text is written later than its revision begins."""
    db.execute("ALTER TABLE outbox ADD COLUMN text_revision INTEGER NOT NULL DEFAULT 0")
    db.execute("UPDATE outbox SET text_revision = revision WHERE state IN ('queued', 'unknown') AND kind = 'board'")
