"""Counts for metrics: from the first look on, each row once, and nothing of what was there before."""

from bot.core.turn import TurnOutcome
from bot.store import inbox, turns
from bot.store.connection import Connection
from bot.store.metric_counts import MetricCounts, count_queue_depths
from tests.support.fakes import message
from tests.support.rows import NOW, add_delegation, add_root_turn, say


def test_the_first_look_counts_nothing(db: Connection) -> None:
    inbox.add_inbound_message(db, message("hello"), NOW)
    tally = MetricCounts()
    tally.count_newly_finished_rows(db)
    assert not tally.received_messages
    inbox.add_inbound_message(db, message("hello?"), NOW)
    tally.count_newly_finished_rows(db)
    assert tally.received_messages == {"fake": 1}


def test_a_turn_is_counted_once_when_it_has_ended(db: Connection) -> None:
    tally = MetricCounts()
    tally.count_from_zero()
    turn = add_root_turn(db)
    tally.count_newly_finished_rows(db)
    assert not tally.ended_turns
    turns.mark_turn_ended(db, turn, TurnOutcome.COMPLETED, "", "done", NOW)
    for _ in range(2):
        tally.count_newly_finished_rows(db)
    assert tally.ended_turns == {("turn", "completed"): 1}


def test_depths_are_what_is_there_now(db: Connection) -> None:
    add_delegation(db, add_root_turn(db))
    inbox.add_inbound_message(db, message("hello"), NOW)
    say(db, "n1")
    depths = count_queue_depths(db, ["fake"])
    assert depths.open_turns == {("turn", "running"): 1, ("delegation", "running"): 1}
    assert (depths.waiting_inbound, depths.waiting_outbound) == ({"fake": 1}, {"fake": 1})
    assert not count_queue_depths(db, ["telegram"]).waiting_inbound
