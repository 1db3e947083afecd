"""Runs of schedules: turns with tools and money of their own, which may end without a word."""

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import pytest

from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.prices import Usage
from bot.core.texts import model_schedules as texts
from bot.core.texts import people, people_schedules, reasons
from tests.support.engine_options import limits_with
from tests.support.fakes import Pause, failing, reply, uses
from tests.support.schedule_bot import FIRST_DAY, ScheduleBot
from tests.support.wording import says

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DAILY = {"task": "look [here]", "repeat": "FREQ=DAILY"}
REPLY = OutboundKind.REPLY


async def make(bot: ScheduleBot, **more: object) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", {**DAILY, **more}))


async def test_a_run_is_a_turn_that_answers_in_the_chat(bot: ScheduleBot) -> None:
    await make(bot)
    bot.bench.model.says("lead", "all is well")
    async with bot.run(after=DAY):
        part = await bot.bench.chat.part(REPLY)
    assert (part.message.text, part.message.reply_to, part.message.may_ring) == ("all is well", None, True)
    [heard] = bot.bench.model.heard("lead")
    assert says(heard, texts.SCHEDULED_RUN, number=1, person="Ann", task="look (here)")
    assert bot.outcomes() == [((FIRST_DAY + DAY).isoformat(), 0, "run")]
    assert bot.bench.select("schedule, person", "turns", "schedule != 0") == [(1, "Ann")]


async def test_a_silent_schedule_makes_no_sound(bot: ScheduleBot) -> None:
    await make(bot, silent=True)
    bot.bench.model.says("lead", "all is well")
    async with bot.run(after=DAY):
        assert not (await bot.bench.chat.part(REPLY)).message.may_ring


async def test_a_run_can_be_stopped_while_a_message_waits(bot: ScheduleBot) -> None:
    await make(bot)
    pause = Pause()
    bot.bench.model.says("lead", pause)
    async with bot.run(after=DAY):
        await pause.reached.wait()
        bot.bench.chat.hears("and what is new?", id="1:22", sent_at=bot.now)  # platforms' ids look like this
        await bot.bench.chat.is_taken_in()
        bot.bench.chat.hears("/stop", sent_at=bot.now)
        assert await bot.bench.chat.said()
        await bot.until(bot.runs_that_ended)
    assert bot.outcomes() == [((FIRST_DAY + DAY).isoformat(), 0, "run")]


async def test_a_run_that_goes_on_after_a_long_interruption_announces_nothing(bot: ScheduleBot) -> None:
    await make(bot)
    pause = Pause()
    bot.bench.model.says("lead", pause, "all is well")
    async with bot.run(after=DAY):
        await pause.reached.wait()
    lock, hour_ago = bot.bench.data / "lock", time.time() - 3600
    os.utime(lock, (hour_ago, hour_ago))
    async with bot.run():
        assert await bot.bench.chat.said() == "all is well"
    assert bot.bench.count("outbox", "key LIKE '%:back'") == 0


@pytest.mark.parametrize("last", [(texts.NOTHING_TO_REPORT,), (reply(), reply())])
async def test_a_run_with_nothing_to_tell_posts_nothing(bot: ScheduleBot, last: Sequence[str | ModelReply]) -> None:
    await make(bot)
    bot.bench.model.says("lead", reply({"type": "text", "text": "Let me look."}, uses("read")), *last)
    posted = bot.bench.count("outbox")
    async with bot.run(after=DAY):
        await bot.until(bot.runs_that_ended)
    assert bot.bench.count("outbox") == posted
    assert bot.outcomes()[0][2] == "nothing to tell"


async def test_a_run_that_is_cut_short_does_not_show_its_word(bot: ScheduleBot) -> None:
    await make(bot)
    bot.bench.model.says("lead", reply(uses("read")), texts.NOTHING_TO_REPORT)
    async with bot.run(after=DAY, turn=limits_with(iterations=1)):
        said = await bot.bench.chat.said(REPLY)
    reason = reasons.STEPS_USED(1)
    assert said == people.LEFT(reason=reason, messages=people.MESSAGE(beginning="look (here)"))
    assert bot.outcomes()[0][2] == "failed"


async def test_a_run_has_the_tools_of_its_schedule_and_no_others(bot: ScheduleBot) -> None:
    await make(bot, tools=["read"])
    bot.bench.model.says("lead", reply(uses("read"), uses("change"), uses("delegate", role="writer", task="x")), "done")
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "done"
    read, change, delegate = bot.bench.model.heard("lead")
    assert read == "read"
    assert change == texts.NOT_IN_THIS_RUN(tool="change", tools="read")
    assert delegate == texts.NOT_IN_THIS_RUN(tool="delegate", tools="read")
    assert bot.bench.changed == []


async def test_a_run_makes_no_schedules_and_may_delete_its_own(bot: ScheduleBot) -> None:
    await make(bot, tools=["remind_me", "schedule_change"])
    calls = [uses("remind_me", text="x", when="P1D"), uses("schedule_change", number=1, change="delete")]
    bot.bench.model.says("lead", reply(*calls), "done")
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "done"
    assert bot.bench.model.heard("lead") == [texts.RUN_MAKES_NO_SCHEDULES, texts.SCHEDULE_IS_DELETED(number=1)]


