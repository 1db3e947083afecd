"""The rule of a schedule: one moment, or a repetition (an RRULE of RFC 5545) on the clock of a time zone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from bot.schedules.local_times import local_time, moment_of_local_time

if TYPE_CHECKING:
    from dateutil.rrule import rrule  # imported where it is used: few bots need it

MAX_MISSED_TIMES_COUNTED = 1_000
LONGEST_JUMP = timedelta(hours=26)  # of a clock: when a country changes sides of the date line, it loses a day
# The length of a period, for those frequencies whose periods all have the same length
PERIODS = {
    "MINUTELY": timedelta(minutes=1),
    "HOURLY": timedelta(hours=1),
    "DAILY": timedelta(days=1),
    "WEEKLY": timedelta(weeks=1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRule:
    """When a schedule is due. `start` has no zone: it is a time on the clock of the schedule's zone."""

    once: datetime | None = None  # the only moment; None: it repeats
    start: datetime = datetime.min  # of a repetition: no earlier time counts
    repeat: str = ""  # an RRULE in the form that `parse_repetition` returns

    @property
    def is_once(self) -> bool:
        return self.once is not None


def next_occurrence(rule: ScheduleRule, zone: tzinfo, after: datetime) -> datetime | None:
    """Return the first moment after `after` when the rule is due, in UTC; None if there is none."""
    return next(iterate_occurrences(rule, zone, after), None)


def next_occurrences(rule: ScheduleRule, zone: tzinfo, after: datetime, most: int) -> list[datetime]:
    return list(islice(iterate_occurrences(rule, zone, after), most))


def occurrences_until(
    rule: ScheduleRule, zone: tzinfo, after: datetime, until: datetime, most: int
) -> tuple[int, datetime | None]:
    """Return how many moments the rule names after `after` and not after `until`, and the last of them. It looks at no
    more than `most`: then the last is the last that it looked at."""
    count, last = 0, None
    for moment in takewhile(lambda each: each <= until, islice(iterate_occurrences(rule, zone, after), most)):
        count, last = count + 1, moment
    return count, last


def iterate_occurrences(rule: ScheduleRule, zone: tzinfo, after: datetime) -> Iterator[datetime]:
    """Yield each moment after `after`, in order, in UTC."""
    if rule.once is not None:
        if rule.once > after:
            yield rule.once.astimezone(UTC)
        return
    # Where the clock jumps back, it shows times again that were due before. So begin earlier, and leave those out.
    last = after
    try:
        for local in repetition(rule, zone, after):
            moment = moment_of_local_time(local, zone)
            if moment > last:  # several times that do not exist may mean one moment
                last = moment
                yield moment
    except OverflowError:
        return  # the end of the calendar


def repetition(rule: ScheduleRule, zone: tzinfo, after: datetime) -> Iterator[datetime]:
    begin = max(local_time(after, zone) - LONGEST_JUMP, rule.start)
    return parse_rrule(rule.repeat, shift_start(rule, begin)).xafter(begin, inc=True)


def shift_start(rule: ScheduleRule, begin: datetime) -> datetime:
    """Return a start that names the same times from `begin` on, so that no years have to be counted through."""
    parts = dict(part.split("=") for part in rule.repeat.split(";"))
    period = PERIODS.get(parts["FREQ"])
    if period is None or "COUNT" in parts:
        return rule.start
    step = period * int(parts.get("INTERVAL", "1"))
    return rule.start + max(0, (begin - rule.start) // step - 1) * step


def parse_rrule(repeat: str, start: datetime) -> "rrule":
    from dateutil.rrule import rrule, rrulestr

    parsed = rrulestr(repeat, dtstart=start)
    assert isinstance(parsed, rrule)
    return parsed
