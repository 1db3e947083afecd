"""Read a time or a repetition as the model writes it, and refuse what cannot be or would be due too often."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice, pairwise

from bot.schedules import texts
from bot.schedules.local_times import local_time, moment_of_local_time
from bot.schedules.rules import ScheduleRule, next_occurrences, parse_rrule

MOST_YEARS_AHEAD = 10  # a leap day may be eight years away
MAX_RULE_CHARACTERS = 500
MAX_INTERVAL = 1_000
MAX_COUNT = 1_000
FREQUENCIES = ("MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
FREQUENCIES_WITH_POSITIONS = FREQUENCIES[3:]
PARTS = (
    "FREQ",
    "INTERVAL",
    "COUNT",
    "UNTIL",
    "BYMONTH",
    "BYMONTHDAY",
    "BYDAY",
    "BYHOUR",
    "BYMINUTE",
    "BYSETPOS",
    "WKST",
)
OCCURRENCES_CHECKED = 200  # for the shortest time between two
DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.IGNORECASE)
PLAIN_DURATION = re.compile(r"(?:in\s+)?(\d+)\s*(minutes?|mins?|hours?|days?|weeks?)", re.IGNORECASE)
MAX_DURATION_DIGITS = 7
# The least and the most that a number of these parts may be, without its sign
RANGES = {
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (1, 31),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSETPOS": (1, 366),
}
PARTS_WITH_SIGN = ("BYMONTHDAY", "BYSETPOS")
DAYS_OF_PERIOD = {"WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
WEEKS_OF_PERIOD = {"WEEKLY": 1, "MONTHLY": 5, "YEARLY": 53}
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
SHOWN_TIME = "%a %Y-%m-%d %H:%M"


class WrongRule(ValueError):
    """A time or a repetition that cannot be. The message is for the model that wrote it."""


def parse_when(given: str, zone: tzinfo, now: datetime) -> datetime:
    """Return the moment that the text means: a time on the clock of the zone, or a duration from now. Hours are counted
    in real time; days keep the time of day."""
    given = given.strip()
    moment = parse_duration(given, zone, now)
    if moment is None:
        try:
            time = datetime.fromisoformat(given)
            is_local = time.tzinfo is None
            moment = moment_of_local_time(time.replace(fold=0), zone) if is_local else time.astimezone(UTC)
        except (ValueError, OverflowError):
            raise WrongRule(texts.NOT_A_TIME(given=given)) from None
    moment = moment.replace(microsecond=0)
    try:
        shown, shown_now = (f"{local_time(each, zone):{SHOWN_TIME}}" for each in (moment, now))
    except OverflowError:  # the zone has no such day
        raise WrongRule(texts.NOT_A_TIME(given=given)) from None
    if moment <= now - timedelta(minutes=1):
        raise WrongRule(texts.TIME_IS_PAST(time=shown, now=shown_now))
    if moment > now + timedelta(days=366 * MOST_YEARS_AHEAD):
        raise WrongRule(texts.TIME_IS_TOO_FAR(MOST_YEARS_AHEAD, time=shown))
    return moment


def parse_duration(given: str, zone: tzinfo, now: datetime) -> datetime | None:
    """Return the moment after a duration, None if the text is none. Raise WrongRule if it is too long."""
    weeks = days = hours = minutes = seconds = 0
    if any(len(digits) > MAX_DURATION_DIGITS for digits in re.findall(r"\d+", given)):
        raise WrongRule(texts.NOT_A_TIME(given=given))
    if plain := PLAIN_DURATION.fullmatch(given):
        unit = plain[2][0].lower()
        number = int(plain[1])
        weeks, days, hours, minutes = (number if unit == each else 0 for each in "wdhm")
    elif (iso := DURATION.fullmatch(given)) and any(iso.groups()):
        weeks, days, hours, minutes, seconds = (int(each or 0) for each in iso.groups())
    else:
        return None
    try:
        on_day = now
        if weeks or days:
            on_day = moment_of_local_time(local_time(now, zone) + timedelta(weeks=weeks, days=days), zone)
        return on_day.astimezone(UTC) + timedelta(hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        raise WrongRule(texts.TIME_IS_TOO_FAR(MOST_YEARS_AHEAD, time=given)) from None


def parse_repetition(
    given: str, start: datetime, zone: tzinfo, now: datetime, *, shortest_minutes: int, is_start_named: bool = True
) -> ScheduleRule:
    """Return the rule. `start` is a time on the clock of the zone. If nobody has named it, its minute means nothing: a
    rule that names only hours is due on the hour. Raise WrongRule if the rule is wrong, or due too often."""
    parts = read_parts(given)
    if "BYHOUR" in parts and not is_start_named:
        parts.setdefault("BYMINUTE", "0")
    if "UNTIL" in parts:
        parts["UNTIL"] = normalise_until(given, parts["UNTIL"], zone)
    repeat = ";".join(f"{part}={parts[part]}" for part in PARTS if part in parts)
    start = start.replace(second=0, microsecond=0)
    rule = ScheduleRule(start=start, repeat=repeat)
    try:
        parsed = parse_rrule(repeat, start)
    except (ValueError, TypeError, OverflowError, AssertionError, IndexError, KeyError) as error:
        raise WrongRule(texts.NOT_A_RULE(given=given, reason=error)) from None
    if not may_name_a_position(parts) or not may_name_a_day(parts, start, now.astimezone(UTC).replace(tzinfo=None)):
        raise WrongRule(texts.NEVER(MOST_YEARS_AHEAD))
    try:
        following = next_occurrences(rule, zone, now, 1)
        times = list(islice(parsed, OCCURRENCES_CHECKED))
    except TypeError:  # the library's way to say that no hour or minute fits the interval
        following = []
    if not following or following[0] > now + timedelta(days=366 * MOST_YEARS_AHEAD):
        raise WrongRule(texts.NEVER(MOST_YEARS_AHEAD))
    shortest = min((later - earlier for earlier, later in pairwise(times)), default=timedelta.max)
    if shortest < timedelta(minutes=shortest_minutes):
        minutes = shortest.total_seconds() / 60
        raise WrongRule(texts.TOO_OFTEN(minutes=minutes, shortest=shortest_minutes))
    return rule


def read_parts(given: str) -> dict[str, str]:
    """Return the parts of an RRULE by name. Raise WrongRule for those that are not allowed."""

    def wrong(reason: str) -> WrongRule:
        return WrongRule(texts.NOT_A_RULE(given=given, reason=reason))

    if len(given) > MAX_RULE_CHARACTERS:
        raise WrongRule(texts.RULE_TOO_LONG(most=MAX_RULE_CHARACTERS))
    parts: dict[str, str] = {}
    for part in given.strip().upper().removeprefix("RRULE:").strip(";").split(";"):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in PARTS:
            raise wrong(texts.PART_NOT_ALLOWED(part=name or given, allowed=", ".join(PARTS)))
        if name in parts:
            raise wrong(texts.PART_TWICE(part=name))
        if not value or not value.isascii() or "=" in value:
            raise wrong(texts.PART_WITHOUT_VALUE(part=name))
        parts[name] = value.replace(" ", "")
    if "FREQ" not in parts:
        raise wrong(texts.PART_MISSING)
    if parts["FREQ"] not in FREQUENCIES:
        raise wrong(texts.FREQUENCY_NOT_ALLOWED(given=parts["FREQ"], allowed=", ".join(FREQUENCIES)))
    for name, most in (("INTERVAL", MAX_INTERVAL), ("COUNT", MAX_COUNT)):
        value = parts.get(name, "1")
        if not value.isdigit() or len(value) > len(str(most)) or not 1 <= int(value) <= most:
            raise wrong(texts.NUMBER_OUT_OF_RANGE(part=name, most=most))
    for name in parts.keys() & RANGES.keys():
        least, most = RANGES[name]
        for number in parts[name].split(","):
            digits = number.lstrip("+-") if name in PARTS_WITH_SIGN else number
            if not digits.isdigit() or len(digits) > 3 or not least <= int(digits) <= most:
                raise wrong(texts.NUMBERS_OUT_OF_RANGE(part=name, least=least, most=most))
    if "BYSETPOS" in parts and parts["FREQ"] not in FREQUENCIES_WITH_POSITIONS:
        raise wrong(texts.POSITION_WITHOUT_DAYS)  # the library would search for a position up to the year 9999
    days = parts["BYDAY"].split(",") if "BYDAY" in parts else []
    weeks = [each[:-2].lstrip("+-") for each in days if each[:-2]]
    if weeks and parts["FREQ"] not in ("MONTHLY", "YEARLY"):
        raise wrong(texts.NUMBERED_DAYS_WITHOUT_MONTH)
    most = WEEKS_OF_PERIOD["MONTHLY" if "BYMONTH" in parts else parts["FREQ"]] if weeks else 0
    if any(not each.isdigit() or len(each) > 2 or not 1 <= int(each) <= most for each in weeks):
        raise wrong(texts.WEEK_OUT_OF_RANGE(most=most))
    if weeks and len(weeks) < len(days):  # for the library a day would have to be both
        raise wrong(texts.NUMBERED_AND_PLAIN_DAYS)
    return parts


def normalise_until(given: str, until: str, zone: tzinfo) -> str:
    """Return UNTIL as a time on the clock of the zone. A date counts to its end."""
    for form in ("%Y%m%d", "%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S"):
        try:
            time = datetime.strptime(until, form)
            if form.endswith("Z"):
                time = local_time(time.replace(tzinfo=UTC), zone)
        except (ValueError, OverflowError):
            continue
        return f"{time:%Y%m%d}T235959" if form == "%Y%m%d" else f"{time:%Y%m%dT%H%M%S}"
    raise WrongRule(texts.NOT_A_RULE(given=given, reason=texts.UNTIL_WRONG))


def may_name_a_position(parts: dict[str, str]) -> bool:
    """Return True if a period may have as many times as one of the rule's positions says. The library would search for
    such a period until the year 9999."""
    if "BYSETPOS" not in parts:
        return True
    frequency = parts["FREQ"]
    months = len(parts["BYMONTH"].split(",")) if frequency == "YEARLY" and "BYMONTH" in parts else 1
    days = DAYS_OF_PERIOD["MONTHLY" if "BYMONTH" in parts else frequency] * months
    if "BYMONTHDAY" in parts:
        days_of_month = len(parts["BYMONTHDAY"].split(","))
        days = min(days, days_of_month * (months if "BYMONTH" in parts or frequency != "YEARLY" else 12))
    if "BYDAY" in parts:
        weeks = WEEKS_OF_PERIOD["MONTHLY" if "BYMONTH" in parts else frequency] * months
        days = min(days, sum(months if each[:-2] else weeks for each in parts["BYDAY"].split(",")))
    elif "BYMONTHDAY" not in parts:  # the day on which it begins
        days = months
    times = days * len(parts.get("BYHOUR", "").split(",")) * len(parts.get("BYMINUTE", "").split(","))
    return any(abs(int(position)) <= times for position in parts["BYSETPOS"].split(","))


def may_name_a_day(parts: dict[str, str], start: datetime, now: datetime) -> bool:
    """Return True if any day of the next years fits the rule's months and days. The library would search for such a day
    until the year 9999."""
    months = {int(each) for each in parts.get("BYMONTH", "").split(",") if each}
    days_of_month = {int(each) for each in parts.get("BYMONTHDAY", "").split(",") if each}
    weekdays = {WEEKDAYS.index(each[-2:]) for each in parts.get("BYDAY", "").split(",") if each}
    if not months and not days_of_month:
        return True
    first = max(start, now).date()
    for number in range(366 * MOST_YEARS_AHEAD):
        day = first + timedelta(days=number)
        is_in_month = not months or day.month in months
        of_month = {day.day, day.day - days_in_month(day) - 1}
        if (
            is_in_month
            and (not days_of_month or of_month & days_of_month)
            and (not weekdays or day.weekday() in weekdays)
        ):
            return True
    return False


def days_in_month(day: date) -> int:
    return ((day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)).day
