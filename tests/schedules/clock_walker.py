"""An oracle for schedules, written differently: it walks through time, and looks at a clock on the wall.

The calculator turns a time on the clock into a moment. The walker never does that: it asks what the clock of a zone
shows at a moment, minute by minute around each jump of the clock, and notes the first moment at which the clock shows a
wanted time or has passed it. A wanted time that it has noted is never noted again, also when the clock is set back.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
AROUND_A_JUMP = timedelta(hours=27)  # a clock jumps by a day at most


def clock(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def find_jumps(zone: tzinfo, begin: datetime, end: datetime) -> list[datetime]:
    """Return the hours within which the clock of the zone jumps. `begin` is a full hour in UTC."""
    found, moment, offset = [], begin, begin.astimezone(zone).utcoffset()
    step = timedelta(hours=12)  # no zone jumps and jumps back within twelve hours
    while moment < end:
        following = moment + step
        if (new := following.astimezone(zone).utcoffset()) != offset:
            hour, before = moment, offset
            while (now := (hour + HOUR).astimezone(zone).utcoffset()) == before:
                hour += HOUR
            found.append(hour)
            if now != new:  # the odd zone that does
                found += find_jumps(zone, hour + HOUR, following)
        moment, offset = following, new
    return found


def walk(zone: tzinfo, begin: datetime, end: datetime, wanted: Sequence[datetime]) -> Iterator[datetime]:
    """Yield the moments at which the times come, which are in order and in full minutes, each moment once."""
    left = list(reversed(wanted))
    moment = begin
    last = None
    while moment < end:
        shown = clock(moment, zone)
        while left and left[-1] <= shown:
            left.pop()
            if moment != last:
                last = moment
                yield moment
        moment += MINUTE


def moments_around_jump(zone: tzinfo, jump: datetime, times_of_day: Sequence[timedelta]) -> list[datetime]:
    """Return when each time of day comes in the days around a jump, as the walker sees it."""
    begin, end = jump - AROUND_A_JUMP, jump + AROUND_A_JUMP
    first = min(clock(begin, zone), clock(end, zone))
    day = datetime(first.year, first.month, first.day)
    times = sorted(day + timedelta(days=number) + each for number in range(5) for each in times_of_day)
    return list(walk(zone, begin, end, [each for each in times if each > clock(begin - MINUTE, zone)]))


def begin_of_year(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)
