"""The operator sets another time zone, or a country changes its clock: schedules follow it from the next start on."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from bot.core.texts import people_schedules
from tests.support.schedule_bot import FIRST_DAY, ScheduleBot

BERLIN, PHOENIX = ZoneInfo("Europe/Berlin"), ZoneInfo("America/Phoenix")
AT_EIGHT = {"text": "tea", "repeat": "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"}
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
AT_EIGHT_IN_PHOENIX = FIRST_DAY + timedelta(hours=8)  # it is eight in Berlin


async def next_times(bot: ScheduleBot) -> list[str]:
    return [next_at for (next_at,) in bot.bench.select("next_at", "schedules", order="number")]


async def test_repetitions_follow_the_clock_and_single_moments_stay(bot: ScheduleBot) -> None:
    async with bot.run(operator_time_zone=BERLIN):
        await bot.calls(("remind_me", AT_EIGHT), ("remind_me", {"text": "bus", "when": "P1D"}))
        await bot.hears("/timezone Europe/Berlin", by="Bob", chat="bob")
        await bot.calls(("remind_me", AT_EIGHT), by="Bob", chat="bob")
    assert await next_times(bot) == [(FIRST_DAY + DAY).isoformat()] * 3
    async with bot.run(after=MINUTE, operator_time_zone=PHOENIX):
        await bot.hears("/schedules")
    assert await next_times(bot) == [AT_EIGHT_IN_PHOENIX.isoformat(), *[(FIRST_DAY + DAY).isoformat()] * 2]


async def test_what_was_due_on_the_old_clock_still_comes(bot: ScheduleBot) -> None:
    async with bot.run(operator_time_zone=BERLIN):
        await bot.calls(("remind_me", AT_EIGHT))
    async with bot.run(after=DAY + timedelta(hours=1), operator_time_zone=PHOENIX):
        said = await bot.bench.chat.said()
    due = (FIRST_DAY + DAY).astimezone(PHOENIX)
    assert said == people_schedules.LATE_REMINDER(text="tea", time=due)
    assert await next_times(bot) == [(AT_EIGHT_IN_PHOENIX + DAY).isoformat()]
