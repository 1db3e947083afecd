"""What conversations know, as rows: by kind and type, each once, and gone with its conversation."""

from datetime import UTC, datetime

from bot.core.turn import SessionId
from bot.store.connection import Connection
from bot.store.known_values import ValueKind, add_known_values, load_known_values

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


def test_other_conversations_know_nothing_of_it(db: Connection) -> None:
    add_sessions(db)
    add_known_values(db, ONE, ValueKind.GRANT, [("mail", "ann")])
    assert load_known_values(db, [OTHER])[ValueKind.GRANT] == {}
    assert load_known_values(db, [ONE, OTHER])[ValueKind.GRANT] == {"mail": {"ann"}}
