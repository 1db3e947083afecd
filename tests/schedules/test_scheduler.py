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


async def test_thirty_days_of_false_conditions_ask_the_model_nothing(tmp_path: Path) -> None:
    years = ScheduledYears(tmp_path, first_of_year(2026))
    async with years.open():
        for number in range(100):
            rule = ScheduleRule(start=datetime(2026, 1, 1, 8), repeat="FREQ=DAILY;INTERVAL=2")
            condition = {"kind": "window", "what": "22:00-06:00"}
            await years.add(rule, "UTC", is_reminder=False, condition=condition, text=f"look {number}")
        looks = 0
        next_at = await years.look()
        while next_at and next_at < first_of_year(2026) + timedelta(days=30):
            years.now = next_at
            next_at = await years.look()
            looks += 1
        found = await years.store.read(
            lambda db: (
                db.fetch_number("SELECT count(*) FROM inbox"),
                db.fetch_number("SELECT count(*) FROM requests"),
                db.fetch_number("SELECT count(*) FROM schedules WHERE last_at LIKE '2026-01-29%'"),
            )
        )
    assert (looks, found) == (15, (0, 0, 100))


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
