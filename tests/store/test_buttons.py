"""The harness's own questions as rows: found by their id or by the message that shows them, until they are closed."""

from typing import Any

import pytest

from bot.core.messages import OutboundKind, OutboundMessage, PlatformId, QuestionId
from bot.store import buttons, questions
from bot.store.connection import Connection
from tests.support.rows import NOW, OTHER, ROOM, say, show_as

ABOUT: dict[str, Any] = {"does": "rights", "person": "Bob"}
ID = QuestionId("b1")


@pytest.fixture(autouse=True)
def asked(db: Connection) -> OutboundMessage:
    message = say(db, ID, "Bob may talk", kind=OutboundKind.QUESTION, options=("Give web", "Take web"))
    buttons.add_button(db, message, ABOUT, NOW)
    return message


def test_a_button_is_found_at_its_own_address_only(db: Connection) -> None:
    found = buttons.find_button(db, ID, ROOM)
    assert found == buttons.Button(id=ID, address=ROOM, options=("Give web", "Take web"), about=ABOUT, is_open=True)
    assert buttons.find_button(db, ID, OTHER) is None
    assert buttons.find_button(db, None, ROOM) is None


def test_a_button_is_found_by_the_message_that_shows_it(db: Connection) -> None:
    show_as(db, ID, "77")
    found = buttons.find_button_shown_as(db, ROOM, PlatformId("77"))
    assert found is not None
    assert found.id == ID
    assert buttons.find_button_shown_as(db, ROOM, PlatformId("78")) is None


def test_a_closed_button_is_found_and_not_listed(db: Connection) -> None:
    assert [each.id for each in buttons.list_open_buttons(db, ROOM)] == [ID]
    assert questions.close_question(db, ID, "answered", "Give web")
    assert buttons.list_open_buttons(db, ROOM) == []
    found = buttons.find_button(db, ID, ROOM)
    assert found is not None
    assert not found.is_open
