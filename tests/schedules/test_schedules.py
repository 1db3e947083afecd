"""The model makes and changes schedules; the rows hold them."""

from datetime import timedelta

import pytest

from bot.core.guarded_fetch import texts as fetch_texts
from bot.core.texts import model_schedules as texts
from bot.core.texts import people_schedules
from tests.support.schedule_bot import ScheduleBot
from tests.support.wording import says

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


async def test_a_reminder_comes_at_its_time_without_the_model(bot: ScheduleBot) -> None:
    async with bot.run():
        [said] = await bot.calls(("remind_me", {"text": "tea", "when": "PT20M"}))
        assert said == texts.SCHEDULE_MADE_ONCE(number=1, times="Tue 2026-12-01 07:20", zone="UTC")
    async with bot.run(after=timedelta(minutes=20, seconds=1)):
        part = await bot.bench.chat.part()
    assert (part.message.text, part.message.may_ring) == (people_schedules.REMINDER(text="tea"), True)
    assert len(bot.bench.model.seen) == 2
    async with bot.run(after=DAY):
        assert await bot.hears("/schedules") == people_schedules.NO_SCHEDULES()
    assert [outcome for _, _, outcome in bot.outcomes()] == ["reminder posted"]


async def test_the_model_can_look_up_a_reminder_that_just_came(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "PT20M"}), ("remind_me", {"text": "cake", "when": "P2D"}))
    async with bot.run(after=timedelta(minutes=20, seconds=1)):
        await bot.bench.chat.part()
        [listed] = await bot.calls(("schedule_list", {}))
        assert listed.splitlines()[0] == "1: over; was due Tue 2026-12-01 07:20 (UTC); reminder: tea"
        assert listed.splitlines()[1].startswith("2: active; next: Thu 2026-12-03 07:00 (UTC); reminder: cake")
        [listed] = await bot.calls(("schedule_list", {}), by="Bob")
        assert listed == texts.NO_SCHEDULES(person="Bob")
    async with bot.run(after=DAY + HOUR):
        [listed] = await bot.calls(("schedule_list", {}))
        assert listed.startswith("2: active;")


