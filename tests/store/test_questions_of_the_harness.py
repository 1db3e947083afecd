"""The harness's own questions as rows: found by their id or by the message that shows them, until they are closed."""

from typing import Any

import pytest

from bot.core.messages import OutboundKind, OutboundMessage, PlatformId, QuestionId
from bot.store import questions
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion
from tests.support.rows import NOW, OTHER, ROOM, say, show_as

ABOUT: dict[str, Any] = {"does": "rights", "person": "Bob"}
ID = QuestionId("b1")


@pytest.fixture(autouse=True)
def asked(db: Connection) -> OutboundMessage:
    message = say(db, ID, "Bob may talk", kind=OutboundKind.QUESTION, options=("Give web", "Take web"))
    columns = {"text": message.text, "options": message.options, "arguments": ABOUT, "deadline": NOW}
    questions.add_question(db, ButtonQuestion, ID, address=ROOM, person="", **columns)
    return message


def test_a_button_is_found_at_its_own_address_only(db: Connection) -> None:
    found = questions.find_question(db, ButtonQuestion, ID, ROOM)
    assert found == ButtonQuestion(id=ID, address=ROOM, options=("Give web", "Take web"), arguments=ABOUT, state="open")
    assert questions.find_question(db, ButtonQuestion, ID, OTHER) is None
    assert questions.find_question(db, ButtonQuestion, None, ROOM) is None


def test_a_button_is_found_by_the_message_that_shows_it(db: Connection) -> None:
    show_as(db, ID, "77")
    found = questions.find_question_by_platform_id(db, ButtonQuestion, ROOM, PlatformId("77"))
    assert found is not None
    assert found.id == ID
    assert questions.find_question_by_platform_id(db, ButtonQuestion, ROOM, PlatformId("78")) is None


def test_a_closed_button_is_found_and_not_listed(db: Connection) -> None:
    assert [each.id for each in questions.list_open_questions(db, ButtonQuestion, address=ROOM)] == [ID]
    assert questions.mark_question_closed(db, ID, "answered", "Give web")
    assert questions.list_open_questions(db, ButtonQuestion, address=ROOM) == []
    found = questions.find_question(db, ButtonQuestion, ID, ROOM)
    assert found is not None
    assert not found.is_open
