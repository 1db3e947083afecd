"""What conversations know, as rows: by kind and type, each once, and gone with its conversation."""

from datetime import UTC, datetime

from bot.core.acts import TrustedValue
from bot.core.messages import GroupName, PersonId
from bot.core.turn import SessionId
from bot.store.connection import Connection
from bot.store.known_values import (
    ValueKind,
    add_grants,
    add_known_values,
    add_trusted_values,
    delete_grants_of_person,
    grants_of_person,
    load_known_values,
    split_by_owner,
)

ONE, OTHER = SessionId("one"), SessionId("other")


def add_sessions(db: Connection) -> None:
    for session in (ONE, OTHER):
        db.insert_if_new("sessions", id=session, address="fake:room", opened_at=datetime(2026, 1, 1, tzinfo=UTC))


def test_values_are_found_by_kind_and_type_and_each_once(db: Connection) -> None:
    add_sessions(db)
    for _ in range(2):
        add_known_values(db, ONE, ValueKind.TRUSTED, [("account", "12"), ("amount", "3")])
    add_known_values(db, ONE, ValueKind.SITE, [("", "a.example")])
    known = load_known_values(db, [ONE])
    assert known[ValueKind.TRUSTED] == {"account": {"12"}, "amount": {"3"}}
    assert known[ValueKind.SITE] == {"": {"a.example"}}
    assert known[ValueKind.GRANT] == {}


def test_a_trusted_value_keeps_its_type_and_its_owner(db: Connection) -> None:
    add_sessions(db)
    values = [TrustedValue("amount", "5"), TrustedValue("amount", "6", "Ann  B"), TrustedValue("amount", "7", "ann b")]
    add_trusted_values(db, ONE, values)
    shared, owned = split_by_owner(load_known_values(db, [ONE])[ValueKind.TRUSTED])
    assert (shared, owned) == ({"amount": {"5"}}, {("amount", "ann b"): {"6", "7"}})


def test_other_conversations_know_nothing_of_it(db: Connection) -> None:
    add_sessions(db)
    add_known_values(db, ONE, ValueKind.TRUSTED, [("account", "12")])
    assert load_known_values(db, [OTHER])[ValueKind.TRUSTED] == {}
    assert load_known_values(db, [ONE, OTHER])[ValueKind.TRUSTED] == {"account": {"12"}}


def test_what_is_allowed_for_one_person_is_not_for_another(db: Connection) -> None:
    add_sessions(db)
    ann, bob = PersonId("an n"), PersonId("n")
    add_grants(db, ONE, ann, [("mail", "eve"), ("mail", "zoe")])
    add_grants(db, ONE, bob, [("mail", "eve")])
    granted = load_known_values(db, [ONE])[ValueKind.GRANT]
    assert grants_of_person(granted, ann) == {("mail", "eve"), ("mail", "zoe")}
    assert grants_of_person(granted, bob) == {("mail", "eve")}
    delete_grants_of_person(db, ann)
    granted = load_known_values(db, [ONE])[ValueKind.GRANT]
    assert (grants_of_person(granted, ann), grants_of_person(granted, bob)) == (set(), {("mail", "eve")})


def test_what_is_allowed_in_one_group_is_not_in_another(db: Connection) -> None:
    add_sessions(db)
    ann, beta = PersonId("ann"), GroupName("be ta")
    add_grants(db, ONE, ann, [("mail", "eve")])
    add_grants(db, ONE, ann, [("note", "a.md")], beta)
    granted = load_known_values(db, [ONE])[ValueKind.GRANT]
    assert grants_of_person(granted, ann) == {("mail", "eve")}
    assert grants_of_person(granted, ann, beta) == {("note", "a.md")}
