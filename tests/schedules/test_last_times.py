"""A time that cannot be used when it comes is told by the next one; the last one is tried again."""

from datetime import timedelta
from typing import Any

from bot.core.access import Access
from bot.core.messages import ChatMovedEvent, MessageId, OutboundKind, PersonId
from bot.core.rights import EVERY_RIGHT, Right
from bot.core.texts import model_schedules as texts
from bot.core.texts import people_schedules
from tests.support.fakes import Pause
from tests.support.forgotten_people import forget
from tests.support.schedule_bot import FIRST_DAY, ScheduleBot
from tests.support.wording import says

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
REPLY = OutboundKind.REPLY
OWNER = PersonId("Owner")
TASK = {"task": "look", "when": "PT1H"}


def access(*rights: Right, allowed: bool = True) -> dict[str, Any]:
    """Ann is not the owner; she may talk if `allowed`."""
    ids = frozenset({"Ann"}) if allowed else frozenset[str]()
    return {"access": {"fake": Access(owner_id=OWNER, allowed_ids=ids, others_rights=frozenset(rights))}}


SHUT_OUT = access(allowed=False)
MAY_TALK = access(Right.TALK)
MAY_SCHEDULE = access(Right.TALK, Right.SCHEDULE)


async def looked_again(bot: ScheduleBot) -> None:
    """Wait until the last time of the schedule is put off."""
    await bot.until(lambda: bot.bench.count("schedules", "postponed_due_at IS NOT NULL"))


async def test_a_reminder_waits_until_its_person_may_talk_again(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "PT20M"}))
    async with bot.run(after=HOUR, assembly=SHUT_OUT):
        await looked_again(bot)
    assert bot.bench.count("outbox", "key LIKE 'schedule:%'") == 0
    async with bot.run(after=HOUR, assembly=MAY_TALK):
        said = await bot.bench.chat.said()
    assert said == people_schedules.LATE_REMINDER(text="tea", time=FIRST_DAY + timedelta(minutes=20))
    assert [outcome for _, _, outcome in bot.outcomes()] == ["reminder posted"]


async def test_after_thirty_days_a_reminder_waits_no_longer(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "PT20M"}))
    async with bot.run(after=31 * DAY, assembly=SHUT_OUT):
        await bot.until(bot.outcomes)
    assert bot.outcomes()[0][2] == "not allowed"
    assert bot.bench.select("state", "schedules") == [("over",)]


