"""How long people have been waiting, by channel: for an answer, for somebody to begin, and for what was said."""

from datetime import timedelta

from bot.store import inbox
from bot.store.connection import Connection
from bot.store.waiting_times import OldestWaitingTimes, last_inbound_message_at, load_oldest_waiting_times
from tests.support.fakes import message
from tests.support.rows import NOW, add_root_turn, assign, say

EARLIER = NOW - timedelta(minutes=5)


def test_nobody_waits_in_an_empty_file(db: Connection) -> None:
    assert load_oldest_waiting_times(db, ["fake"]) == OldestWaitingTimes(
        unanswered_since=None, unattended_since=None, unsent_since=None
    )
    assert last_inbound_message_at(db, ["fake"]) is None


def test_the_oldest_of_each_kind_counts(db: Connection) -> None:
    inbox.add_inbound_message(db, message("first", id="m1"), EARLIER)
    inbox.add_inbound_message(db, message("second", chat="other"), NOW)
    say(db, "n1")
    assert load_oldest_waiting_times(db, ["fake"]) == OldestWaitingTimes(
        unanswered_since=EARLIER, unattended_since=EARLIER, unsent_since=NOW
    )
    assign(db, "m1", add_root_turn(db))
    assert load_oldest_waiting_times(db, ["fake"]) == OldestWaitingTimes(
        unanswered_since=EARLIER, unattended_since=NOW, unsent_since=NOW
    )


def test_another_channel_counts_for_itself(db: Connection) -> None:
    inbox.add_inbound_message(db, message("first"), EARLIER)
    say(db, "n1")
    assert load_oldest_waiting_times(db, ["telegram"]) == OldestWaitingTimes(
        unanswered_since=None, unattended_since=None, unsent_since=None
    )
    assert (last_inbound_message_at(db, ["fake"]), last_inbound_message_at(db, ["telegram"])) == (EARLIER, None)
