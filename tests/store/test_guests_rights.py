"""The rights that the owner has set: per person and channel, until they are forgotten."""

from bot.core.messages import PersonId
from bot.core.rights import NO_RIGHTS, Right
from bot.store import guests
from bot.store.connection import Connection
from tests.support.rows import NOW

SAM = PersonId("7")


def test_rights_that_nobody_has_set_are_none(db: Connection) -> None:
    assert guests.find_granted_rights(db, "telegram", SAM) is None


def test_the_newest_word_counts(db: Connection) -> None:
    guests.save_granted_rights(db, "telegram", SAM, frozenset({Right.WEB}), "Owner", NOW)
    guests.save_granted_rights(db, "telegram", SAM, NO_RIGHTS, "Owner", NOW)
    assert guests.find_granted_rights(db, "telegram", SAM) == NO_RIGHTS
    assert guests.find_granted_rights(db, "discord", SAM) is None


def test_forgotten_rights_are_those_of_everybody_again(db: Connection) -> None:
    guests.save_granted_rights(db, "telegram", SAM, frozenset({Right.WEB}), "Owner", NOW)
    guests.delete_granted_rights(db, "telegram", SAM)
    assert guests.find_granted_rights(db, "telegram", SAM) is None
