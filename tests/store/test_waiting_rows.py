"""What has not come to its end: messages, questions, and what could not be delivered."""

from bot.core.turn import TurnOutcome
from bot.store import inbox, turns, waiting_rows
from bot.store.connection import Connection
from tests.support.fakes import message
from tests.support.rows import NOW, add_root_turn, assign, say


def test_messages_wait_until_their_turn_is_done_with_them(db: Connection) -> None:
    for id in ("m1", "m2"):
        inbox.add_inbound_message(db, message("hello", id=id), NOW)
    assign(db, "m2", add_root_turn(db))
    waiting = waiting_rows.list_unanswered_messages(db, 10)
    assert [(each.key, each.why, each.who) for each in waiting] == [("m1", "received", "Ann"), ("m2", "taken", "Ann")]
    db.execute("UPDATE inbox SET state = 'done'")
    assert waiting_rows.list_unanswered_messages(db, 10) == []


def test_messages_set_aside_and_undelivered_say_why(db: Connection) -> None:
    inbox.add_inbound_message(db, message("hello", id="m1"), NOW)
    db.execute("UPDATE inbox SET state = 'aside', why = 'it cannot be read'")
    say(db, "t1:reply", "well")
    db.execute("UPDATE outbox SET state = 'failed', reason = 'the chat is closed'")
    assert [each.why for each in waiting_rows.list_messages_aside(db, 10)] == ["it cannot be read"]
    assert [each.why for each in waiting_rows.list_undelivered_messages(db, 10)] == ["the chat is closed"]


def test_only_open_questions_to_people_are_listed(db: Connection) -> None:
    turn = add_root_turn(db)
    for id, kind, state in (("q1", "question", "open"), ("q2", "question", "answered"), ("q3", "button", "open")):
        say(db, id, "may I?")
        columns = {"turn": turn.id, "root": turn.id, "address": turn.address, "person": "Ann", "text": "may I?"}
        db.insert_if_new("questions", id=id, kind=kind, options=[], deadline=NOW, after=0, state=state, **columns)
    assert [each.key for each in waiting_rows.list_asked_questions(db, 10)] == ["q1"]


def test_turns_that_failed_say_how_they_ended(db: Connection) -> None:
    ends = ((TurnOutcome.COMPLETED, ""), (TurnOutcome.FAILED, "the model is away"), (TurnOutcome.BUDGET, "cost"))
    for number, (outcome, reason) in enumerate(ends):
        turns.mark_turn_ended(db, add_root_turn(db, number), outcome, reason, "", NOW)
    found = waiting_rows.list_failed_turns(db, 10)
    assert [(each.key, each.why) for each in found] == [("t2", "budget: cost"), ("t1", "failed: the model is away")]
