"""Schedules when the day's money of their chat is used up: they wait for the next day, and that is no failure."""

from datetime import timedelta
from functools import partial

from bot.core.messages import OutboundKind
from bot.core.prices import Usage
from bot.core.texts import people_schedules, reasons
from tests.support.fakes import reply, uses
from tests.support.schedule_bot import ScheduleBot

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
REPLY = OutboundKind.REPLY


async def test_without_money_in_the_chat_a_schedule_waits_for_the_next_day(bot: ScheduleBot) -> None:
    run = partial(bot.run, chat_day=1_000_000)
    costly = reply({"type": "text", "text": "dear"}, usage=Usage(input=2_000_000, output=0))
    async with run():
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY"}))
        bot.bench.model.says("lead", costly)
        bot.bench.chat.hears("go on", sent_at=bot.now)
        assert await bot.bench.chat.said(REPLY) == "dear"
    reason = reasons.NO_MONEY["chat"](time_zone="UTC")
    async with run(after=HOUR):
        said = people_schedules.NO_MONEY_TODAY(number=1, reason=reason, beginning="look")
        assert await bot.bench.chat.said() == said
        assert await bot.hears("/schedules run 1") == people_schedules.NO_MONEY_NOW(reason=reason, text="look")
    for _ in range(5):
        async with run(after=HOUR):
            await bot.until(lambda: len(bot.outcomes()) > 1)
    assert bot.bench.select("state, failures", "schedules") == [("active", 0)]
    bot.bench.model.says("lead", "looked")
    async with run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "looked"


async def test_if_the_days_money_runs_out_in_a_run_that_is_no_failure(bot: ScheduleBot) -> None:
    run = partial(bot.run, chat_day=150_000)
    async with run():
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY", "tools": ["read"]}))
    costly = reply(uses("read"), usage=Usage(input=29_000, output=0))
    bot.bench.model.says("lead", costly, "no more")
    async with run(after=HOUR):
        await bot.until(bot.runs_that_ended)
    assert bot.bench.select("status", "turns", "schedule != 0") == [("budget",)]
    assert bot.bench.select("failures", "schedules") == [(0,)]
    assert bot.outcomes()[-1][2] == "day's budget used"
