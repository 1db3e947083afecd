"""Conversations as an operator looks at them: the trees of their turns, what these cost, and every word."""

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import MessageId
from bot.core.prices import Micros, Usage
from bot.core.turn import PaidModelRequest, RequestId, Turn, TurnId
from bot.store import inbox, ledger, session_records, transcript
from bot.store.connection import Connection
from tests.support.fakes import message
from tests.support.rows import NOW, ROOM, add_delegation, add_root_turn, assign, say


def pay(db: Connection, turn: Turn, cost: int) -> None:
    request = PaidModelRequest(id=RequestId(0), max_tokens=1, attempt=1, model="opus", reserved=Micros(cost))
    ledger.add_open_request(db, turn, NOW.date(), request)
    [booked] = ledger.list_open_booked_requests(db, turn.id)
    ledger.close_request(db, booked.id, "settled", Micros(cost), Usage(input=cost))


def test_a_turn_is_shown_with_all_below_it(db: Connection) -> None:
    root = add_root_turn(db)
    child = add_delegation(db, root)
    add_delegation(db, child)
    for turn, cost in ((root, 10), (child, 5)):
        pay(db, turn, cost)
    record = session_records.load_turn_record_tree(db, root.id)
    assert [each.turn.id for each in record.records_of_tree] == ["t1", "t1/2/0", "t1/2/0/2/0"]
    assert (record.cost, record.tree_cost, record.tree_usage.input) == (10, 15, 15)
    assert (record.state, record.duration_seconds) == ("running", None)


def test_a_turn_that_is_not_there_is_an_error(db: Connection) -> None:
    with pytest.raises(LookupError):
        session_records.load_turn_record_tree(db, TurnId("t9"))


def test_an_overview_counts_turns_and_delegations(db: Connection) -> None:
    root = add_root_turn(db)
    pay(db, add_delegation(db, root), 5)
    [overview] = session_records.list_session_overviews(db, 10)
    assert (overview.root_turn_count, overview.delegation_count, overview.cost, overview.is_open) == (1, 1, 5, True)
    assert len(session_records.list_conversation_ids(db)) == 1
    assert session_records.load_session_place(db, root.session).address == ROOM


def test_entries_say_where_they_stand_and_whose_they_are(db: Connection) -> None:
    root = add_root_turn(db)
    transcript.append_entry(db, root, "user", [text_block("hello")])
    [located] = session_records.load_located_entries(db, root.session)
    assert (located.chapter, located.seq, located.turn, located.turns_role) == (1, 1, root.id, root.role)
    assert session_records.list_turn_ids_in_session(db, root.session) == [root.id]


def test_a_message_leads_to_its_turn_and_to_what_was_said_about_it(db: Connection) -> None:
    inbox.add_inbound_message(db, message("hello", id="m1"), NOW)
    assert session_records.find_turn_that_took_message(db, MessageId("m1")) is None
    assign(db, "m1", root := add_root_turn(db))
    say(db, "m1:wait", "a moment")
    assert session_records.find_turn_that_took_message(db, MessageId("m1")) == root.id
    assert session_records.load_notice_texts_about_message(db, MessageId("m1")) == ["a moment"]
