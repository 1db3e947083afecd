"""The scheduler over simulated time: each time comes once, or is told; and conditions cost no request."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.core.prices import Micros
from bot.schedules.rules import ScheduleRule
from tests.schedules.scheduled_years import ScheduledYears, first_of_year, live_through
from tests.support.stores import dying


async def test_each_time_comes_once_or_is_told_under_restarts_and_jumps(tmp_path: Path) -> None:
    begin = datetime(2026, 3, 1, tzinfo=UTC)  # clocks jump in this time
    assert await live_through(tmp_path, begin, begin + timedelta(days=45), random.Random(1)) == []


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("is_reminder", [False, True])
async def test_a_death_at_the_commit_of_a_time_brings_it_once(
    *, is_written: bool, is_reminder: bool, tmp_path: Path
) -> None:
    years = ScheduledYears(tmp_path, first_of_year(2026))
    rule = ScheduleRule(once=first_of_year(2026) + timedelta(hours=1))
    async with years.open():
        await years.add(rule, "UTC", is_reminder=is_reminder, run_micros=Micros(10**6), day_micros=Micros(10**6))
    years.now += timedelta(hours=1)
    with pytest.raises(ExceptionGroup):
        async with years.open(dying(1, is_written=is_written)):
            await years.look()
    async with years.open():
        await years.look()
        found = await years.store.read(
            lambda db: [
                db.fetch_number(f"SELECT count(*) FROM {table} WHERE key LIKE 'schedule:%'")
                for table in ("outbox", "inbox")
            ]
        )
    assert found == ([1, 0] if is_reminder else [0, 1])


async def test_without_schedules_nothing_is_due(tmp_path: Path) -> None:
    years = ScheduledYears(tmp_path, first_of_year(2026))
    async with years.open():
        assert await years.look() is None
