"""The scheduler over simulated time: each time comes once, or is told; and conditions cost no request."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.schedules.rules import ScheduleRule
from tests.schedules.scheduled_years import ScheduledYears, first_of_year, live_through


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


async def test_without_schedules_nothing_is_due(tmp_path: Path) -> None:
    years = ScheduledYears(tmp_path, first_of_year(2026))
    async with years.open():
        assert await years.look() is None