async def test_the_next_three_times_are_told_on_the_clock_of_the_person(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.hears("/timezone Asia/Tokyo")
        [said] = await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"}))
    times = "Wed 2026-12-02 08:00, Thu 2026-12-03 08:00, Fri 2026-12-04 08:00"
    assert said == texts.SCHEDULE_MADE(number=1, times=times, zone="Asia/Tokyo")


@pytest.mark.parametrize(
    ("named", "due"),
    [
        ({"repeat": "FREQ=DAILY;BYHOUR=8"}, "08:00"),
        ({"repeat": "FREQ=DAILY;BYHOUR=8", "when": "2026-12-05 09:30"}, "08:30"),
        ({"repeat": "FREQ=DAILY"}, "07:25"),
    ],
)
async def test_a_rule_that_names_only_hours_is_due_on_the_hour(
    bot: ScheduleBot, named: dict[str, str], due: str
) -> None:
    bot.now += timedelta(minutes=25)
    async with bot.run():
        [said] = await bot.calls(("remind_me", {"text": "tea", **named}))
    assert said.count(f" {due}") == 3


async def test_if_the_zone_is_unknown_the_model_is_told_to_ask(bot: ScheduleBot) -> None:
    async with bot.run():
        [said] = await bot.calls(("remind_me", {"text": "tea", "repeat": "FREQ=DAILY"}))
    assert said.endswith(texts.ZONE_IS_OPERATORS)


async def test_a_person_has_at_most_so_many_schedules(bot: ScheduleBot) -> None:
    reminder = ("remind_me", {"text": "tea", "when": "P1D"})
    async with bot.run(schedules__per_person=2):
        said = await bot.calls(*[reminder] * 3)
        assert said[2] == texts.TOO_MANY_SCHEDULES(2, person="Ann")
        [of_bob] = await bot.calls(reminder, by="Bob")
        assert says(of_bob, texts.SCHEDULE_MADE_ONCE)
    assert bot.bench.count("schedules") == 3


@pytest.mark.parametrize(
    "arguments",
    [
        {"task": "look"},
        {"task": "look", "when": "yesterday"},
        {"task": "look", "repeat": "FREQ=MINUTELY"},
        {"task": " ", "when": "P1D"},
        {"task": "look", "when": "P1D", "tools": ["shell"]},
        {"task": "look", "when": "P1D", "only_if": "page_changed"},
        {"task": "look", "when": "P1D", "what": "notes.md"},
        {"task": "look", "when": "P1D", "only_if": "window", "what": "8-18"},
        {"task": "look", "when": "P1D", "only_if": "tool_changed", "what": "change"},
        {"task": "look", "when": "P1D", "only_if": "tool_changed", "what": "read", "tool_arguments": "[]"},
    ],
)
async def test_a_wrong_schedule_is_refused(arguments: dict[str, object], bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", arguments))
    assert bot.bench.count("schedules") == 0
    assert bot.bench.count("calls", "is_error") == 1


async def test_a_schedule_is_listed_paused_resumed_and_deleted_by_the_model(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=DAILY", "tools": ["read"]}))
        [listed] = await bot.calls(("schedule_list", {}))
        assert listed.startswith("1: active;")
        assert listed.endswith("task: look")
        said = await bot.calls(("schedule_change", {"number": 1, "change": "pause"}))
        said += await bot.calls(("schedule_change", {"number": 1, "change": "resume"}))
        said += await bot.calls(("schedule_change", {"number": 1, "change": "delete"}))
        said += await bot.calls(("schedule_change", {"number": 1, "change": "pause"}))
        [listed] = await bot.calls(("schedule_list", {}))
    assert (said[0], said[2]) == (texts.SCHEDULE_IS_PAUSED(number=1), texts.SCHEDULE_IS_DELETED(number=1))
    assert says(said[1], texts.SCHEDULE_CHANGED, number=1)
    assert said[3] == texts.NO_SUCH_SCHEDULE(number=1, person="Ann")
    assert listed == texts.NO_SCHEDULES(person="Ann")
    assert bot.bench.select("text, next_at", "schedules") == [("", None)]


async def test_nobody_changes_the_schedules_of_others(bot: ScheduleBot) -> None:
    async with bot.run():
        await bot.calls(("remind_me", {"text": "tea", "when": "P1D"}))
        [said] = await bot.calls(("schedule_change", {"number": 1, "change": "delete"}), by="Bob")
        assert said == texts.NO_SUCH_SCHEDULE(number=1, person="Bob")
        assert await bot.hears("/schedules delete 1", by="Bob") == people_schedules.NO_SUCH_SCHEDULE(number=1)
    assert bot.bench.select("state", "schedules") == [("active",)]


async def test_a_page_that_is_never_fetched_is_refused_in_words(bot: ScheduleBot) -> None:
    pages = ["http://127.0.0.1/", "http://169.254.169.254/latest/", "file:///etc/passwd", "notes.md"]
    page = {"task": "tell", "repeat": "FREQ=HOURLY", "only_if": "page_changed"}
    async with bot.run():
        said = await bot.calls(*[("schedule_create", page | {"what": each}) for each in pages])
    not_public = [fetch_texts.NOT_PUBLIC(host=host) for host in ("127.0.0.1", "169.254.169.254")]
    no_address = [fetch_texts.NOT_A_WEB_ADDRESS(address=each) for each in pages[2:]]
    assert said == [texts.PAGE_IS_NEVER_FETCHED(reason=reason) for reason in (*not_public, *no_address)]
    assert bot.bench.count("schedules") == 0


async def test_a_page_that_others_words_name_is_not_watched(bot: ScheduleBot) -> None:
    page = {"task": "tell", "repeat": "FREQ=HOURLY", "only_if": "page_changed", "what": "https://x.example/?d=1"}
    bot.bench.is_gate_open = True
    async with bot.run():
        bot.bench.model.says("lead", "I see")
        bot.bench.chat.hears("look", group_chat="-5", by="Bob")
        await bot.bench.chat.said()
        [refused] = await bot.calls(("schedule_create", page), group_chat="-5")
    assert refused == texts.ADDRESS_IS_NOT_THEIRS(person="Ann")
