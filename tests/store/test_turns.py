"""Turns as rows: which are open, what a tree is, and what marks them."""

from datetime import timedelta

from bot.core.errors import RetryableModelFailure
from bot.core.limits import DecisionTerms
from bot.core.prices import Usage
from bot.core.settings import Settings
from bot.core.turn import PaidModelRequest, RequestId, TurnOutcome, TurnState
from bot.journal.cut_offs import CutOffRequest, make_retry_handler
from bot.journal.endings import CutOffRequestRecord
from bot.store import inbox, turns
from bot.store.connection import MESSAGES_WAITING_TOPIC, TURNS_CHANGED_TOPIC, Connection
from tests.support.fakes import message
from tests.support.rows import NOW, OTHER, ROOM, add_delegation, add_root_turn


def test_a_tree_is_closed_deepest_first_and_without_its_background(db: Connection) -> None:
    root = add_root_turn(db)
    child = add_delegation(db, root)
    add_delegation(db, child)
    add_delegation(db, root, "4/0", background=True)
    assert [turn.id for turn in turns.list_open_turns_of_tree(db, root)] == ["t1/2/0/2/0", "t1/2/0", "t1"]
    assert [turn.id for turn in turns.list_turns_above(db, child)] == ["t1"]


def test_a_stopping_turn_does_not_go_on(db: Connection) -> None:
    turn = add_root_turn(db)
    assert turns.is_turn_running(db, turn.id)
    turns.mark_turns_stopping(db, [turn], TurnOutcome.CANCELLED, "stopped")
    assert not turns.is_turn_running(db, turn.id)
    assert [each.status for each in turns.list_stopping_turns(db)] == [TurnOutcome.CANCELLED]
    assert turn.id in db.wake_ups[TURNS_CHANGED_TOPIC]


def test_an_ended_root_turn_wakes_its_address_only_if_something_waits(db: Connection) -> None:
    for number, address in ((1, ROOM), (2, OTHER)):
        add_root_turn(db, number, address)
    inbox.add_inbound_message(db, message("next"), NOW)
    db.start_collecting_wake_ups()
    for turn in turns.list_open_turns(db):
        turns.mark_turn_ended(db, turn, TurnOutcome.COMPLETED, "", "done", NOW)
    assert db.wake_ups[MESSAGES_WAITING_TOPIC] == {str(ROOM)}
    assert turns.find_open_root_turn(db, ROOM) is None


def test_progress_clears_the_attempts_of_a_turn_that_goes_on(db: Connection) -> None:
    for number in (1, 2):
        turns.mark_turn_running(db, add_root_turn(db, number).id, 2, NOW)
    assert turns.list_crash_suspect_turns(db) == {"t1", "t2"}
    turns.reset_crash_attempts_of_turn(db, turns.get_turn(db, add_root_turn(db, 3).id).id)
    turns.reset_crash_attempts_of_turn(db, turns.list_open_turns(db)[0].id)
    assert turns.list_crash_suspect_turns(db) == {"t2"}
    turns.reset_crash_attempts_of_open_turns(db)
    assert turns.list_crash_suspect_turns(db) == frozenset()


def test_a_running_turn_is_queued_after_a_start(db: Connection) -> None:
    turn = add_root_turn(db)
    turns.requeue_running_turns(db)
    assert turns.get_turn(db, turn.id).state is TurnState.QUEUED


def test_posts_are_counted_up_to_their_most(db: Connection) -> None:
    turn = add_root_turn(db)
    assert [turns.count_post_or_question_up_to(db, turn.id, "posts", 2) for _ in range(3)] == [True, True, False]


def test_an_outage_begins_with_its_first_failure(db: Connection) -> None:
    turn = add_root_turn(db)
    request = PaidModelRequest(id=RequestId(1), max_tokens=1, attempt=1, model="claude-sonnet-5")
    record = CutOffRequestRecord(request=request.id, usage=Usage(), written_text="")
    cut = CutOffRequest(turn=turn.id, request=request, record=record, worked_seconds=0.0)
    again = make_retry_handler(RetryableModelFailure("overloaded", seconds=1, fault="it is overloaded"))
    for minutes in (0, 1):
        again(db, cut, DecisionTerms(settings=Settings(), now=NOW + timedelta(minutes=minutes)))
    assert turns.get_turn(db, turn.id).failing_since == NOW
    assert turns.get_turn(db, turn.id).rests_until == NOW + timedelta(minutes=1, seconds=1)
    turns.update_turn_columns(db, turn.id, failing_since=None)
    assert turns.get_turn(db, turn.id).failing_since is None
