"""What the rows hold of a person: equal ids on two channels are two accounts."""

import pytest

from bot.core.messages import Address, InboundMessage, MessageId, OutboundKind, PersonId, Sender
from bot.core.rights import GUEST_RIGHTS
from bot.store import guests, inbox, personal_data, server_roles
from bot.store.connection import Connection
from bot.store.personal_data import Account
from tests.support.rows import NOW, ROOM, add_root_turn, say, show_as

ANN = Account(channel="fake", id=PersonId("Ann"))
ELSEWHERE = Account(channel="other", id=PersonId("Ann"))


def write(db: Connection, key: str, at: Address = ROOM, by: str = "Ann", group: str | None = None) -> None:
    sender = Sender(id=PersonId(by), name=by)
    message = InboundMessage(
        id=MessageId(key), address=at, sender=sender, text=f"from {by}", sent_at=NOW, group_chat=group
    )
    inbox.add_inbound_message(db, message, NOW)
    inbox.mark_message_done(db, message.id)


def test_only_an_address_where_nobody_else_writes_is_private(db: Connection) -> None:
    hall, shared = Address(channel="fake", chat="hall"), Address(channel="fake", chat="shared")
    write(db, "1")
    write(db, "2", at=hall, group="-5")
    write(db, "3", at=shared)
    write(db, "4", at=shared, by="Bob")
    assert personal_data.list_private_addresses(db, [ANN]) == [ROOM]
    assert personal_data.list_private_addresses(db, [ELSEWHERE]) == []


def test_a_draft_is_on_its_way_until_nothing_of_it_is_shown(db: Connection) -> None:
    turn = add_root_turn(db)
    draft = say(db, f"{turn.id}:draft:1", kind=OutboundKind.DRAFT)
    db.execute("UPDATE outbox SET turn = ? WHERE key = ?", (turn.id, draft.id))
    show_as(db, draft.id, "p1")
    assert personal_data.are_messages_on_their_way(db, [ANN], [])
    assert not personal_data.are_messages_on_their_way(db, [ELSEWHERE], [])
    db.execute("UPDATE outbox SET platform_ids = '[]' WHERE key = ?", (draft.id,))
    assert not personal_data.are_messages_on_their_way(db, [ANN], [])


def test_messages_of_an_equal_id_on_another_channel_stay(db: Connection) -> None:
    write(db, "1")
    write(db, "2", at=Address(channel="other", chat="Ann"))
    personal_data.delete_messages_of_person(db, [ANN], [ROOM])
    rows = db.fetch_rows("SELECT key, person, name, text FROM inbox ORDER BY key")
    assert [tuple(row) for row in rows] == [("1", "", "", ""), ("2", "Ann", "Ann", "from Ann")]


def test_an_open_turn_is_open_work_of_its_person_alone(db: Connection) -> None:
    add_root_turn(db)
    assert personal_data.has_person_work_open(db, [ANN])
    assert not personal_data.has_person_work_open(db, [ELSEWHERE])


def test_a_person_who_was_sent_away_stays_away_without_their_name(db: Connection) -> None:
    for channel in ("fake", "other"):
        guests.add_guest(db, channel, Sender(id=ANN.id, name="Ann"), "Owner", NOW)
    guests.save_granted_rights(db, "fake", "Ann", GUEST_RIGHTS, "Owner", NOW)
    db.execute("UPDATE access SET revoked_at = ? WHERE channel = 'other'", (NOW,))
    personal_data.delete_admission(db, [ANN, ELSEWHERE])
    assert [(guest.channel, guest.name, guest.is_revoked) for guest in guests.list_guests(db)] == [("other", "", True)]
    assert guests.find_granted_rights(db, "fake", ANN.id) is None


def test_the_roles_of_a_person_are_deleted_with_their_admission(db: Connection) -> None:
    for person in (ANN.id, PersonId("Bob")):
        server_roles.save_server_roles(db, "fake", "-5", person, ["77"])
    personal_data.delete_admission(db, [ANN])
    assert server_roles.find_server_roles(db, "fake", "-5", ANN.id) == frozenset()
    assert server_roles.find_server_roles(db, "fake", "-5", PersonId("Bob")) == {"77"}


def test_everybody_whom_the_rows_know_is_listed_once(db: Connection) -> None:
    write(db, "1")
    write(db, "2")
    add_root_turn(db)
    write(db, "3", by="Bob")
    known = personal_data.list_known_accounts(db)
    assert [(each.id, each.name, each.messages, each.conversations) for each in known] == [
        ("Ann", "Ann", 2, 1),
        ("Bob", "Bob", 1, 0),
    ]


def test_what_was_not_begun_to_be_said_to_a_person_is_deleted(db: Connection) -> None:
    write(db, "1")
    for key in ("waits", "is shown and edited", "to Bob"):
        say(db, key, address=ROOM if key != "to Bob" else Address(channel="fake", chat="Bob"))
    show_as(db, "is shown and edited", "p1")
    db.execute("UPDATE outbox SET state = 'queued'")
    personal_data.delete_messages_of_person(db, [ANN], [ROOM])
    left = [key for (key,) in db.execute("SELECT key FROM outbox ORDER BY seq")]
    assert left == ["is shown and edited", "to Bob"]


@pytest.mark.parametrize(("state", "is_under_way"), [("queued", False), ("sending", True), ("unknown", True)])
def test_what_is_being_said_to_a_person_is_under_way(db: Connection, state: str, *, is_under_way: bool) -> None:
    write(db, "1")
    say(db, "a reply")
    db.execute("UPDATE outbox SET state = ?", (state,))
    assert personal_data.are_messages_on_their_way(db, [ANN], [ROOM]) == is_under_way
    assert not personal_data.are_messages_on_their_way(db, [ANN], [ROOM], but="a reply")
    assert not personal_data.are_messages_on_their_way(db, [ELSEWHERE], [])
