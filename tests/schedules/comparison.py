"""The calculator of schedules beside the walker: python -m tests.schedules 2019 2037 compares them in all zones."""

import zoneinfo
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.schedules.rules import ScheduleRule, iterate_occurrences
from tests.schedules.clock_walker import AROUND_A_JUMP, MINUTE, begin_of_year, find_jumps, moments_around_jump

TIMES_OF_DAY = [timedelta(minutes=minutes) for minutes in (0, 30, 59, 60, 90, 120, 121, 135, 150, 179, 180, 480, 1439)]


def daily_rule(times: Sequence[timedelta], since: datetime) -> list[ScheduleRule]:
    """Return a rule for each time of day."""
    day = datetime(since.year, since.month, since.day) - timedelta(days=3)
    return [ScheduleRule(start=day + time, repeat="FREQ=DAILY") for time in times]


def calculated_moments(zone: ZoneInfo, jump: datetime) -> list[datetime]:
    begin, end = jump - AROUND_A_JUMP, jump + AROUND_A_JUMP
    found = set()
    for rule in daily_rule(TIMES_OF_DAY, begin):
        for moment in iterate_occurrences(rule, zone, begin - MINUTE):
            if moment >= end:
                break
            found.add(moment)
    return sorted(found)


def differences(name: str, first_year: int, last_year: int) -> Iterator[str]:
    """Yield each jump of a zone around which the two do not agree."""
    zone = ZoneInfo(name)
    for jump in find_jumps(zone, begin_of_year(first_year), begin_of_year(last_year + 1)):
        walked, calculated = moments_around_jump(zone, jump, TIMES_OF_DAY), calculated_moments(zone, jump)
        if walked != calculated:
            only = sorted(set(walked) ^ set(calculated))
            yield f"{name} at {jump:%Y-%m-%d %H:%M}: {[f'{each:%m-%d %H:%M}' for each in only]}"


def distinct_zones(year: int) -> list[str]:
    """Return the zones with jumps, one of those that have the same clock."""
    by_clock = {}
    for name in sorted(zoneinfo.available_timezones()):
        zone = ZoneInfo(name)
        if jumps := find_jumps(zone, begin_of_year(year - 5), begin_of_year(year + 5)):
            by_clock[tuple((jump, jump.astimezone(zone).utcoffset()) for jump in jumps)] = name
    return sorted(by_clock.values())
