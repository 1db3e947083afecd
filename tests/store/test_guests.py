"""Guests as rows: who was let in, on which channel, and whose access is revoked."""

from bot.core.messages import PersonId, Sender
from bot.store import guests
from bot.store.connection import Connection
from tests.support.rows import NOW

SAM = Sender(id=PersonId("7"), name="Sam")


def test_a_guest_is_let_in_on_one_channel(db: Connection) -> None:
    guests.add_guest(db, "telegram", SAM, "Owner", NOW)
    found = guests.find_guest(db, "telegram", SAM.id)
    assert found is not None
    assert not found.is_revoked
    assert guests.find_guest(db, "discord", SAM.id) is None
    assert guests.has_active_guests(db)


def test_a_revoked_guest_is_a_former_guest(db: Connection) -> None:
    for channel in ("telegram", "discord"):
        guests.add_guest(db, channel, SAM, "Owner", NOW)
    guests.revoke_guest_access(db, "telegram", SAM.id, NOW)
    assert guests.has_active_guests(db)
    guests.revoke_guest_access(db, "discord", SAM.id, NOW)
    assert not guests.has_active_guests(db)


def test_a_former_guest_may_be_let_in_again(db: Connection) -> None:
    guests.add_guest(db, "telegram", SAM, "Owner", NOW)
    guests.revoke_guest_access(db, "telegram", SAM.id, NOW)
    guests.add_guest(db, "telegram", SAM, "operator", NOW)
    [guest] = guests.list_guests(db)
    assert (guest.person, guest.granted_by, guest.is_revoked) == (SAM.id, "operator", False)
    assert not guest.is_revoked
