"""The questions of turns as rows: to whom they are open, until when, and how they end."""

from datetime import timedelta

import pytest

from bot.core.messages import OutboundKind, PersonId, PlatformId, QuestionId
from bot.core.reply_plan import AskPerson
from bot.core.turn import CallKind, Turn
from bot.store import questions
from bot.store.connection import Connection, calls_topic
from tests.support.rows import NOW, OTHER, ROOM, add_call, add_root_turn, say, show_as

DEADLINE = NOW + timedelta(hours=1)
CALL = "t1/2/0"


@pytest.fixture
def turn(db: Connection) -> Turn:
    """A turn that asks Ann."""
    turn = add_root_turn(db)
    asked = AskPerson(text="which?", options=("red", "blue"), default="red", deadline=DEADLINE)
    questions.add_question(db, turn, add_call(db, turn, kind=CallKind.WAIT), asked)
    return turn


def test_a_question_is_open_to_its_person_at_its_address(db: Connection, turn: Turn) -> None:
    [asked] = questions.list_questions_to(db, ROOM, turn.person)
    assert (asked.call, asked.options, asked.default, asked.is_open) == (CALL, ("red", "blue"), "red", True)
    assert questions.list_questions_to(db, ROOM, PersonId("Bob")) == []
    assert questions.find_question(db, QuestionId(CALL), OTHER) is None


def test_a_question_is_found_by_the_message_that_shows_it(db: Connection, turn: Turn) -> None:
    say(db, CALL, "which?", kind=OutboundKind.QUESTION)
    show_as(db, CALL, "77")
    found = questions.find_question_shown_as(db, ROOM, PlatformId("77"))
    assert found is not None
    assert found.call == CALL


def test_a_deadline_is_only_ever_made_earlier(db: Connection, turn: Turn) -> None:
    [asked] = questions.list_questions_of_turn(db, turn)
    questions.shorten_deadline(db, asked, NOW)
    questions.shorten_deadline(db, asked, DEADLINE)
    assert questions.question_deadline(db, turn.id, turn.root) == NOW
    assert calls_topic(turn.id) in db.wake_ups
    assert questions.list_overdue_questions(db, turn.id, NOW) == [asked]


def test_a_question_ends_once(db: Connection, turn: Turn) -> None:
    assert questions.roots_with_questions(db) == [turn.id]
    assert questions.close_question(db, CALL, "answered", "red")
    assert not questions.close_question(db, CALL, "expired")
    assert questions.list_questions_of_tree(db, turn.root) == []
    assert questions.question_deadline(db, turn.id, turn.root) is None


def test_a_tree_is_at_work_if_something_besides_questions_is_left(db: Connection, turn: Turn) -> None:
    assert not questions.is_tree_at_work(db, turn.root)
    add_call(db, turn, "2/1", CallKind.READ)
    assert questions.is_tree_at_work(db, turn.root)
