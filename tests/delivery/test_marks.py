"""The marks below people's messages: which one, and in what form a transaction names it."""

import pytest

from bot.core.messages import Address, MessageId, MessageMark
from bot.core.turn import TurnOutcome
from bot.journal.marks import mark_messages, mark_of_outcome, parse_mark_name
from bot.store.connection import MARKS_TOPIC, Connection

AT = Address(channel="telegram", chat="-100:7", thread="3")


@pytest.mark.parametrize(
    ("outcome", "mark"),
    [
        (TurnOutcome.COMPLETED, MessageMark.DONE),
        (TurnOutcome.CANCELLED, MessageMark.NONE),
        (TurnOutcome.FAILED, MessageMark.FAILED),
        (TurnOutcome.TIMEOUT, MessageMark.FAILED),
        (TurnOutcome.BUDGET, MessageMark.FAILED),
    ],
)
def test_the_end_of_a_turn_decides_the_mark(outcome: TurnOutcome, mark: MessageMark) -> None:
    assert mark_of_outcome(outcome) is mark


def test_a_transaction_names_people_s_messages_and_no_report() -> None:
    db = Connection(":memory:")
    woken = db.start_collecting_wake_ups()
    mark_messages(db, AT, [MessageId("telegram:1:7:2"), MessageId("report:t1/2/0")], MessageMark.DONE)
    db.close()
    assert [parse_mark_name(name) for name in woken[MARKS_TOPIC]] == [
        (AT, MessageId("telegram:1:7:2"), MessageMark.DONE)
    ]
