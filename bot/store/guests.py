"""Guests: the people who were let in, in addition to those in the settings."""

from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import PersonId, Sender
from bot.store.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    channel: str
    person: PersonId
    name: str
    granted_by: str
    since: datetime
    is_revoked: bool


def add_guest(db: Connection, channel: str, sender: Sender, granted_by: str, now: datetime) -> None:
    db.execute(
        "INSERT INTO access (channel, person, name, granted_by, since) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET name = excluded.name, granted_by = excluded.granted_by, since = excluded.since, revoked_at = NULL",
        (channel, sender.id, sender.name, granted_by, now.isoformat()),
    )


def is_guest(db: Connection, channel: str, person: PersonId) -> bool:
    sql = "SELECT 1 FROM access WHERE channel = ? AND person = ? AND revoked_at IS NULL"
    return db.fetch_row(sql, channel, person) is not None


def has_guests(db: Connection) -> bool:
    """Return True if anybody was let in whose access is not revoked."""
    return db.fetch_row("SELECT 1 FROM access WHERE revoked_at IS NULL LIMIT 1") is not None


def is_former_guest(db: Connection, channel: str, person: PersonId) -> bool:
    sql = "SELECT 1 FROM access WHERE channel = ? AND person = ? AND revoked_at IS NOT NULL"
    return db.fetch_row(sql, channel, person) is not None


def revoke_access(db: Connection, person: str, now: datetime) -> list[str]:
    """Revoke this person's access on every channel. Return the channels, sorted."""
    rows = db.fetch_rows(
        "UPDATE access SET revoked_at = ? WHERE person = ? AND revoked_at IS NULL RETURNING channel",
        now.isoformat(),
        person,
    )
    return sorted(row["channel"] for row in rows)


def list_guests(db: Connection) -> list[Guest]:
    return [
        Guest(
            channel=row["channel"],
            person=PersonId(row["person"]),
            name=row["name"],
            granted_by=row["granted_by"],
            since=datetime.fromisoformat(row["since"]),
            is_revoked=row["revoked_at"] is not None,
        )
        for row in db.fetch_rows("SELECT * FROM access ORDER BY since")
    ]
