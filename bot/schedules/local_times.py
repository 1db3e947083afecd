"""Times on the clock of a time zone, and the moments that they mean.

When the clock jumps forward, some times do not exist: each of them means the first moment after the jump. When it jumps
back, some times exist twice: each of them means the first. So every time on a clock means one moment, and of two times
the later never means the earlier moment.
"""

from datetime import UTC, datetime, timedelta, tzinfo

SECOND = timedelta(seconds=1)


def moment_of_local_time(local: datetime, zone: tzinfo) -> datetime:
    """Return the moment, in UTC, that a time without a zone means in this zone."""
    first, second = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if second >= first:
        return first  # it exists, once or twice
    return first_moment_after_jump(local, zone, second, first)


def first_moment_after_jump(local: datetime, zone: tzinfo, before: datetime, after: datetime) -> datetime:
    """Return the first moment between the two when the clock of the zone shows a later time."""
    while after - before > SECOND:
        middle = before + (after - before) // 2
        middle -= timedelta(microseconds=middle.microsecond)
        if middle.astimezone(zone).replace(tzinfo=None) > local:
            after = middle
        else:
            before = max(middle, before + SECOND)
    return after


def local_time(moment: datetime, zone: tzinfo) -> datetime:
    """Return what the clock of the zone shows at that moment, without a zone."""
    return moment.astimezone(zone).replace(tzinfo=None)
