"""Guests: people who were let in besides those in the settings. Also the rights that the owner has set."""

import json
from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import PersonId, Sender
from bot.core.rights import Right, Rights
from bot.store.connection import Connection
from bot.store.people import PersonKey
from bot.store.row_mapping import dataclass_from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    channel: str
    person: PersonId
    name: str
    granted_by: str
    since: datetime
    revoked_at: datetime | None

    @property
    def is_revoked(self) -> bool:
        return self.revoked_at is not None


def add_guest(db: Connection, channel: str, sender: Sender, granted_by: str, now: datetime) -> None:
    whose = {"channel": channel, "person": sender.id, "name": sender.name}
    db.upsert("access", **whose, granted_by=granted_by, since=now, revoked_at=None)


def find_guest(db: Connection, channel: str, person: PersonId) -> Guest | None:
    """Return a guest, even if their access is revoked; None if this person was never let in."""
    row = db.fetch_row("SELECT * FROM access WHERE channel = ? AND person = ?", channel, person)
    return dataclass_from_row(Guest, row) if row else None


def has_active_guests(db: Connection) -> bool:
    """Return True if there is a guest whose access is not revoked."""
    return db.has_rows("SELECT 1 FROM access WHERE revoked_at IS NULL LIMIT 1")


def revoke_guest_access(db: Connection, channel: str, person: PersonId, now: datetime) -> None:
    sql = "UPDATE access SET revoked_at = ? WHERE channel = ? AND person = ? AND revoked_at IS NULL"
    db.execute(sql, (now, channel, person))


def list_guests(db: Connection) -> list[Guest]:
    return [dataclass_from_row(Guest, row) for row in db.fetch_rows("SELECT * FROM access ORDER BY since")]


def add_invitation(db: Connection, code: str, until: datetime) -> None:
    db.insert_if_new("invitations", code=code, expires_at=until)


def has_invitation(db: Connection, code: str, now: datetime) -> bool:
    return db.has_rows("SELECT 1 FROM invitations WHERE code = ? AND expires_at > ?", code, now)


def take_invitation(db: Connection, code: str, now: datetime) -> bool:
    """Use up an invitation. Return False if there is none with this code."""
    delete_expired_invitations(db, now)
    return db.execute("DELETE FROM invitations WHERE code = ?", (code,)).rowcount == 1


def delete_expired_invitations(db: Connection, now: datetime) -> None:
    db.execute("DELETE FROM invitations WHERE expires_at <= ?", (now,))


def count_invitations(db: Connection) -> int:
    return db.fetch_number("SELECT count(*) FROM invitations")


def save_granted_rights(db: Connection, channel: str, person: str, rights: Rights, set_by: str, now: datetime) -> None:
    db.upsert("rights", channel=channel, person=person, rights=rights, set_by=set_by, since=now)


def delete_granted_rights(db: Connection, channel: str, person: str) -> None:
    db.execute("DELETE FROM rights WHERE channel = ? AND person = ?", (channel, person))


def find_granted_rights(db: Connection, channel: str, person: PersonId) -> Rights | None:
    """Return a person's rights; None if the owner has set none."""
    return find_granted_rights_and_person(db, channel, person)[0]


def find_granted_rights_and_person(
    db: Connection, channel: str, account: PersonId
) -> tuple[Rights | None, PersonKey | None]:
    """Return the rights of an account, or None if the owner has set none; and the person that it is linked with, or
    None if it is not linked. This is one statement, because every message of a guest needs it."""
    sql = (
        "SELECT (SELECT rights FROM rights WHERE channel = ?1 AND person = ?2) AS rights,"
        " (SELECT person FROM linked_accounts WHERE channel = ?1 AND account = ?2) AS person"
    )
    [row] = db.fetch_rows(sql, channel, account)
    rights = None if row["rights"] is None else frozenset(map(Right, json.loads(row["rights"])))
    return rights, row["person"]
