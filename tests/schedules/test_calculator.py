"""When schedules are due, on the clock of a person's zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.schedules.parsing import WrongRule, parse_repetition, parse_when
from bot.schedules.rules import ScheduleRule, next_occurrence, next_occurrences, occurrences_until
from tests.schedules.comparison import differences

BERLIN, APIA = ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Apia")
NOW = datetime(2026, 11, 28, 2, 30, tzinfo=UTC)  # Saturday, 3:30 in Berlin


def due(repeat: str, start: str, after: str, zone: ZoneInfo = BERLIN, most: int = 3) -> list[str]:
    """Return the next times in UTC."""
    rule = ScheduleRule(start=datetime.fromisoformat(start), repeat=repeat)
    found = next_occurrences(rule, zone, datetime.fromisoformat(after).replace(tzinfo=UTC), most)
    return [f"{each:%m-%d %H:%M}" for each in found]


def test_a_daily_time_keeps_its_place_on_the_clock() -> None:
    assert due("FREQ=DAILY", "2026-10-01 08:00", "2026-10-24") == ["10-24 06:00", "10-25 07:00", "10-26 07:00"]


def test_a_time_that_the_clock_leaves_out_comes_when_it_has_jumped() -> None:
    assert due("FREQ=DAILY", "2026-03-01 02:30", "2026-03-28") == ["03-28 01:30", "03-29 01:00", "03-30 00:30"]


def test_a_time_that_the_clock_shows_twice_comes_once() -> None:
    assert due("FREQ=DAILY", "2026-10-01 02:30", "2026-10-24 12:00") == ["10-25 00:30", "10-26 01:30", "10-27 01:30"]


def test_between_two_showings_of_a_time_the_next_day_is_next() -> None:
    assert due("FREQ=DAILY", "2026-10-01 02:30", "2026-10-25 00:30", most=1) == ["10-26 01:30"]


def test_times_that_are_left_out_together_come_once() -> None:
    assert due("FREQ=HOURLY", "2026-03-01 00:30", "2026-03-29 00:00") == ["03-29 00:30", "03-29 01:00", "03-29 01:30"]


def test_where_a_whole_day_is_left_out_its_time_comes_at_its_end() -> None:
    found = due("FREQ=DAILY", "2011-12-01 08:00", "2011-12-29 12:00", APIA)
    assert found == ["12-29 18:00", "12-30 10:00", "12-30 18:00"]  # the clock went from the 29th to the 31st


def test_leap_days_come_in_leap_years() -> None:
    rule = ScheduleRule(start=datetime(2026, 1, 1, 8), repeat="FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29")
    assert [each.year for each in next_occurrences(rule, BERLIN, NOW, 2)] == [2028, 2032]


def test_a_single_moment_comes_once() -> None:
    rule = ScheduleRule(once=NOW)
    assert next_occurrence(rule, BERLIN, NOW - timedelta(seconds=1)) == NOW
    assert next_occurrence(rule, BERLIN, NOW) is None


def test_what_was_missed_is_counted_up_to_a_number() -> None:
    rule = ScheduleRule(start=datetime(2026, 1, 1, 8), repeat="FREQ=DAILY")
    assert occurrences_until(rule, UTC, NOW, NOW + timedelta(days=3), 100) == (3, datetime(2026, 11, 30, 8, tzinfo=UTC))
    assert occurrences_until(rule, UTC, NOW, NOW + timedelta(days=3), 2)[0] == 2
    assert occurrences_until(rule, UTC, NOW, NOW, 100) == (0, None)


@pytest.mark.parametrize(
    "repeat",
    [
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO;WKST=SU",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO,FR",
        "FREQ=DAILY;INTERVAL=7",
        "FREQ=HOURLY;INTERVAL=5",
        "FREQ=MINUTELY;INTERVAL=95;BYDAY=MO,TU",
        "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR",
        "FREQ=DAILY;COUNT=700",
    ],
)
def test_years_later_a_rule_names_the_same_times_as_if_counted_from_its_start(repeat: str) -> None:
    from dateutil.rrule import rrulestr

    start, years_later = datetime(2023, 1, 5, 8), datetime(2024, 11, 20)
    rule = ScheduleRule(start=start, repeat=repeat)
    found = next_occurrences(rule, UTC, years_later.replace(tzinfo=UTC), 12)
    counted = list(rrulestr(repeat, dtstart=start).xafter(years_later, count=12))
    assert [each.replace(tzinfo=None) for each in found] == counted


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Casablanca", "America/Scoresbysund"]
)
def test_the_calculator_agrees_with_a_clock_on_the_wall(zone: str) -> None:
    assert list(differences(zone, 2023, 2025)) == []


def test_it_agrees_where_a_day_was_left_out() -> None:
    assert list(differences("Pacific/Apia", 2011, 2011)) == []


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-12-01 08:00", "2026-12-01T07:00+00:00"),
        ("2026-12-01T08:00+05:00", "2026-12-01T03:00+00:00"),
        ("2027-03-28 02:30", "2027-03-28T01:00+00:00"),
        ("PT20M", "2026-11-28T02:50+00:00"),
        ("in 20 minutes", "2026-11-28T02:50+00:00"),
        ("P1DT2H", "2026-11-29T04:30+00:00"),
        ("P150D", "2027-04-27T01:30+00:00"),  # in summer: at the same time on the clock
        ("2 weeks", "2026-12-12T02:30+00:00"),
    ],
)
def test_a_time_is_understood(given: str, moment: str) -> None:
    assert parse_when(given, BERLIN, NOW) == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    "given",
    ["", "tomorrow", "P", "PT", "2026-02-30 08:00", "2026-11-28 03:00", "9999-12-31", "P99999999D", "0001-01-01"],
)
def test_a_time_that_cannot_be_is_refused(given: str) -> None:
    with pytest.raises(WrongRule):
        parse_when(given, BERLIN, NOW)


def test_a_time_before_the_calendar_of_a_zone_is_refused() -> None:
    with pytest.raises(WrongRule):
        parse_when("0001-01-01T00:00+00:00", ZoneInfo("America/New_York"), NOW)


@pytest.mark.parametrize(
    ("given", "repeat"),
    [
        ("RRULE:freq=weekly;byday=MO,TU,WE,TH,FR;byhour=8;byminute=0", None),
        ("FREQ=DAILY;UNTIL=20261201", "FREQ=DAILY;UNTIL=20261201T235959"),
        ("FREQ=DAILY;UNTIL=20261201T080000Z", "FREQ=DAILY;UNTIL=20261201T090000"),
        ("FREQ=MINUTELY;INTERVAL=30", "FREQ=MINUTELY;INTERVAL=30"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", None),
        ("FREQ=YEARLY;BYDAY=53MO", None),
        ("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH,-1FR", None),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=8,12,18;BYMINUTE=0,30;BYSETPOS=-42", None),
    ],
)
def test_a_repetition_is_understood(given: str, repeat: str | None) -> None:
    rule = parse_repetition(given, datetime(2026, 11, 28, 3, 30), BERLIN, NOW, shortest_minutes=15)
    assert repeat is None or rule.repeat == repeat
    assert next_occurrence(rule, BERLIN, NOW)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "every day",
        "BYDAY=MO",
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=DAILY;BYHOUR=8;BYMINUTE=0,5",
        "FREQ=DAILY;BYSECOND=1",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=100000000000",
        "FREQ=DAILY;COUNT=1001",
        "FREQ=DAILY;BYHOUR=25",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=DAILY;BYSETPOS=5",
        "FREQ=DAILY;UNTIL=20200101",
        "FREQ=DAILY;UNTIL=soon",
        "FREQ=YEARLY;BYEASTER=1",
        "FREQ=HOURLY;BYMINUTE=-1",
        "FREQ=MONTHLY;BYDAY=53TU,TU",
        "FREQ=YEARLY;BYMONTH=12;BYDAY=6MO",
        "FREQ=YEARLY;BYMONTH=12,1,0;BYDAY=5WE",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=9",
        "FREQ=WEEKLY;BYSETPOS=-297,99",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6",
        "FREQ=MONTHLY;BYSETPOS=0",
        "FREQ=MONTHLY;BYDAY=-1SU,WE",
        "FREQ=DAILY;" + "BYHOUR=" + "1," * 300 + "1",
    ],
)
def test_a_repetition_that_cannot_be_is_refused(given: str) -> None:
    with pytest.raises(WrongRule):
        parse_repetition(given, datetime(2026, 11, 28, 3, 30), BERLIN, NOW, shortest_minutes=15)
