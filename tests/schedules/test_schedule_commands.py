"""`/schedules` and `/timezone`."""

from datetime import timedelta

import pytest

from bot.core.messages import OutboundKind, PersonId
from bot.core.texts import people
from bot.core.texts import people_schedules as texts
from bot.journal.schedules import move_schedules_to_zone
from tests.schedules.scheduled_years import ScheduledYears
from tests.support.schedule_bot import FIRST_DAY, ScheduleBot
from tests.support.wording import says

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TEA = ("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"})


async def test_schedules_are_listed_with_buttons(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(TEA)
        bot.bench.chat.hears("/schedules")
        question = (await bot.bench.chat.part(OutboundKind.QUESTION)).message
    assert says(question.text, texts.SCHEDULE_LINE_REPEATING, number=1, next=FIRST_DAY + DAY)
    buttons = (texts.PAUSE_BUTTON, texts.RUN_BUTTON, texts.DELETE_BUTTON)
    assert question.options == tuple(button(number=1) for button in buttons)


async def test_buttons_pause_resume_run_and_delete(bot: ScheduleBot) -> None:
    said = []
    async with bot.run():
        await bot.calls(TEA)
        bot.bench.chat.hears("/schedules")
        question = (await bot.bench.chat.part(OutboundKind.QUESTION)).message
        for button in (texts.PAUSE_BUTTON, texts.RESUME_BUTTON, texts.RUN_BUTTON, texts.DELETE_BUTTON):
            bot.bench.chat.taps(question.id, button(number=1))
            answers = 1 if button is texts.DELETE_BUTTON else 3 if button is texts.RUN_BUTTON else 2
            parts = [await bot.bench.chat.part() for _ in range(answers)]
            said += [part.message.text for part in parts if part.message.kind is OutboundKind.NOTICE]
            question = next((part.message for part in parts if part.message.kind is OutboundKind.QUESTION), question)
    assert said[0] == texts.SCHEDULE_PAUSED(text="tea")
    assert says(said[1], texts.SCHEDULE_RESUMED)
    assert set(said[2:4]) == {texts.SCHEDULE_RUNS(text="tea"), texts.REMINDER(text="tea")}
    assert said[4] == texts.SCHEDULE_DELETED(text="tea")


async def test_the_buttons_of_more_than_five_are_shown_one_after_the_other(bot: ScheduleBot) -> None:
    shown = []
    async with bot.run():
        await bot.calls(*[TEA] * 7)
        bot.bench.chat.hears("/schedules")
        for _ in range(3):
            question = (await bot.bench.chat.part(OutboundKind.QUESTION)).message
            shown.append([number for number in range(1, 8) if texts.DELETE_BUTTON(number=number) in question.options])
            bot.bench.chat.taps(question.id, texts.MORE_BUTTON())
    assert shown == [[1, 2, 3, 4, 5], [6, 7], [1, 2, 3, 4, 5]]


async def test_nobody_taps_the_buttons_of_others(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(TEA, group_chat="-5")
        bot.bench.chat.hears("/schedules", group_chat="-5")
        question = (await bot.bench.chat.part(OutboundKind.QUESTION)).message
        bot.bench.chat.taps(question.id, texts.DELETE_BUTTON(number=1), by="Bob")
        assert await bot.bench.chat.said(OutboundKind.NOTICE) == people.QUESTION_FOR_ANOTHER()
    assert bot.bench.select("state", "schedules") == [("active",)]


async def test_a_task_is_run_now_in_words(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=DAILY"}))
        bot.bench.model.says("lead", "looked")
        bot.bench.chat.hears("/schedules run 1")
        assert {await bot.bench.chat.said() for _ in range(2)} == {texts.SCHEDULE_RUNS(text="look"), "looked"}


async def test_while_paused_nothing_comes_and_nothing_is_made_up_for(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(TEA)
        assert await bot.hears("/schedules pause 1") == texts.SCHEDULE_PAUSED(text="tea")
    async with bot.run(after=3 * DAY + HOUR):
        said = await bot.hears("/schedules resume #1")
    assert said == texts.SCHEDULE_RESUMED(next=FIRST_DAY + 4 * DAY, text="tea")
    assert bot.outcomes() == []


@pytest.mark.parametrize("words", ["pause", "pause x", "explode 1", "pause 1 2"])
async def test_wrong_words_are_told_how(words: str, bot: ScheduleBot) -> None:
    async with bot.run():
        assert await bot.hears(f"/schedules {words}") == texts.SCHEDULES_USAGE()


async def test_a_group_chat_shows_only_what_was_made_there(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(TEA)
        bot.bench.chat.hears("/schedules", chat="club", group_chat="-5")
        assert await bot.bench.chat.said() == texts.NO_SCHEDULES()


# Time zones


async def test_a_time_zone_is_set_and_shown(bot: ScheduleBot) -> None:
    async with bot.run():
        first = await bot.hears("/timezone")
        second = await bot.hears("/timezone europe/berlin")
        third = await bot.hears("/timezone")
    in_berlin = FIRST_DAY + HOUR
    assert first == texts.TIME_ZONE_IS_OPERATORS(zone="UTC", now=FIRST_DAY)
    assert second == texts.TIME_ZONE_SET(zone="Europe/Berlin", now=in_berlin)
    assert third == texts.TIME_ZONE_IS(zone="Europe/Berlin", now=in_berlin)


async def test_a_city_alone_is_understood(bot: ScheduleBot) -> None:
    async with bot.run():
        assert says(await bot.hears("/timezone New York"), texts.TIME_ZONE_SET, zone="America/New_York")


@pytest.mark.parametrize(("given", "name"), [("Europe/Belrin", "Europe/Berlin"), ("Tokio", "Asia/Tokyo")])
async def test_a_wrong_name_brings_suggestions(given: str, name: str, bot: ScheduleBot) -> None:
    async with bot.run():
        said = await bot.hears(f"/timezone {given}")
    assert says(said, texts.NO_SUCH_TIME_ZONE_BUT_LIKE, name=given)
    assert name in said


@pytest.mark.parametrize("given", ["qqqqqqqq", "../../etc/passwd", "Europe", "x" * 500])
async def test_what_is_no_zone_is_refused(given: str, bot: ScheduleBot) -> None:
    async with bot.run():
        said = await bot.hears(f"/timezone {given}")
    assert says(said, texts.NO_SUCH_TIME_ZONE) or says(said, texts.NO_SUCH_TIME_ZONE_BUT_LIKE)
    assert bot.bench.count("person_settings") == 0


async def test_schedules_follow_their_person_to_another_zone(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY;BYHOUR=20;BYMINUTE=0"}))
        said = await bot.hears("/timezone Asia/Tokyo")
    assert said == texts.TIME_ZONE_SET_FOR_SCHEDULES(1, zone="Asia/Tokyo", now=FIRST_DAY + 9 * HOUR)
    assert bot.bench.select("next_at", "schedules") == [("2026-12-01T11:00:00+00:00",)]


async def test_what_is_due_just_now_still_comes_in_another_zone(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(TEA)
    years = ScheduledYears(bot.bench.data, FIRST_DAY + DAY + timedelta(minutes=1))  # due, and not posted yet
    async with years.open():
        ann, terms = PersonId("Ann"), years.terms()
        assert await years.store.write(move_schedules_to_zone, "fake", ann, "Asia/Tokyo", terms) == 1
    async with bot.run(after=DAY + timedelta(minutes=1)):
        assert await bot.bench.chat.said() == texts.REMINDER(text="tea")
    assert [due_at for due_at, _, _ in bot.outcomes()] == [(FIRST_DAY + DAY).isoformat()]


async def test_a_schedule_without_times_in_another_zone_is_over(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY;BYHOUR=10;UNTIL=20261201T100000"}))
        await bot.hears("/timezone Asia/Tokyo")
    assert bot.bench.select("state, next_at", "schedules") == [("over", None)]


async def test_to_resume_what_is_not_paused_changes_nothing(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(TEA)
        before = bot.bench.select("*", "schedules")
        bot.now += HOUR
        assert says(await bot.hears("/schedules resume 1"), texts.SCHEDULE_RESUMED)
    assert bot.bench.select("*", "schedules") == before
