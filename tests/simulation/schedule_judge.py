"""What a transaction may do to schedules: every time comes once, or is counted as left out, and that is told.

The judge sees the rows before and after each transaction, and computes times by plain arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from bot.core.texts import model_schedules
from bot.store.connection import Connection
from tests.rig.schedules import REMINDED, first_time_after, times_named

R = TypeVar("R")
Row = dict[str, Any]
LONGEST_POSTPONEMENT = timedelta(days=30)
DONE = (REMINDED, "run")


@dataclass
class Rows:
    schedules: dict[int, Row] = field(default_factory=dict)
    occurrences: dict[int, dict[str, Row]] = field(default_factory=dict)  # by number and time


def load_rows(db: Connection) -> Rows:
    rows = Rows({row["number"]: dict(row) for row in db.fetch_rows("SELECT * FROM schedules")})
    for row in db.fetch_rows("SELECT * FROM occurrences"):
        rows.occurrences.setdefault(row["schedule"], {})[row["due_at"]] = dict(row)
    return rows


def judge(db: Connection, work: Callable[[], R], add_fault: Callable[[str], None]) -> R:
    """Do the work of a transaction, and add a fault for everything that it must not do to schedules."""
    before = load_rows(db)
    result = work()
    after = load_rows(db)
    for number, row in after.schedules.items():
        old = before.schedules.get(number)
        new = [
            each
            for due_at, each in after.occurrences.get(number, {}).items()
            if due_at not in before.occurrences.get(number, {})
        ]
        for fault in judge_new(row) if old is None else judge_change(db, old, row, new):
            add_fault(f"schedule {number}: {fault}: {old} became {row}, with {new}")
    return result


def moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def required(text: str | None) -> datetime:
    assert text
    return datetime.fromisoformat(text)


def judge_new(row: Row) -> Iterator[str]:
    wanted = first_time_after(row, required(row["made_at"])) or moment(row["once"])
    if wanted is None or moment(row["next_at"]) != wanted:
        yield f"it should be due first at {wanted}"


def judge_change(db: Connection, old: Row, row: Row, new: list[Row]) -> Iterator[str]:
    if old == row and not new:
        return
    if old["state"] in ("deleted", "over") and (new or row["state"] != "deleted"):
        if new or (row["state"], row["next_at"]) != (old["state"], old["next_at"]):
            yield "it was gone already"
        return
    if len(new) > 1:
        yield "it came twice at once"
    elif new:
        yield from judge_time(db, old, row, new[0])
    elif row["last_at"] != old["last_at"]:
        yield from judge_check_in_vain(old, row)
    elif row["postponed_due_at"] and not old["postponed_due_at"]:
        yield from judge_postponed(old, row)
    elif row["next_at"] != old["next_at"]:
        yield from judge_moved(old, row)
    elif row["state"] == "over" and old["state"] != "over":
        yield "it is over, though it was to come"


def judge_span(old: Row, due: datetime) -> Iterator[str | int]:
    """Yield how many times have come before `due` since the schedule was to come next, or what is wrong with it."""
    if old["state"] != "active":
        yield "it came though it was not active"
    elif old["postponed_due_at"]:
        yield 0 if due == required(old["postponed_due_at"]) else "it came for another time than the one put off"
    else:
        first = required(old["next_at"])
        times = [first, *times_named(old, first, due)]  # in another zone the first may not be one of its times now
        yield len(times) - 1 if times[-1] == due else "it came at a time that it has not"


def judge_time(db: Connection, old: Row, row: Row, new: Row) -> Iterator[str]:
    """A time has come: it does what it is for, or is counted."""
    due, [missed] = required(new["due_at"]), judge_span(old, required(new["due_at"]))
    if isinstance(missed, str):
        yield missed
        return
    missed += old["missed_count"]
    if new["missed_count"] != missed:
        yield f"{missed} times were left out before it"
    is_done = new["outcome"] in DONE
    if row["missed_count"] != (0 if is_done else missed + 1):
        yield "what was left out is counted wrong"
    key = f"schedule:{row['number']}:{due:%Y-%m-%dT%H:%M:%S}"
    posted = db.fetch_row("SELECT text FROM outbox WHERE key = ?", key)
    begun = db.fetch_row("SELECT text FROM inbox WHERE key = ?", key)
    if is_done and (posted if row["is_reminder"] else begun) is None:
        yield "nothing was posted and nothing began"
    elif not is_done and (posted or begun):
        yield "it came all the same"
    if is_done and missed:
        said, told = (posted, str(missed)) if row["is_reminder"] else (begun, str(model_schedules.WAS_LEFT_OUT(missed)))
        if said is None or told not in said["text"]:
            yield "nobody is told what was left out"
    if row["state"] == "over" and not is_done and required(row["changed_at"]) - due < LONGEST_POSTPONEMENT:
        yield "its last time was lost"
    if old["postponed_due_at"]:  # its rule had no time after this one; in another zone it would have some again
        if (row["state"], row["next_at"]) != ("over", None) and row["state"] != "paused":
            yield "it goes on after its last time"
    else:
        yield from judge_next(row, due)


def judge_check_in_vain(old: Row, row: Row) -> Iterator[str]:
    """Its condition does not hold. What was left out before is still to be told."""
    if not old["condition"]:
        yield "a time is lost"
        return
    due = required(row["last_at"])
    [missed] = judge_span(old, due)
    if isinstance(missed, str):
        yield missed
    elif row["missed_count"] != old["missed_count"] + missed:
        yield "what was left out is counted wrong"
    yield from judge_next(row, due)


def judge_postponed(old: Row, row: Row) -> Iterator[str]:
    due = required(row["postponed_due_at"])
    [missed] = judge_span(old, due)
    if isinstance(missed, str):
        yield missed
    elif row["missed_count"] != old["missed_count"] + missed:
        yield "what was left out is counted wrong"
    if first_time_after(row, due):
        yield "only a last time is put off"
    if required(row["next_at"]) <= required(row["changed_at"]):
        yield "it is put off to a time that is past"


def judge_next(row: Row, due: datetime) -> Iterator[str]:
    """After a time comes the next one, and none is passed over."""
    following = None if row["state"] in ("deleted",) else first_time_after(row, due)
    if moment(row["next_at"]) != following:
        yield f"{following} should be next"
    if (following is None) != (row["state"] in ("over", "deleted")):
        yield "its end is wrong"


def judge_moved(old: Row, row: Row) -> Iterator[str]:
    """It is due at another time, though it did not come: it was resumed, deleted, put off again, or has moved to
    another zone. Nothing that was due may be lost by that."""
    now = required(row["changed_at"])
    since = max(now, moment(row["last_at"]) or now)
    if row["state"] == "deleted":
        return
    if old["postponed_due_at"]:
        if row["postponed_due_at"] != old["postponed_due_at"]:
            yield "the time that was put off is lost"
    elif old["state"] == "paused" and row["state"] in ("active", "over"):
        if moment(row["next_at"]) != first_time_after(row, since):
            yield "it was resumed with a wrong time"
    elif old["zone"] != row["zone"]:
        wanted, left_out = first_time_after(row, since), 0
        if old["state"] == "active" and (first := required(old["next_at"])) <= now:  # it is still due
            times = [first, *times_named(old, first, now)]
            wanted, left_out = times[-1], len(times) - 1
        if (moment(row["next_at"]), row["missed_count"]) != (wanted, old["missed_count"] + left_out):
            yield f"in another zone it should be due at {wanted}, with {left_out} more left out"
    else:
        yield "it was moved for no reason"
