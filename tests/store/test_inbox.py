"""The inbox as rows: each message once, in order, until it is answered or set aside."""

from dataclasses import replace
from functools import partial

from bot.core.messages import InboundKind, MessageId, Quote
from bot.store import inbox
from bot.store.connection import Connection
from tests.support.fakes import message
from tests.support.rows import NOW, OTHER, ROOM, add_root_turn

HELLO = message("hello", id="m1", quotes=(Quote(author="Bob", text="hi"),), attachments=("photo",))


def test_a_message_is_kept_once_and_whole(db: Connection) -> None:
    assert inbox.add_inbound_message(db, HELLO, NOW)
    assert not inbox.add_inbound_message(db, replace(HELLO, text="again"), NOW)
    assert inbox.list_waiting_messages(db, ROOM) == [replace(HELLO, kept_at=NOW)]


def test_what_its_sender_has_written_changes_with_the_text(db: Connection) -> None:
    inbox.add_inbound_message(db, replace(HELLO, written="hel"), NOW)
    assert [each.written_text for each in inbox.list_waiting_messages(db, ROOM)] == ["hel"]
    inbox.apply_edit_to_waiting_message(db, replace(HELLO, text="Eve", written="<@1>"), is_waiting_command=False)
    assert [each.written_text for each in inbox.list_waiting_messages(db, ROOM)] == ["<@1>"]
    inbox.apply_edit_to_waiting_message(db, replace(HELLO, text="Eve"), is_waiting_command=False)
    assert [each.written_text for each in inbox.list_waiting_messages(db, ROOM)] == ["Eve"]
    inbox.drop_waiting_message(db, HELLO.id)
    assert db.fetch_rows("SELECT text, written FROM inbox")[0]["written"] is None


def test_an_edit_changes_a_message_only_while_it_waits(db: Connection) -> None:
    assert not inbox.apply_edit_to_waiting_message(db, HELLO, is_waiting_command=False)
    inbox.add_inbound_message(db, HELLO, NOW)
    assert inbox.apply_edit_to_waiting_message(db, replace(HELLO, text="hello!"), is_waiting_command=False)
    inbox.assign_message_to_turn(db, HELLO.id, (turn := add_root_turn(db)).id)
    assert inbox.apply_edit_to_waiting_message(db, replace(HELLO, text="never mind"), is_waiting_command=False)
    assert [each.text for each in inbox.messages_taken_by_turn(db, turn.id)] == ["hello!"]


def test_the_oldest_message_is_set_aside_and_the_next_is_first(db: Connection) -> None:
    for id in ("m1", "m2"):
        inbox.add_inbound_message(db, message("hello", id=id), NOW)
    assert inbox.set_oldest_message_aside(db, ROOM, "odd") == "m1"
    assert [each.id for each in inbox.list_waiting_messages(db, ROOM, 5)] == ["m2"]
    assert [(row["key"], row["why"]) for row in inbox.list_messages_set_aside(db)] == [("m1", "odd")]
    assert inbox.set_oldest_message_aside(db, OTHER, "odd") is None


def test_an_address_is_ready_if_something_waits_and_no_root_turn_is_open(db: Connection) -> None:
    inbox.add_inbound_message(db, message("hello", chat="other"), NOW)
    inbox.add_inbound_message(db, message("hello"), NOW)
    assert inbox.list_addresses_ready_for_turn(db) == [OTHER, ROOM]
    assert inbox.list_addresses_ready_for_turn(db, {str(ROOM)}) == [ROOM]
    add_root_turn(db, address=OTHER)
    assert inbox.list_addresses_ready_for_turn(db) == [ROOM]


def test_of_a_bare_id_nothing_else_is_kept(db: Connection) -> None:
    assert inbox.add_placeholder_inbox_row(db, MessageId("e1"), "fake", NOW)
    assert not inbox.add_placeholder_inbox_row(db, MessageId("e1"), "fake", NOW)
    [row] = db.fetch_rows("SELECT person, name, text, state FROM inbox")
    assert tuple(row) == ("", "", "", "done")


def test_a_stop_keeps_a_report_for_the_next_message_once(db: Connection) -> None:
    report = message("found", id="report:t1/2/0", kind=InboundKind.REPORT)
    inbox.add_inbound_message(db, report, NOW)
    hold = partial(inbox.hold_reports_until_next_message, db, ROOM, report.sender.id)
    assert [inbox.list_addresses_ready_for_turn(db), hold(), hold()] == [[ROOM], True, False]
    assert inbox.list_addresses_ready_for_turn(db) == []
