"""The requests of strangers as rows: found by id, by the message that shows them, and by the stranger."""

from datetime import timedelta

import pytest

from bot.core.messages import Address, OutboundKind, PersonId, PlatformId, QuestionId, Sender
from bot.store import pairings, questions
from bot.store.connection import Connection
from bot.store.pairings import Pairing
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
    pairings.add_pairing(db, KNOCK, ROOM, "Sam asks", ("Let in", "Refuse"))


def test_a_request_is_read_as_it_was_written(db: Connection) -> None:
    assert pairings.find_pairing(db, KNOCK.id) == KNOCK
    assert pairings.list_open_pairings(db) == pairings.list_pairings_of(db, SAM.id) == [KNOCK]


def test_a_request_is_found_by_the_message_that_shows_it(db: Connection) -> None:
    say(db, KNOCK.id, "Sam asks", kind=OutboundKind.QUESTION)
    show_as(db, KNOCK.id, "77")
    assert pairings.find_pairing_shown_as(db, ROOM, PlatformId("77")) == KNOCK


def test_a_request_is_overdue_from_its_deadline_on(db: Connection) -> None:
    assert pairings.list_overdue_pairings(db, NOW) == []
    assert pairings.list_overdue_pairings(db, KNOCK.deadline) == [KNOCK]


def test_an_answered_request_is_found_by_its_answer(db: Connection) -> None:
    assert pairings.list_pairings_answered_with(db, SAM.id, "Refuse") == []
    questions.close_question(db, KNOCK.id, "answered", "Refuse")
    assert [each.id for each in pairings.list_pairings_answered_with(db, SAM.id, "Refuse")] == [KNOCK.id]
    assert pairings.list_open_pairings(db) == []
