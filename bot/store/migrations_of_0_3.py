"""The steps that release 0.3.0 brings."""

from bot.store.connection import Connection


def add_cached_until(db: Connection) -> None:
    """Of a chapter: until when the cache of the model's server holds what the last request has left there."""
    db.execute("ALTER TABLE chapters ADD COLUMN cached_until TEXT")
