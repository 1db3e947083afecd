"""The migration steps of release 0.3.0."""

from bot.store.connection import Connection


def add_cached_until(db: Connection) -> None:
    """Add to a chapter until when the cache of the model's server holds what the last request has left there."""
    db.execute("ALTER TABLE chapters ADD COLUMN cached_until TEXT")
