"""Schedules: 63 to 78."""

from datetime import timedelta
from typing import Any

from tests.month.places import Place
from tests.month.play.reminders import number_of_newest, set_reminders
from tests.month.registry import situation
from tests.month.stage import Stage, call
from tests.stand_ins.claude import ToolUse
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route


def task(text: str, **more: Any) -> ToolUse:
    return call("schedule_create", task=text, **more)


def daily(hour: int, times: int) -> str:
    return f"FREQ=DAILY;BYHOUR={hour};BYMINUTE=0;COUNT={times}"


def run_says(s: Stage, text: str, answer: str) -> None:
    """Let each run of a task give this answer."""
    s.expect_later(answer)
    s.model(lambda view: answer if text in view.text and "which" in view.text and "has made" in view.text else None)


async def made(s: Stage, place: Place, who: str, text: str, answer: str, **more: Any) -> int:
    run_says(s, text, answer)
    await set_reminders(s, place, who, task(text, **more), words=f"from now on: {text}")
    return await number_of_newest(s)


@situation(63, "2026-10-05 20:00")
async def every_morning(s: Stage) -> None:
    place = s.t("Anna")
    await made(s, place, "Anna", "read the weather", "Rain.", repeat=daily(7, 3), tools=[])
    for day in (6, 7, 8):
        await s.until(f"2026-10-{day:02} 07:00:01")
        await s.answer(place, exactly="Rain.")
    await s.until("2026-10-09 08:00")


@situation(64, "2026-10-06 12:00")
async def every_evening(s: Stage) -> None:
    place = s.d("Ben")
    await made(s, place, "Ben", "sum up the day", "A good day.", repeat=daily(21, 3), tools=[])
    for day in (6, 7, 8):
        await s.until(f"2026-10-{day:02} 21:00:01")
        await s.answer(place, exactly="A good day.")
    await s.until("2026-10-09 22:00")


@situation(65, "2026-10-08 18:30")
async def on_saturdays_in_a_group(s: Stage) -> None:
    place, repeat = s.t("table"), "FREQ=WEEKLY;BYDAY=SA;BYHOUR=10;BYMINUTE=0;COUNT=1"
    await made(s, place, "Ben", "plan the weekend", "A walk.", repeat=repeat, tools=[])
    await s.until("2026-10-10 10:00:01")
    await s.answer(place, exactly="A walk.")


@situation(66, "2026-10-12 06:00")
async def only_if_a_file_has_changed(s: Stage) -> None:
    place, shelf = s.t("Ben"), s.month.family.workspace / "trips.md"
    shelf.write_text("Lisbon\n")
    repeat = "FREQ=DAILY;BYHOUR=7,12;BYMINUTE=0;COUNT=10"
    await made(
        s, place, "Ben", "what is in trips.md", "Lisbon!", repeat=repeat, only_if="file_changed", what="trips.md"
    )
    number = await number_of_newest(s)
    await s.until("2026-10-15 18:00")
    await s.nothing()
    runs = s.month.number("SELECT count(*) FROM turns WHERE schedule = ?", number)
    s.so(runs == 0, f"it has run {runs} times although nothing had changed")
    s.month.notes["66"] = number


@situation(67, "2026-10-16 08:00")
async def then_the_file_changes(s: Stage) -> None:
    place, shelf = s.t("Ben"), s.month.family.workspace / "trips.md"
    run_says(s, "what is in trips.md", "Rome!")
    if "66" not in s.month.notes:  # it is played without the one before
        repeat = "FREQ=DAILY;BYHOUR=7,12;BYMINUTE=0;COUNT=2"
        shelf.write_text("Lisbon\n")
        await made(
            s, place, "Ben", "what is in trips.md", "Rome!", repeat=repeat, only_if="file_changed", what="trips.md"
        )
    shelf.write_text("Rome, and then Athens\n")
    await s.until("2026-10-16 12:00:01")
    await s.answer(place, exactly="Rome!")
    await s.until("2026-10-17 12:30")


@situation(68, "2026-10-19 11:30")
async def only_within_a_window(s: Stage) -> None:
    place, repeat = s.d("Anna"), "FREQ=DAILY;BYHOUR=12,20;BYMINUTE=0;COUNT=2"
    await made(
        s,
        place,
        "Anna",
        "tell me a riddle",
        "What has keys?",
        repeat=repeat,
        only_if="window",
        what="18:00-22:00",
        tools=[],
    )
    await s.until("2026-10-19 12:00:02")
    await s.nothing()
    await s.until("2026-10-19 20:00:01")
    await s.answer(place, exactly="What has keys?")


@situation(69, "2026-10-20 06:00")
async def only_if_something_is_remembered(s: Stage) -> None:
    place = s.t("Clara")
    await made(
        s,
        place,
        "Clara",
        "what about the hamster",
        "The hamster is called Fritz.",
        repeat="FREQ=DAILY;BYHOUR=7,8;BYMINUTE=0;COUNT=2",
        only_if="memory_changed",
        what="hamster",
        tools=[],
    )
    await s.until("2026-10-20 07:00:02")
    await s.nothing()
    s.calls([call("memory_save", text="the hamster is called Fritz")], "Noted.", about="his name is Fritz")
    s.ask(place, "Clara", "remember, his name is Fritz")
    await s.answer(place, exactly="Noted.")
    await s.until("2026-10-20 08:00:01")
    await s.answer(place, exactly="The hamster is called Fritz.")


