"""The schedules of people, and the times when each was due."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from bot.core.messages import Address, MessageId, PersonId
from bot.core.prices import Micros
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX
from bot.schedules.rules import ScheduleRule
from bot.store.connection import SCHEDULES_CHANGED_TOPIC, Connection
from bot.store.row_mapping import dataclass_as_columns, dataclass_from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Something to do at a time, or again and again. Its runs act for the person who made it, in its chat."""

    number: int = 0  # given when it is stored
    key: str  # of the call that made it
    address: Address
    group_chat: str | None
    person: PersonId
    name: str  # the person's name when it was made
    zone: str  # the name of the zone whose clock counts; empty: the operator's
    rule: ScheduleRule
    is_reminder: bool  # its text is posted as it is; no model reads it
    text: str  # what to say, or what to do
    is_silent: bool  # its messages make no sound
    tools: frozenset[str] = frozenset()  # those that its runs may use
    condition: dict[str, Any] | None = None  # checked before a run (`bot/core/schedule_conditions.py`); None: none
    last_seen: str | None = None  # what the condition saw when it was checked last
    checked_at: datetime | None = None  # when that was seen
    failed_checks: int = 0  # of its last checks, one after the other: nothing could be seen
    run_micros: Micros  # that one run may cost
    day_micros: Micros  # that its runs may cost in a day
    sources: frozenset[str] = frozenset()  # whose words the conversation held that made it
    words: str = ""  # what the person wrote when it was made: its runs may do what these ask for
    state: str = "active"  # active | paused | over | deleted
    next_at: datetime | None = None  # None: it is not due any more
    last_at: datetime | None = None  # the last time when it was due
    postponed_due_at: datetime | None = None  # its very last time, which is tried again at `next_at`
    missed_count: int = 0  # how many times it was due since its last run, and did not run
    failures: int = 0  # of its last runs, one after the other
    made_at: datetime
    changed_at: datetime

    @property
    def is_active(self) -> bool:
        return self.state == "active"

    @property
    def money_of_run(self) -> Micros:
        """Return what a run may cost. It begins only if so much is left of the day."""
        return min(self.run_micros, self.day_micros)


class DueSchedules(NamedTuple):
    due: list[Schedule]
    next_at: datetime | None  # when the first of the others is due


class ScheduleFigures(NamedTuple):
    """How many schedules there are, and how far the scheduler is behind."""

    active: int = 0
    paused: int = 0
    failed: int = 0  # of the paused ones: paused because their runs failed
    due: int = 0  # their time has come, and nothing was done yet
    due_since: datetime | None = None  # the first of these times


def schedule_message_id(number: int, due_at: datetime) -> MessageId:
    return MessageId(f"{SCHEDULE_MESSAGE_ID_PREFIX}{number}:{due_at:%Y-%m-%dT%H:%M:%S}")


def number_of_schedule_message(message: MessageId) -> int:
    """Return the number of the schedule that a message begins a run of; 0 if it begins none."""
    if not message.startswith(SCHEDULE_MESSAGE_ID_PREFIX):
        return 0
    return int(message.removeprefix(SCHEDULE_MESSAGE_ID_PREFIX).partition(":")[0])


def add_schedule(db: Connection, schedule: Schedule) -> int:
    """Add a schedule. Return its number. If its key is there already, change nothing."""
    columns = dataclass_as_columns(schedule, "number", "rule") | dataclass_as_columns(schedule.rule)
    db.insert_if_new("schedules", **columns)
    db.add_wake_up(SCHEDULES_CHANGED_TOPIC)
    return db.fetch_number("SELECT number FROM schedules WHERE key = ?", schedule.key)


def find_schedule(db: Connection, number: int) -> Schedule | None:
    """Return a schedule that was not deleted."""
    found = select_schedules(db, "number = ? AND state != 'deleted'", number)
    return found[0] if found else None


def list_all_schedules(db: Connection) -> list[Schedule]:
    """Return the schedules of everybody that may be due again, the first due first."""
    return select_schedules(db, "state IN ('active', 'paused') ORDER BY next_at IS NULL, next_at, number")


def list_schedules_over_since(db: Connection, since: datetime) -> list[Schedule]:
    """Return the schedules of everybody whose very last time came since then, the earliest first."""
    return select_schedules(db, "state = 'over' AND last_at >= ? ORDER BY last_at, number", since)


def load_due_schedules(db: Connection, now: datetime, excluded: Collection[int], most: int) -> DueSchedules:
    """Return the schedules that are due, except these, the longest due first, and when the next one is."""
    where = "state = 'active' AND next_at IS NOT NULL AND next_at"
    others = "number NOT IN (SELECT value FROM json_each(?))"
    due = select_schedules(db, f"{where} <= ? AND {others} ORDER BY next_at LIMIT ?", now, frozenset(excluded), most)
    row = db.fetch_row(f"SELECT min(next_at) FROM schedules WHERE {where} > ?", now)
    return DueSchedules(due, datetime.fromisoformat(row[0]) if row and row[0] else None)


def count_schedules(db: Connection, now: datetime, failures_of_failed: int) -> ScheduleFigures:
    """Count schedules by their indexes."""
    is_active = "state = 'active' AND next_at IS NOT NULL"
    is_due = f"{is_active} AND next_at <= ?"
    first = db.fetch_row(f"SELECT min(next_at) AS moment FROM schedules WHERE {is_due}", now)
    is_paused = "SELECT count(*) FROM schedules WHERE state = 'paused'"
    return ScheduleFigures(
        active=db.fetch_number(f"SELECT count(*) FROM schedules WHERE {is_active}"),
        paused=db.fetch_number(is_paused),
        failed=db.fetch_number(f"{is_paused} AND failures >= ?", failures_of_failed),
        due=db.fetch_number(f"SELECT count(*) FROM schedules WHERE {is_due}", now),
        due_since=datetime.fromisoformat(first["moment"]) if first and first["moment"] else None,
    )