async def test_times_that_were_missed_come_once_and_are_told(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"}), ("schedule_create", DAILY))
    bot.bench.model.says("lead", "done")
    async with bot.run(after=3 * DAY + HOUR):
        said = {await bot.bench.chat.said() for _ in range(2)}
    due = FIRST_DAY + 3 * DAY
    assert said == {"done", people_schedules.LATE_REMINDERS(2, text="tea", time=due)}
    assert texts.WAS_LEFT_OUT(2) in bot.bench.model.heard("lead")[0]
    assert bot.outcomes() == [(due.isoformat(), 2, "reminder posted"), (due.isoformat(), 2, "run")]


async def test_a_single_reminder_that_is_late_says_so(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "PT20M"}))
    async with bot.run(after=HOUR):
        said = await bot.bench.chat.said()
    assert said == people_schedules.LATE_REMINDER(text="tea", time=FIRST_DAY + timedelta(minutes=20))


async def test_a_clock_that_is_set_back_brings_nothing_twice(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"}))
    async with bot.run(after=DAY + HOUR):
        await bot.bench.chat.said()
    for hours in (-5, 2, 1, 2):
        async with bot.run(after=timedelta(hours=hours)):
            assert await bot.hears("/schedules")
    assert len(bot.outcomes()) == 1


async def test_while_a_run_is_at_work_the_next_time_is_left_out_and_told(bot: ScheduleBot) -> None:
    await make(bot)
    pause = Pause("first")
    bot.bench.model.says("lead", pause)
    async with bot.run(after=DAY):
        await pause.reached.wait()
        bot.now += DAY
        await bot.calls(("remind_me", {"text": "tea", "when": "P9D"}), chat="other")  # the scheduler looks again
        await bot.until(lambda: len(bot.outcomes()) == 2)
        pause.go_on.set()
        assert await bot.bench.chat.said(REPLY) == "first"
    bot.bench.model.says("lead", "second")
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "second"
    assert texts.WAS_LEFT_OUT(1) in bot.bench.model.heard("lead")[0]
    assert [outcome for _, _, outcome in bot.outcomes()] == ["run", "still at work", "run"]


async def test_a_schedule_that_has_used_its_money_rests_for_the_day(bot: ScheduleBot) -> None:
    async with bot.run(schedules__day_usd=0.25):
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY"}))
    bot.bench.model.says("lead", "one", "two")
    async with bot.run(after=HOUR):
        assert await bot.bench.chat.said(REPLY) == "one"
    async with bot.run(after=HOUR):
        assert says(await bot.bench.chat.said(), people_schedules.DAY_BUDGET_USED, number=1)
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "two"


def has_more_runs_than(bot: ScheduleBot, number: int) -> bool:
    return bot.runs_that_ended() > number


async def test_a_run_that_somebody_wants_now_tells_of_its_failure_also_after_others(bot: ScheduleBot) -> None:
    await make(bot)
    bot.bench.model.says("lead", failing, failing)
    async with bot.run(after=DAY):
        assert says(await bot.bench.chat.said(), people.NOT_FINISHED)
        await bot.hears("/schedules run 1")
        assert says(await bot.bench.chat.said(REPLY), people.NOT_FINISHED)


async def test_after_five_failures_a_schedule_is_paused_and_two_are_told(bot: ScheduleBot) -> None:
    await make(bot)
    bot.bench.model.says("lead", *[failing] * 5)
    for number in range(5):
        async with bot.run(after=DAY):
            await bot.until(partial(has_more_runs_than, bot, number))
    replies = bot.bench.count("outbox", "kind = 'reply' AND key LIKE 't%'")
    assert replies == 1 + 1  # of the turn that made it, and of the first run that failed
    assert bot.bench.select("state", "schedules") == [("paused",)]
    assert bot.bench.count("outbox", "key LIKE '%:paused'") == 1


async def test_what_a_person_writes_meanwhile_has_a_turn_of_its_own(bot: ScheduleBot) -> None:
    await make(bot, tools=["change"])
    bot.bench.model.says("lead", reply(uses("change")), "run done", "your answer")
    async with bot.run(after=DAY):
        await bot.bench.has_changed()
        bot.bench.chat.hears("and me?", sent_at=bot.now)
        assert {await bot.bench.chat.said(REPLY) for _ in range(2)} == {"run done", "your answer"}
    assert bot.bench.select("schedule", "turns", order="rowid") == [(0,), (1,), (0,)]


async def test_all_runs_together_cost_no_more_than_the_days_money(bot: ScheduleBot) -> None:
    run = partial(bot.run, schedules__run_usd=1.0, schedules__day_usd=1.5)
    async with run():
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY"}))
    costly = reply({"type": "text", "text": "looked"}, usage=Usage(input=300_000, output=0))
    bot.bench.model.says("lead", costly)
    async with run(after=HOUR):
        assert await bot.bench.chat.said(REPLY) == "looked"
    async with run(after=HOUR):  # less than the budget of a run is left
        assert says(await bot.bench.chat.said(), people_schedules.DAY_BUDGET_USED, number=1)
    assert [outcome for _, _, outcome in bot.outcomes()] == ["run", "day's budget used"]


async def test_a_run_is_called_by_its_task(bot: ScheduleBot) -> None:
    await make(bot)
    pause = Pause()
    bot.bench.model.says("lead", pause)
    async with bot.run(after=DAY):
        await pause.reached.wait()
        named = people.MESSAGE(beginning="look (here)")
        assert await bot.hears("/status") == people.AT_WORK_FOR(person="Ann", messages=named)
        assert await bot.hears("/stop") == people.STOPPED(messages=named)
    assert bot.bench.select("task", "turns", "schedule != 0") == [("look [here]",)]