@situation(70, "2026-10-20 12:00")
async def a_run_with_nothing_to_say(s: Stage) -> None:
    place = s.d("Clara")
    number = await made(s, place, "Clara", "is there post", "NOTHING_TO_REPORT", repeat=daily(13, 1), tools=[])
    await s.until("2026-10-20 13:00:02")
    await s.nothing()
    runs = s.month.number("SELECT count(*) FROM turns WHERE schedule = ?", number)
    s.so(runs == 1, f"it has run {runs} times")


@situation(71)
async def run_now_by_the_button(s: Stage) -> None:
    place = s.t("Anna")
    number = await made(s, place, "Anna", "count the days", "Eight.", when="P2D", tools=[])
    s.model(lambda view: "Eight." if "wants schedule" in view.text and "count the days" in view.text else None)
    s.say(place, "Anna", "/schedules")
    shown = await s.answer(place, "count the days")
    await s.tap(place, "Anna", shown, f"Run {number} now", "I do it now: count the days")
    await s.answer(place, "Your schedules", "count the days")
    await s.answer(place, exactly="Eight.")
    s.say(place, "Anna", f"/schedules delete {number}")
    await s.answer(place, exactly="Deleted: count the days")


@situation(72, "2026-10-21 12:00")
async def paused_by_the_button(s: Stage) -> None:
    place = s.t("David")
    number = await made(s, place, "David", "a joke please", "Knock knock.", repeat=daily(13, 2), tools=[])
    s.say(place, "David", "/schedules")
    shown = await s.answer(place, "a joke please")
    await s.tap(place, "David", shown, f"Pause {number}", "Paused: a joke please")
    await s.answer(place, "Your schedules", "paused, a joke please")
    await s.until("2026-10-22 14:00")
    await s.nothing()
    s.say(place, "David", f"/schedules delete {number}")
    await s.answer(place, exactly="Deleted: a joke please")


async def refused(s: Stage, place: Place, who: str, words: tuple[str, ...], **more: Any) -> None:
    s.calls([task("tell the time", **more)], lambda view: f"No: {view.results}", about="all the time")
    s.ask(place, who, "all the time")
    await s.answer(place, "No: ", *words)
    s.so(s.month.number("SELECT count(*) FROM schedules WHERE text = 'tell the time'") == 0, "it was made")


@situation(73)
async def every_five_minutes_is_refused(s: Stage) -> None:
    await refused(s, s.t("Clara"), "Clara", ("15 minutes",), repeat="FREQ=MINUTELY;INTERVAL=5")


@situation(74)
async def a_run_may_not_delegate(s: Stage) -> None:
    await refused(s, s.d("Ben"), "Ben", ("delegate", "may not"), when="P1D", tools=["delegate"])


@situation(75, "2026-10-21 20:00")
async def the_bot_is_stopped_over_three_runs(s: Stage) -> None:
    place = s.t("Anna")
    s.model(lambda view: f"Late: {view.said('was due 2 times')}." if "check the heating" in view.text else None)
    await set_reminders(s, place, "Anna", task("check the heating", repeat=daily(8, 3), tools=[]), words="from now on")
    s.expect_later("Late: ")
    s.allow("I was away for 61 hours")
    await s.until("2026-10-21 20:31")  # by then the bot may have been away already
    await s.month.set_aside_until(s, "2026-10-24 09:30")
    await s.answer(place, exactly="Late: was due 2 times.")


@situation(76, "2026-10-26 12:30")
async def a_kill_while_the_run_is_at_work(s: Stage) -> None:
    place = s.t("Ben")
    hold, go_on = s.holding("Something that is never said.")
    await made(s, place, "Ben", "a word of the day", "never", repeat=daily(13, 1), tools=[])
    text = "a word of the day"
    s.model(lambda view: ("Serendipity." if go_on.is_set() else hold) if text in view.text else None)
    await s.jump_to("2026-10-26 13:00:01")
    await s.asked(lambda view: text in view.text and "has made" in view.text)
    go_on.set()
    await s.kill()
    await s.answer(place, exactly="Serendipity.")


@situation(77, "2026-10-26 14:30")
async def a_kill_when_its_answer_was_accepted(s: Stage) -> None:
    place, discord = s.d("Clara"), s.month.family.discord
    await made(s, place, "Clara", "a word of the hour", "Petrichor.", repeat=daily(15, 1), tools=[])
    await s.month.at_rest()
    discord.faults.on(Route.SEND, DiscordFault.BLACK_HOLE_AFTER)
    await s.jump_to("2026-10-26 15:00:01")
    await s.until_so(lambda: any(each.text == "Petrichor." for each in place.shown()))
    await s.kill()
    await s.answer(place, exactly="Petrichor.")


@situation(78, "2026-10-26 16:30")
async def a_kill_before_it_is_due(s: Stage) -> None:
    place = s.t("David")
    await made(s, place, "David", "an animal of the day", "Tapir.", repeat=daily(17, 1), tools=[])
    await s.kill(60)
    await s.until(s.now.replace(hour=17, minute=0, second=1) + timedelta())
    await s.answer(place, exactly="Tapir.")
