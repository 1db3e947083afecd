"""What tools have read that is no text: its bytes, under the call that read it. The entries only refer to it."""

from base64 import b64encode
from collections.abc import Collection

from bot.store.connection import Connection


def keep_media(db: Connection, call: str, data: bytes) -> None:
    db.insert("media", call=call, data=data)


def media_as_base64(db: Connection, calls: Collection[str]) -> dict[str, str]:
    """The base64 of what these calls have read, as far as it is kept."""
    found = {}
    for call in calls:
        if row := db.fetch_row("SELECT data FROM media WHERE call = ?", call):
            found[call] = b64encode(row["data"]).decode()
    return found
