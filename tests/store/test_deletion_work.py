"""A sweep works on what it forgets, and not again on what it has emptied before."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.messages import Address, InboundMessage, MessageId, PersonId, Sender
from bot.store import deletion, inbox
from bot.store.connection import Connection

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
OLD, IDS_OLD = NOW - timedelta(days=2), NOW - timedelta(days=7)
A_FEW = 20  # steps of SQLite's machine


def add_answered(db: Connection, id: str, kept_at: datetime) -> None:
    message = InboundMessage(
        id=MessageId(id),
        address=Address(channel="fake", chat="room"),
        sender=Sender(id=PersonId("Ann"), name="Ann"),
        text="hello",
        sent_at=kept_at,
    )
    inbox.add_inbound_message(db, message, kept_at, state="done")


def steps_of_sweep(db: Connection) -> int:
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0  # go on

    db.set_progress_handler(count, 1)
    deletion.delete_or_clear_old_rows(db, OLD, IDS_OLD)
    db.set_progress_handler(None, 1)
    return steps


@pytest.mark.fast
def test_a_sweep_does_not_pass_over_emptied_messages_again(db: Connection) -> None:
    found = []
    for number in (10, 5_000):
        for each in range(number):
            add_answered(db, f"{number} {each}", OLD - timedelta(hours=1))
        while deletion.delete_or_clear_old_rows(db, OLD, IDS_OLD):
            pass
        assert not db.has_rows("SELECT 1 FROM inbox WHERE text != ''")
        add_answered(db, f"one more {number}", OLD - timedelta(hours=1))
        found.append(steps_of_sweep(db))
    few, many = found
    assert many <= few + A_FEW
