"""What a linked account may do: never more than the account that made the code."""

from bot.core.messages import PersonId, Sender
from bot.core.rights import EVERY_RIGHT, GUEST_RIGHTS, NO_RIGHTS, Right
from bot.core.texts import people_accounts
from bot.journal import pairing, people_rights
from bot.store import guests
from bot.store.connection import Connection
from tests.people.accounts import MEMORY_TOO, code_for, link, rights_of, terms, writes, written
from tests.support.rows import NOW

ANN, ANN_TOO, BOB, ALLOWED, OWNER = (
    *(("telegram", "7"), ("discord", "70"), ("telegram", "9")),
    *(("discord", "80"), ("telegram", "1")),
)
SAM = Sender(id=PersonId("55"), name="Sam")
FEW = frozenset({Right.TALK})


def test_a_linked_account_may_do_what_the_first_may(db: Connection) -> None:
    assert rights_of(db, *ANN_TOO) == NO_RIGHTS
    link(db, ANN, ANN_TOO)
    assert rights_of(db, *ANN_TOO) == rights_of(db, *ANN) == MEMORY_TOO
    link(db, OWNER, ALLOWED)
    assert rights_of(db, *ALLOWED) == EVERY_RIGHT


def test_the_first_account_gains_nothing(db: Connection) -> None:
    link(db, BOB, ANN)
    assert rights_of(db, *BOB) == GUEST_RIGHTS
    assert rights_of(db, *ANN) == MEMORY_TOO  # the settings have decided about this account


def test_what_the_owner_decides_about_an_account_holds(db: Connection) -> None:
    guests.save_granted_rights(db, *ANN_TOO, FEW, "Owner", NOW)
    link(db, ANN, ANN_TOO)
    assert rights_of(db, *ANN_TOO) == FEW


def test_what_the_first_account_loses_the_others_lose(db: Connection) -> None:
    link(db, BOB, ANN_TOO)
    assert rights_of(db, *ANN_TOO) == GUEST_RIGHTS
    guests.save_granted_rights(db, *BOB, FEW, "Owner", NOW)
    assert rights_of(db, *ANN_TOO) == FEW


def test_a_guest_who_is_sent_away_is_away_with_every_account(db: Connection) -> None:
    guests.add_guest(db, "telegram", SAM, "Owner", NOW)
    link(db, ("telegram", "55"), ANN_TOO)
    assert rights_of(db, *ANN_TOO) == GUEST_RIGHTS
    pairing.send_away(db, PersonId("55"), terms())
    assert rights_of(db, *ANN_TOO) == NO_RIGHTS


def test_a_code_of_somebody_who_was_sent_away_is_worth_nothing(db: Connection) -> None:
    guests.add_guest(db, "telegram", SAM, "Owner", NOW)
    code = code_for(db, "telegram", "55")
    pairing.send_away(db, PersonId("55"), terms())
    assert writes(db, f"/link {code}", *ANN_TOO) == people_accounts.WRONG_LINK_CODE()


def test_an_account_that_may_speak_keeps_that_if_the_first_may_not(db: Connection) -> None:
    guests.add_guest(db, "telegram", SAM, "Owner", NOW)
    link(db, ("telegram", "55"), ALLOWED)
    pairing.send_away(db, PersonId("55"), terms())
    assert rights_of(db, *ALLOWED) == GUEST_RIGHTS


def test_the_settings_of_a_group_chat_hold_for_a_linked_account(db: Connection) -> None:
    link(db, BOB, ANN_TOO)
    assert rights_of(db, *ANN_TOO, group="-6") == FEW
    link(db, ANN, ("discord", "71"))
    assert rights_of(db, "discord", "71", group="-6") == MEMORY_TOO  # the settings have decided about the person


def test_a_right_given_to_somebody_of_a_server_takes_none_away(db: Connection) -> None:
    visitor, server = PersonId("90"), "-5"
    assert rights_of(db, "discord", visitor, server) == GUEST_RIGHTS
    by = written("/people", "telegram", "1")
    people_rights.change_and_describe_rights(db, "discord", visitor, Right.MEMORY, is_given=True, by=by, terms=terms())
    assert rights_of(db, "discord", visitor, server) == MEMORY_TOO
    assert rights_of(db, "discord", visitor) == NO_RIGHTS
