"""Waits of a turn that asks the model: for money that others have reserved, or for a failing server."""

from datetime import datetime

from bot.core.turn import WAITS_FOR_SERVICE, Turn, TurnId
from bot.store.connection import Connection, calls_topic


def note_budget_wait(db: Connection, id: TurnId, budget: str) -> None:
    """Note which budget a turn waits for; empty for none."""
    db.execute("UPDATE turns SET waits_for = ? WHERE id = ? AND waits_for != ?", (budget, id, budget))


def begin_service_wait(db: Connection, turn: Turn, until: datetime) -> None:
    """Note when a turn asks its model's server again."""
    sql = "UPDATE turns SET waits_for = ?, rests_until = ? WHERE id = ?"
    db.execute(sql, (WAITS_FOR_SERVICE, until.isoformat(), turn.id))


def end_service_wait(db: Connection, turn: Turn) -> None:
    """Note that the turn asks its model's server again now."""
    db.execute("UPDATE turns SET waits_for = '', rests_until = NULL WHERE id = ?", (turn.id,))


def note_service_failure(db: Connection, turn: Turn, now: datetime) -> None:
    """Note that the model's server of a turn has failed. Keep the time of the first failure."""
    db.execute("UPDATE turns SET failing_since = ? WHERE id = ? AND failing_since IS NULL", (now.isoformat(), turn.id))


def clear_service_failure(db: Connection, turn: Turn) -> None:
    """Note that the model's server of a turn has answered."""
    if turn.failing_since:
        db.execute("UPDATE turns SET failing_since = NULL WHERE id = ?", (turn.id,))


def use_fallback_model(db: Connection, id: TurnId) -> None:
    """Let another model answer in place of the turn's own, until the turn ends."""
    db.execute("UPDATE turns SET is_on_fallback = 1, failing_since = NULL WHERE id = ?", (id,))


def use_own_model_again(db: Connection, turn: Turn) -> None:
    """Ask the turn's own model again, since a new chapter has begun."""
    if turn.is_on_fallback:
        db.execute("UPDATE turns SET is_on_fallback = 0 WHERE id = ?", (turn.id,))


def wake_for_money(db: Connection) -> None:
    """A request has settled: who waits for it may try again. Of those that a budget of the day keeps waiting, which may
    be all of the tenant's, only the oldest; it wakes the next."""
    for row in db.fetch_rows(
        "SELECT id FROM turns WHERE waits_for != '' AND waits_for NOT IN ('day', 'shared day', 'service')"
    ):
        db.wake(calls_topic(row["id"]))
    wake_next_for_day_budget(db)


def wake_next_for_day_budget(db: Connection) -> None:
    """Of the owner's turns the oldest, and of all others'."""
    for budget in ("day", "shared day"):
        sql = "SELECT id FROM turns WHERE waits_for = ? AND waits_for != '' ORDER BY rowid LIMIT 1"
        if row := db.fetch_row(sql, budget):
            db.wake(calls_topic(row["id"]))
