"""Whether a time or a repetition is what a person's words say.

The value is taken apart into facts: a day, a time of the day, a repetition. Each must be supported by the words. A
value that says more than the words do is not theirs.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta

from bot.core.request_reading.lexicon import Lexicon, all_built_in_lexicons
from bot.core.request_reading.time_words import ALL_DAYS, Clock, TimeFacts, add_months, read_times
from bot.core.request_reading.values import numbers_in, stands_in

ISO_DURATION_PATTERN = re.compile(
    r"P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?",
    re.IGNORECASE,
)
PLAIN_DURATION_PATTERN = re.compile(r"(?:in\s+)?(\d{1,6})\s*(minutes?|mins?|hours?|days?|weeks?)", re.IGNORECASE)
CLOCK_PATTERN = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::00)?")
TOLERANCE = timedelta(minutes=2)  # between the person's message and the model's call
WAKING_HOURS = range(7, 22)  # a model may choose a full hour of these where only a day is named
WHOLE_DAY = (time(0, 0), time(23, 59))
DAY = 24 * 60  # minutes
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
UNIT_BY_FREQUENCY = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
KNOWN_PARTS = "FREQ INTERVAL COUNT UNTIL BYMONTH BYMONTHDAY BYDAY BYHOUR BYMINUTE BYSECOND BYSETPOS WKST"


def names_time(value: str, words: str, now: datetime, lexicons: Sequence[Lexicon] | None = None) -> bool:
    """Return True if a time, a duration or an RRULE is what the words say. `now` is the time on the person's clock when
    they wrote."""
    known = all_built_in_lexicons() if lexicons is None else lexicons
    written = value.strip()
    if not written:
        return False
    facts = read_times(words, now.date(), tuple(known))
    if "FREQ=" in written.upper():
        return is_repetition_named(written, facts, now, frozenset(map(int, numbers_in(words, known))))
    if (duration := read_duration(written, now)) is not None:
        return is_duration_named(written, facts) or is_moment_named(duration, facts, now)
    if clock := CLOCK_PATTERN.fullmatch(written):
        return is_clock_named(time(int(clock[1]), int(clock[2])), facts, None)
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return stands_in(written, words, lexicons=known)
    if moment.tzinfo is not None and now.tzinfo is not None:
        moment = moment.astimezone(now.tzinfo)
    if len(written) <= len("2026-12-05"):
        return is_day_named(moment.date(), facts, now)
    return is_moment_named(moment.replace(tzinfo=now.tzinfo), facts, now)


def read_duration(written: str, now: datetime) -> datetime | None:
    """Return the moment after a duration; None if the text is none."""
    try:
        if plain := PLAIN_DURATION_PATTERN.fullmatch(written):
            unit = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}[plain[2][0].lower()]
            return now + timedelta(**{unit: int(plain[1])})
        if (iso := ISO_DURATION_PATTERN.fullmatch(written)) and any(iso.groups()):
            years, months, weeks, days, hours, minutes, seconds = (int(each or 0) for each in iso.groups())
            day = add_months(now.date(), 12 * years + months)
            return (
                now
                + (day - now.date())
                + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
            )
    except (OverflowError, ValueError):
        return None
    return None


def is_duration_named(written: str, facts: TimeFacts) -> bool:
    start = datetime(2026, 1, 1)
    after = read_duration(written, start)
    assert after is not None
    minutes, rest = divmod((after - start).total_seconds(), 60)
    if rest:
        return False
    days = minutes / (24 * 60)
    return minutes in facts.minutes or days in facts.spans_of_days


def is_moment_named(moment: datetime, facts: TimeFacts, now: datetime) -> bool:
    if any(abs(moment - now - timedelta(minutes=each)) <= TOLERANCE for each in facts.minutes):
        return True
    day = moment.date()
    after_days = {now.date() + timedelta(days=each) for each in facts.spans_of_days}
    after_days |= {add_months(now.date(), each) for each in facts.spans_of_months}
    if day in after_days:
        same_time = abs(moment - datetime.combine(day, now.timetz())) <= TOLERANCE
        return same_time or is_clock_named(moment.time(), facts, day)
    if not is_clock_named(moment.time(), facts, day if facts.days else None):
        return False
    return is_day_named(day, facts, now, moment)


def is_clock_named(clock: time, facts: TimeFacts, day: date | None) -> bool:
    """Return True if the words say this time of the day. If they name a `day` and no time, a full hour of the day will
    do, and the whole day: somebody has to choose it."""
    if clock.second or clock.microsecond:
        return False
    if facts.clocks:
        return (clock.hour, clock.minute) in facts.clocks | ends_of(facts)
    if facts.parts:
        return clock.minute in (0, 30) and any(begin <= clock.hour < end for begin, end in facts.parts)
    return day is not None and (clock in WHOLE_DAY or (clock.minute == 0 and clock.hour in WAKING_HOURS))


def ends_of(facts: TimeFacts) -> set[Clock]:
    """Return when something ends that begins at a named time and has a named duration: “at 10 for two hours”."""
    ends = {(hour * 60 + minute + duration) % DAY for hour, minute in facts.clocks for duration in facts.minutes}
    return {divmod(each, 60) for each in ends}


def is_day_named(day: date, facts: TimeFacts, now: datetime, moment: datetime | None = None) -> bool:
    """Return True if the words say this day. If they name none, it is the next on which the `moment` comes."""
    spans = {now.date() + timedelta(days=each) for each in facts.spans_of_days}
    if facts.days or spans:
        return day in facts.days | spans or (now.hour < 4 and day + timedelta(days=1) in facts.days)
    if facts.repeated_days:  # the start of a repetition
        return day.weekday() in facts.repeated_days and timedelta(0) <= day - now.date() < timedelta(days=8)
    return moment is not None and now - TOLERANCE <= moment <= now + timedelta(days=1)


def is_repetition_named(written: str, facts: TimeFacts, now: datetime, numbers: frozenset[int]) -> bool:
    given = written.strip().upper().removeprefix("RRULE:").strip(";").split(";")
    parts = {
        name.strip(): value.strip() for name, is_there, value in (each.partition("=") for each in given) if is_there
    }
    if not parts.keys() <= {*KNOWN_PARTS.split()} or parts.get("BYSECOND", "0") != "0":
        return False
    try:
        return (
            is_frequency_named(parts, facts)
            and are_times_named(parts, facts)
            and is_end_named(parts, facts, now, numbers)
        )
    except ValueError:
        return False


def is_frequency_named(parts: Mapping[str, str], facts: TimeFacts) -> bool:
    unit = UNIT_BY_FREQUENCY.get(parts["FREQ"]) if "FREQ" in parts else None
    interval = int(parts.get("INTERVAL", "1"))
    if unit is None:
        return False
    positions = {int(number) for number in (each[:-2] for each in split(parts, "BYDAY")) if number}
    positions |= set(map(int, split(parts, "BYSETPOS")))
    days = {WEEKDAYS.index(each[-2:]) for each in split(parts, "BYDAY")}
    days_of_month = set(map(int, split(parts, "BYMONTHDAY")))
    months = set(map(int, split(parts, "BYMONTH")))
    if not positions <= facts.ordinals or not days_of_month <= facts.days_of_month or not months <= facts.months:
        return False
    known_days = facts.repeated_days | facts.weekdays
    if unit in ("day", "week") and not days_of_month and not months:
        return are_weekly_days_named(unit, interval, days, known_days, facts)
    if days and days != ALL_DAYS and not days <= known_days:
        return False
    return (unit, interval) in facts.repeats or (unit == "month" and ("month", interval) in facts.repeats)


def are_weekly_days_named(unit: str, interval: int, days: set[int], known: set[int], facts: TimeFacts) -> bool:
    """Return True if the words say on which days of each week. “Each weekday” can be daily or weekly, but not daily
    without its days."""
    if interval != 1:
        is_two_weeks = unit == "day" and interval % 7 == 0 and ("week", interval // 7) in facts.repeats
        return (days <= known) and (is_two_weeks or (unit, interval) in facts.repeats)
    due = days or (set(ALL_DAYS) if unit == "day" else set())
    if due == ALL_DAYS:
        return ("day", 1) in facts.repeats or facts.repeated_days == ALL_DAYS
    if facts.repeated_days:
        return due <= facts.repeated_days
    return ("week", 1) in facts.repeats and due <= known


def are_times_named(parts: Mapping[str, str], facts: TimeFacts) -> bool:
    hours = [int(each) for each in split(parts, "BYHOUR")]
    minutes = [int(each) for each in split(parts, "BYMINUTE")] or [0]
    if not hours:
        return minutes == [0] or all(any(minute == at for _, at in facts.clocks) for minute in minutes)
    return all(is_clock_named(time(hour, minute), facts, date.min) for hour in hours for minute in minutes)


def is_end_named(parts: Mapping[str, str], facts: TimeFacts, now: datetime, numbers: frozenset[int]) -> bool:
    if "COUNT" in parts and not {int(parts["COUNT"])} <= facts.counts | numbers | facts.spans_of_days:
        return False
    if "UNTIL" not in parts:
        return True
    until = datetime.strptime(parts["UNTIL"][:8], "%Y%m%d").date()
    return is_day_named(until, facts, now)


def split(parts: Mapping[str, str], name: str) -> Iterable[str]:
    return [each for each in parts.get(name, "").split(",") if each]
