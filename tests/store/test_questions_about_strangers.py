"""The requests of strangers as rows: found by id, by the message that shows them, and by the stranger."""

from datetime import timedelta

import pytest

from bot.core.messages import Address, OutboundKind, PersonId, PlatformId, QuestionId, Sender
from bot.journal.pairing import expire_pairings
from bot.store import questions
from bot.store.connection import Connection
from bot.store.questions import Pairing
from tests.support.rows import NOW, ROOM, say, show_as

SAM = Sender(id=PersonId("Sam"), name="Sam")
KNOCK = Pairing(
    id=QuestionId("p1"),
    code="ABCD-EFGH",
    stranger=SAM,
    address=Address(channel="fake", chat="sam"),
    owner=PersonId("Owner"),
    deadline=NOW + timedelta(hours=1),
    state="open",
)


@pytest.fixture(autouse=True)
def knocks(db: Connection) -> None:
    columns = {"text": "Sam asks", "options": ("Let in", "Refuse"), "arguments": KNOCK.stored_arguments}
    questions.add_question(db, Pairing, KNOCK.id, address=ROOM, person=KNOCK.owner, deadline=KNOCK.deadline, **columns)


def test_a_request_is_read_as_it_was_written(db: Connection) -> None:
    assert questions.find_question(db, Pairing, KNOCK.id, None) == KNOCK
    assert questions.list_open_questions(db, Pairing) == questions.list_pairings_of_stranger(db, SAM, "fake") == [KNOCK]


def test_a_request_is_found_by_the_message_that_shows_it(db: Connection) -> None:
    say(db, KNOCK.id, "Sam asks", kind=OutboundKind.QUESTION)
    show_as(db, KNOCK.id, "77")
    assert questions.find_question_by_platform_id(db, Pairing, ROOM, PlatformId("77")) == KNOCK


def test_a_request_is_overdue_from_its_deadline_on(db: Connection) -> None:
    expire_pairings(db, NOW)
    assert questions.list_open_questions(db, Pairing) == [KNOCK]
    expire_pairings(db, KNOCK.deadline)
    assert [each.state for each in questions.list_pairings_of_stranger(db, SAM, "fake")] == ["expired"]


def test_an_answered_request_is_found_by_its_answer(db: Connection) -> None:
    assert [each.answer for each in questions.list_pairings_of_stranger(db, SAM, "fake")] == [None]
    questions.mark_question_closed(db, KNOCK.id, "answered", "Refuse")
    [answered] = questions.list_pairings_of_stranger(db, SAM, "fake")
    assert (answered.id, answered.answer) == (KNOCK.id, "Refuse")
    assert questions.list_open_questions(db, Pairing) == []
