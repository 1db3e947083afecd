"""The questions of turns as rows: who may answer them, until when, and how they end."""

from datetime import timedelta

import pytest

from bot.core.messages import PlatformId, QuestionId
from bot.core.reply_plan import AskPerson
from bot.core.turn import CallKind, Turn
from bot.journal.questions import ask_question
from bot.journal.steps import load_turn_standing
from bot.store import questions
from bot.store.connection import Connection, turn_wake_up_topic
from bot.store.questions import Question
from tests.support.rows import NOW, OTHER, ROOM, add_call, add_root_turn, show_as

DEADLINE = NOW + timedelta(hours=1)
CALL = "t1/2/0"


@pytest.fixture
def turn(db: Connection) -> Turn:
    """A turn that asks Ann."""
    turn = add_root_turn(db)
    asked = AskPerson(text="which?", options=("red", "blue"), default="red", deadline=DEADLINE)
    ask_question(db, turn, add_call(db, turn, kind=CallKind.WAIT), asked, NOW)
    return turn


def test_a_question_is_open_to_its_person_at_its_address(db: Connection, turn: Turn) -> None:
    [asked] = questions.list_open_questions(db, Question, address=ROOM, person=turn.person)
    assert (asked.call_id, asked.options, asked.fallback, asked.is_open) == (CALL, ("red", "blue"), "red", True)
    assert questions.list_open_questions(db, Question, address=ROOM, person="Bob") == []
    assert questions.find_question(db, Question, QuestionId(CALL), OTHER) is None


def test_a_question_is_found_by_the_message_that_shows_it(db: Connection, turn: Turn) -> None:
    show_as(db, CALL, "77")
    found = questions.find_question_by_platform_id(db, Question, ROOM, PlatformId("77"))
    assert found is not None
    assert found.call_id == CALL


def test_a_deadline_is_only_ever_made_earlier(db: Connection, turn: Turn) -> None:
    [asked] = questions.list_open_questions(db, Question, root=turn.root, turn=turn.id)
    questions.shorten_question_deadline(db, asked, NOW)
    questions.shorten_question_deadline(db, asked, DEADLINE)
    assert load_turn_standing(db, turn.id).question_deadline == NOW
    assert turn_wake_up_topic(turn.id) in db.wake_ups
    [asked] = questions.list_open_questions(db, Question, turn=turn.id)
    assert asked.deadline == NOW


def test_a_question_ends_once(db: Connection, turn: Turn) -> None:
    assert questions.list_roots_with_open_questions(db) == [turn.id]
    assert questions.mark_question_closed(db, CALL, "answered", "red")
    assert not questions.mark_question_closed(db, CALL, "expired")
    assert questions.list_open_questions(db, Question, root=turn.root) == []
    assert load_turn_standing(db, turn.id).question_deadline is None


def test_a_tree_is_at_work_if_something_besides_questions_is_left(db: Connection, turn: Turn) -> None:
    assert not questions.is_tree_at_work(db, turn.root)
    add_call(db, turn, "2/1", CallKind.READ)
    assert questions.is_tree_at_work(db, turn.root)
