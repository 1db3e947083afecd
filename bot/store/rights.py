"""The rights that the owner has set for people."""

import json
from datetime import datetime

from bot.core.messages import PersonId
from bot.core.rights import Right, Rights
from bot.store.connection import Connection


def save_rights(db: Connection, channel: str, person: str, rights: Rights, set_by: str, now: datetime) -> None:
    db.execute(
        "INSERT INTO rights (channel, person, rights, set_by, since) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET rights = excluded.rights, set_by = excluded.set_by, since = excluded.since",
        (channel, person, json.dumps(sorted(rights)), set_by, now.isoformat()),
    )


def forget_rights(db: Connection, channel: str, person: str) -> None:
    db.execute("DELETE FROM rights WHERE channel = ? AND person = ?", (channel, person))


def get_rights(db: Connection, channel: str, person: PersonId) -> Rights | None:
    """Return a person's rights; None if the owner has set none."""
    row = db.fetch_row("SELECT rights FROM rights WHERE channel = ? AND person = ?", channel, person)
    return frozenset(map(Right, json.loads(row["rights"]))) if row else None
