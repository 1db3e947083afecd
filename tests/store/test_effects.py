"""What the calls of a turn have done, as rows: the request that made each, its approval, and what it left."""

from dataclasses import replace

from bot.core.messages import OutboundKind
from bot.core.turn import CallId, CallKind, CallState
from bot.store import held_calls, transcript
from bot.store.connection import Connection
from bot.store.effects import list_effects_of_tree
from tests.store.test_sent_requests import SENT, add_request
from tests.support.rows import add_call, add_delegation, add_root_turn, say


def test_only_calls_that_do_something_are_effects(db: Connection) -> None:
    turn = add_root_turn(db)
    add_call(db, turn, "2/0", CallKind.READ)
    changing = add_call(db, turn, "2/1", CallKind.CHANGE)
    acting = add_call(db, turn, "4/0", CallKind.ROW)
    db.execute("UPDATE calls SET acts = '[\"send\"]' WHERE id = ?", (acting,))
    found = list_effects_of_tree(db, turn.id)
    assert [(each.call, each.acts) for each in found] == [(changing, ()), (acting, ("send",))]


def test_those_of_turns_below_follow_and_other_turns_have_their_own(db: Connection) -> None:
    turn, other = add_root_turn(db), add_root_turn(db, 12)
    below = add_delegation(db, turn)
    ids = [add_call(db, each, "5/0", CallKind.CHANGE) for each in (turn, below, other)]
    assert [each.call for each in list_effects_of_tree(db, turn.id)] == ids[:2]
    assert [each.call for each in list_effects_of_tree(db, below.id)] == ids[1:2]


def test_the_request_that_was_answered_with_the_call_is_named(db: Connection) -> None:
    turn = add_root_turn(db)
    requests = [add_request(db, turn, replace(SENT, last_entry=last)) for last in (1, 3)]
    for call in ("2/0", "4/0", "6/0"):
        add_call(db, turn, call, CallKind.CHANGE)
    assert [each.request for each in list_effects_of_tree(db, turn.id)] == [*requests, None]


def test_what_a_call_has_posted_and_returned_is_its_record(db: Connection) -> None:
    turn = add_root_turn(db)
    call = add_call(db, turn, "2/0", CallKind.CHANGE)
    say(db, call, "on the way", kind=OutboundKind.UPDATE)
    say(db, f"{call}:approval", "may it?", kind=OutboundKind.APPROVAL)
    transcript.finish_call(db, call, "done", is_error=True)
    [found] = list_effects_of_tree(db, turn.id)
    assert (found.state, found.result, found.is_error) == (CallState.DONE, "done", True)
    assert [(each.text, each.state) for each in found.posted] == [("on the way", "queued")]


def test_a_held_call_waits_for_a_person(db: Connection) -> None:
    turn = add_root_turn(db)
    call = CallId(add_call(db, turn, "2/0"))
    held_calls.hold_calls(db, [call])
    [found] = list_effects_of_tree(db, turn.id)
    assert (found.is_waiting_for_person, found.approvals) == (True, ())
    transcript.finish_call(db, call, "nobody agreed", is_error=True)
    assert not list_effects_of_tree(db, turn.id)[0].is_waiting_for_person
