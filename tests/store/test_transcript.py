"""The transcript as rows: numbered entries, and calls that get one result each."""

from base64 import b64encode

from bot.core.content_blocks import text_block
from bot.core.turn import CallKind, CallState
from bot.store import sessions, transcript, turns
from bot.store.connection import Connection, turn_wake_up_topic
from tests.support.rows import add_call, add_delegation, add_root_turn


def test_entries_are_numbered_and_say_who_is_next(db: Connection) -> None:
    turn = add_root_turn(db)
    assert transcript.append_entry(db, turn, "user", [text_block("hello")]) == 1
    assert sessions.get_current_chapter(db, turn.session).is_model_next
    assert transcript.append_entry(db, turn, "assistant", [text_block("hi")]) == 2
    assert not sessions.get_current_chapter(db, turn.session).is_model_next
    assert list(transcript.chapter_entries_by_number(db, turn.session, 1, after=1)) == [2]
    assert [entry.role for entry in transcript.entries_of_turn_in_chapter(db, turn)] == ["user", "assistant"]


def test_a_paused_reply_leaves_the_model_next(db: Connection) -> None:
    turn = add_root_turn(db)
    transcript.append_entry(db, turn, "assistant", [text_block("searching")], is_paused=True)
    chapter = sessions.get_current_chapter(db, turn.session)
    assert (chapter.is_paused, chapter.is_model_next) == (True, True)


def test_a_call_keeps_its_first_result(db: Connection) -> None:
    turn = add_root_turn(db)
    id = add_call(db, turn)
    assert transcript.finish_call(db, id, "found") == turns.get_turn(db, turn.id)
    assert transcript.finish_call(db, id, "stopped", is_error=True) is None
    [call] = transcript.calls_of_last_step(db, turn.id)
    assert (call.state, call.result, call.is_error) == (CallState.DONE, "found", False)
    assert transcript.list_open_calls(db, turn.id) == []
    assert turn_wake_up_topic(turn.id) in db.wake_ups


def test_a_started_call_has_an_unknown_outcome_after_a_start(db: Connection) -> None:
    turn = add_root_turn(db)
    for call in ("2/0", "2/1"):
        transcript.mark_call_started(db, add_call(db, turn, call, CallKind.CHANGE))
    db.execute("UPDATE calls SET is_repeatable = 1 WHERE position = 1")
    assert transcript.replan_started_calls_and_list_unrepeatable(db) == ["t1/2/0"]
    assert [call.state for call in transcript.list_open_calls(db, turn.id)] == [CallState.STARTED, CallState.PLANNED]


def test_a_call_may_wait_for_a_turn_that_it_did_not_open(db: Connection) -> None:
    root = add_root_turn(db)
    child, cancel = add_delegation(db, root), add_call(db, root, "4/0", CallKind.WAIT)
    transcript.set_awaited_turn_of_call(db, cancel, child.id)
    assert transcript.list_calls_awaiting_turn(db, child.id) == [cancel]
    transcript.finish_call(db, cancel, "cancelled")
    assert transcript.list_calls_awaiting_turn(db, child.id) == []


def test_media_are_kept_by_call(db: Connection) -> None:
    call = add_call(db, add_root_turn(db))
    transcript.save_call_media(db, call, b"pixels")
    assert transcript.load_media_as_base64(db, [call, "t9/2/0"]) == {call: b64encode(b"pixels").decode()}