def list_failed_schedules(db: Connection, failures_of_failed: int) -> list[Schedule]:
    """Return the schedules that were paused because their runs failed."""
    return select_schedules(db, "state = 'paused' AND failures >= ? ORDER BY number", failures_of_failed)


def list_schedules_with_last_outcome(db: Connection) -> list[tuple[Schedule, datetime | None, str]]:
    """Return the schedules of everybody that may be due again, each with when it did something last and what came of
    that."""
    sql = "SELECT due_at, outcome FROM occurrences WHERE schedule = ? ORDER BY due_at DESC LIMIT 1"
    found = []
    for each in select_schedules(db, "state IN ('active', 'paused') ORDER BY number"):
        row = db.fetch_row(sql, each.number)
        found.append((each, datetime.fromisoformat(row[0]) if row else None, row[1] if row else ""))
    return found


def update_schedule(db: Connection, number: int, **columns: object) -> None:
    db.update("schedules", columns, number=number)
    if {"state", "next_at"} & columns.keys():
        db.add_wake_up(SCHEDULES_CHANGED_TOPIC)


def add_occurrence(
    db: Connection, number: int, due_at: datetime, now: datetime, missed_count: int, outcome: str
) -> bool:
    """Note that a schedule was due. Return False if that was noted before."""
    columns = {"fired_at": now, "missed_count": missed_count, "outcome": outcome}
    return db.insert_if_new("occurrences", schedule=number, due_at=due_at, **columns)


def set_outcome_of_run(db: Connection, message: MessageId, outcome: str) -> None:
    """Write how the run that a message began has ended. A run that somebody wanted meanwhile is no occurrence, nor is
    what somebody wrote to a run at work."""
    number, _, due_at = message.removeprefix(SCHEDULE_MESSAGE_ID_PREFIX).partition(":")
    if message.startswith(SCHEDULE_MESSAGE_ID_PREFIX) and not due_at.startswith("now:"):
        due = datetime.fromisoformat(due_at).replace(tzinfo=UTC)
        db.update("occurrences", {"outcome": outcome}, schedule=int(number), due_at=due)


def list_occurrences(db: Connection, number: int) -> list[tuple[datetime, int, str]]:
    """Return when a schedule was due, how many times were left out before that, and what came of it; oldest first."""
    sql = "SELECT due_at, missed_count, outcome FROM occurrences WHERE schedule = ? ORDER BY due_at"
    return [(datetime.fromisoformat(row[0]), row[1], row[2]) for row in db.fetch_rows(sql, number)]


def is_run_open(db: Connection, number: int) -> bool:
    """Return True if a run of the schedule waits or is at work."""
    begin = f"{SCHEDULE_MESSAGE_ID_PREFIX}{number}:"
    sql = "SELECT 1 FROM inbox WHERE state IN ('received', 'taken') AND key > ? AND key < ? LIMIT 1"
    return db.has_rows(sql, begin, f"{SCHEDULE_MESSAGE_ID_PREFIX}{number};")


def cost_of_runs_since(db: Connection, number: int, since: datetime) -> Micros:
    """Return what the runs of a schedule have cost that began since then."""
    sql = "SELECT sum(cost + reserved) FROM turns WHERE schedule = ? AND opened_at >= ? AND schedule != 0"
    return Micros(db.fetch_number(sql, number, since))


def move_group_chat(db: Connection, channel: str, old: str, new: str) -> None:
    """Let the schedules of a group chat be judged by the settings about its new id."""
    sql = "UPDATE schedules SET group_chat = ? WHERE group_chat = ? AND address GLOB ?"
    db.execute(sql, (new, old, f"{channel}:*"))


def delete_schedule_for_good(db: Connection, number: int) -> None:
    """Delete a schedule with its text and with the times when it was due."""
    db.execute("DELETE FROM occurrences WHERE schedule = ?", (number,))
    db.execute("DELETE FROM schedules WHERE number = ?", (number,))
    db.add_wake_up(SCHEDULES_CHANGED_TOPIC)


def sweep_old_schedules(db: Connection, now: datetime, keep_days: int, most: int) -> int:
    """Delete old occurrences, and schedules that have been over for that long; at most so many of each."""
    old = now - timedelta(days=keep_days)
    which = "SELECT schedule, due_at FROM occurrences WHERE fired_at < ? LIMIT ?"
    gone = db.execute(f"DELETE FROM occurrences WHERE (schedule, due_at) IN ({which})", (old, most)).rowcount
    which = "SELECT number FROM schedules WHERE state IN ('over', 'deleted') AND changed_at < ? LIMIT ?"
    return gone + db.execute(f"DELETE FROM schedules WHERE number IN ({which})", (old, most)).rowcount


def select_schedules(db: Connection, where: str, *values: object) -> list[Schedule]:
    return [schedule_from_row(row) for row in db.fetch_rows(f"SELECT * FROM schedules WHERE {where}", *values)]


def schedule_from_row(row: sqlite3.Row) -> Schedule:
    return dataclass_from_row(Schedule, row, rule=dataclass_from_row(ScheduleRule, row))
