"""Media: the bytes of non-text content that tools have read, by call. The entries only refer to them."""

from base64 import b64encode
from collections.abc import Collection

from bot.store.connection import Connection


def keep_media(db: Connection, call: str, data: bytes) -> None:
    db.insert("media", call=call, data=data)


def media_as_base64(db: Connection, calls: Collection[str]) -> dict[str, str]:
    """Return the media of these calls as base64, as far as they are kept."""
    found = {}
    for call in calls:
        if row := db.fetch_row("SELECT data FROM media WHERE call = ?", call):
            found[call] = b64encode(row["data"]).decode()
    return found