async def test_a_repeated_reminder_tells_what_its_person_could_not_read(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"}))
    async with bot.run(after=DAY, assembly=SHUT_OUT):
        await bot.until(bot.outcomes)
    async with bot.run(after=DAY, assembly=MAY_TALK):
        assert await bot.bench.chat.said() == people_schedules.REMINDER_AFTER_MISSED_TIMES(1, text="tea")


async def test_a_last_run_waits_for_the_run_before_it(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", TASK))
    pause = Pause("wanted")
    bot.bench.model.says("lead", pause)
    async with bot.run():
        assert await bot.hears("/schedules run 1") == people_schedules.SCHEDULE_RUNS(text="look")
        await pause.reached.wait()
        bot.now += HOUR
        await bot.calls(("remind_me", {"text": "tea", "when": "P9D"}), chat="other")  # the scheduler looks again
        await looked_again(bot)
        pause.go_on.set()
        await bot.until(lambda: bot.runs_that_ended() == 1)
    bot.bench.model.says("lead", "due")
    async with bot.run(after=timedelta(minutes=5)):
        await bot.until(lambda: bot.runs_that_ended() == 2)
    assert texts.IS_LATE in bot.bench.model.heard("lead")[0]
    assert bot.outcomes() == [((FIRST_DAY + HOUR).isoformat(), 0, "run")]
    assert bot.bench.select("state, next_at", "schedules", "number = 1") == [("over", None)]


async def test_a_last_run_without_money_comes_on_the_next_day(bot: ScheduleBot) -> None:
    async with bot.run(schedules__day_usd=0.25):
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY;COUNT=3"}))
    bot.bench.model.says("lead", "one", "two")
    async with bot.run(after=HOUR):
        assert await bot.bench.chat.said(REPLY) == "one"
    async with bot.run(after=HOUR):
        assert says(await bot.bench.chat.said(), people_schedules.DAY_BUDGET_USED, number=1)
    assert bot.bench.select("state, next_at", "schedules") == [("active", "2026-12-02T00:00:00+00:00")]
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "two"


async def test_a_task_without_the_right_is_paused_and_comes_when_resumed(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", TASK))
    async with bot.run(after=HOUR, assembly=MAY_TALK):
        assert says(await bot.bench.chat.said(), people_schedules.PAUSED_WITHOUT_RIGHT, number=1)
        assert await bot.hears("/schedules run 1") == people_schedules.SCHEDULE_RIGHT_MISSING(text="look")
    bot.bench.model.says("lead", "a summary, because the tools are others", "looked")
    async with bot.run(after=HOUR, assembly=MAY_SCHEDULE):
        said = {await bot.hears("/schedules resume 1"), await bot.bench.chat.said()}
    assert "looked" in said
    assert bot.outcomes() == [((FIRST_DAY + HOUR).isoformat(), 0, "run")]


async def test_without_the_right_only_reminders_are_made(bot: ScheduleBot) -> None:
    async with bot.run(assembly=MAY_TALK):
        refused, made = await bot.calls(("schedule_create", TASK), ("remind_me", {"text": "tea", "when": "PT1H"}))
    assert says(made, texts.SCHEDULE_MADE_ONCE, number=1)
    assert "schedule" in refused
    assert bot.bench.select("text", "schedules") == [("tea",)]


async def test_a_run_wanted_now_counts_to_the_days_money(bot: ScheduleBot) -> None:
    async with bot.run(schedules__day_usd=0.25):
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=DAILY"}))
    bot.bench.model.says("lead", "looked")
    async with bot.run():
        bot.bench.chat.hears("/schedules run 1", sent_at=bot.now)
        assert "looked" in {await bot.bench.chat.said() for _ in range(2)}
        assert says(await bot.hears("/schedules run 1"), people_schedules.SCHEDULE_BUDGET_USED)


async def test_a_run_wanted_now_changes_no_record_of_a_time(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=DAILY"}))
    bot.bench.model.says("lead", "looked", texts.NOTHING_TO_REPORT)
    async with bot.run(after=DAY):
        assert await bot.bench.chat.said(REPLY) == "looked"
        await bot.hears("/schedules run 1")
        await bot.until(lambda: bot.runs_that_ended() == 2)
    assert [outcome for _, _, outcome in bot.outcomes()] == ["run"]


async def test_no_number_of_a_schedule_is_used_twice(bot: ScheduleBot) -> None:
    reminder = ("remind_me", {"text": "tea", "when": "P1D"})
    async with bot.run():
        await bot.calls(reminder)
        await forget(bot.bench)
    async with bot.run():
        [said] = await bot.calls(reminder)
    assert says(said, texts.SCHEDULE_MADE_ONCE, number=2)


async def test_a_group_that_becomes_a_supergroup_keeps_its_schedules(bot: ScheduleBot) -> None:
    def of_group(chat: str) -> dict[str, Any]:
        return {"access": {"fake": Access(owner_id=OWNER, allowed_ids=frozenset({chat}), others_rights=EVERY_RIGHT)}}

    async with bot.run(assembly=of_group("-5")):
        await bot.calls(("remind_me", {"text": "tea", "when": "PT20M"}), chat="-5", group_chat="-5")
        moved = ChatMovedEvent(id=MessageId("moved"), channel="fake", old="-5", new="-1005")
        bot.bench.chat.incoming.put_nowait(moved)
        await bot.until(lambda: bot.bench.count("schedules", "address = 'fake:-1005'"))
    async with bot.run(after=HOUR, assembly=of_group("-1005")):
        assert "tea" in await bot.bench.chat.said()
