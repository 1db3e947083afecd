"""Reminders: 46 to 62."""

from datetime import datetime, timedelta
from typing import Any

from tests.month.places import Place
from tests.month.registry import situation
from tests.month.script import View
from tests.month.stage import Stage, call
from tests.stand_ins.claude import ToolUse, reply
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route


async def set_reminders(s: Stage, place: Place, who: str, *calls: ToolUse, words: str = "remind me") -> None:
    """Let somebody ask for reminders. The model makes these calls, and says that they are set."""

    def rule(view: View) -> Any:
        if words not in view.text or view.place != s.month.name_of(place):
            return None
        if view.step == 0:
            return reply(*calls)
        return f"Set: {len(view.results)}." if all("is made" in each for each in view.results) else str(view.results)

    s.model(rule)
    s.expect_later(*(f"⏰ {each.input['text']}" for each in calls if each.name == "remind_me"))
    s.ask(place, who, words)
    await s.answer(place, exactly=f"Set: {len(calls)}.")


def remind(text: str, **when: str) -> ToolUse:
    return call("remind_me", text=text, **when)


def on_clock(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


async def comes(s: Stage, place: Place, text: str) -> Any:
    """The reminder comes here, in time and with nothing beside it."""
    return await s.answer(place, exactly=f"⏰ {text}")


async def later_once(s: Stage, platform: str, name: str, who: str, text: str, **span: float) -> None:
    place, when = s.place(platform, name), s.now.replace(second=0, microsecond=0) + timedelta(**span)
    await set_reminders(s, place, who, remind(text, when=on_clock(when)))
    await s.until(when - timedelta(seconds=5))
    await s.nothing()
    await s.until(when)
    await comes(s, place, text)
    await s.later(hours=2)
    await s.nothing()


@situation(46)
async def in_twenty_minutes(s: Stage) -> None:
    place = s.t("Anna")
    await set_reminders(s, place, "Anna", remind("tea", when="PT20M"))
    await s.later(minutes=19)
    await s.nothing()
    await s.later(minutes=1, seconds=2)
    await comes(s, place, "tea")


@situation(47, "2026-10-13 20:00")
async def tomorrow_at_eight(s: Stage) -> None:
    await later_once(s, "D", "Ben", "Ben", "ring the roofer", hours=12)


@situation(48, "2026-10-08 12:00")
async def in_a_group(s: Stage) -> None:
    # Not Ben: in these days he lives in the zone of Sydney (foreign 14).
    await later_once(s, "T", "table", "Clara", "bins out", hours=6)


@situation(49, "2026-10-09 12:00")
async def in_a_channel(s: Stage) -> None:
    await later_once(s, "D", "home", "Clara", "call Mia", hours=6)


@situation(50)
async def in_a_topic(s: Stage) -> None:
    place = s.new_topic("Trip")
    await set_reminders(s, place, "Clara", remind("pack the tent", when="PT1H"))
    await s.later(hours=1, seconds=2)
    await comes(s, place, "pack the tent")


@situation(51)
async def two_for_the_same_minute(s: Stage) -> None:
    place, when = s.t("Clara"), on_clock(s.now + timedelta(hours=1))
    await set_reminders(s, place, "Clara", remind("water the fern", when=when), remind("feed the cat", when=when))
    await s.later(hours=1, seconds=2)
    await comes(s, place, "water the fern")
    await comes(s, place, "feed the cat")


@situation(52, "2026-10-05 19:00")
async def three_mornings(s: Stage) -> None:
    place = s.d("Clara")
    repeat = "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;COUNT=3"
    await set_reminders(s, place, "Clara", remind("vocabulary", repeat=repeat))
    for day in (6, 7, 8):
        await s.until(f"2026-10-{day:02} 07:00:01")
        await comes(s, place, "vocabulary")
    await s.until("2026-10-10 07:30")


@situation(53, "2026-10-16 12:00")
async def every_weekday(s: Stage) -> None:
    place = s.t("David")
    repeat = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=16;BYMINUTE=0;COUNT=2"
    await set_reminders(s, place, "David", remind("homework", repeat=repeat))
    await s.until("2026-10-16 16:00:01")
    await comes(s, place, "homework")
    await s.until("2026-10-19 15:59")
    await s.nothing()
    await s.until("2026-10-19 16:00:01")
    await comes(s, place, "homework")


async def number_of_newest(s: Stage) -> int:
    return s.month.number("SELECT max(number) FROM schedules")


@situation(54)
async def deleted_before_it_is_due(s: Stage) -> None:
    place = s.t("Ben")
    await set_reminders(s, place, "Ben", remind("never mind", when="PT1H"))
    number = await number_of_newest(s)
    s.say(place, "Ben", "/schedules")
    shown = await s.answer(place, "never mind")
    await s.tap(place, "Ben", shown, f"Delete {number}", "Deleted: never mind")
    await s.later(hours=2)


@situation(55)
async def paused_and_resumed(s: Stage) -> None:
    place = s.t("David")
    await set_reminders(s, place, "David", remind("brush the rabbit", when="PT1H"))
    number = await number_of_newest(s)
    s.say(place, "David", f"/schedules pause {number}")
    await s.answer(place, exactly="Paused: brush the rabbit")
    await s.later(minutes=30)
    s.say(place, "David", f"/schedules resume {number}")
    await s.answer(place, "Resumed. Next: ", "brush the rabbit")
    await s.later(minutes=30, seconds=5)
    await comes(s, place, "brush the rabbit")


@situation(56)
async def the_bot_is_stopped_around_it(s: Stage) -> None:
    place, due = s.d("David"), s.now + timedelta(hours=1)
    await set_reminders(s, place, "David", remind("piano", when=on_clock(due)))
    await s.month.stop()
    s.month.clock.move_to(s.now + timedelta(hours=2))
    await s.month.start()
    await s.answer(place, "⏰ piano", f"This was for {due:%A, %Y-%m-%d %H:%M}.")


@situation(57, "2026-10-20 20:00")
async def the_bot_is_stopped_for_three_days(s: Stage) -> None:
    place = s.t("Clara")
    await set_reminders(s, place, "Clara", remind("pill", repeat="FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=4"))
    await s.until("2026-10-21 09:00:01")
    await comes(s, place, "pill")
    await s.until("2026-10-21 20:30")
    await s.month.set_aside_until(s, "2026-10-24 09:30")
    await s.answer(place, "⏰ pill", "This was for Saturday, 2026-10-24 09:00.", "2 times before it")
    await s.answer(s.t("Anna"), "I was away for 61 hours. Telegram keeps messages for only 24 hours")


@situation(58)
async def the_clock_is_set_back(s: Stage) -> None:
    place = s.t("Anna")
    await set_reminders(s, place, "Anna", remind("pay rent", when="PT30M"))
    await s.later(minutes=30, seconds=2)
    await comes(s, place, "pay rent")
    now = s.month.clock.now()
    await s.month.jump(now - timedelta(hours=1))
    await s.nothing()
    await s.month.jump(now + timedelta(minutes=1))
    await s.nothing()


@situation(59, "2026-10-13 09:00")
async def a_silent_one(s: Stage) -> None:
    place = s.t("Ben")
    at = s.now + timedelta(minutes=30)
    task = call("schedule_create", task="say softly: present", when=on_clock(at), silent=True, tools=[])
    s.model(lambda view: "The present is hidden." if "say softly: present" in view.text else None)
    await set_reminders(s, place, "Ben", task)
    await s.later(minutes=31)
    shown = await s.answer(place, exactly="The present is hidden.")
    s.so(shown.is_silent, "it rings")


@situation(60)
async def a_kill_before_it_is_due(s: Stage) -> None:
    place = s.t("David")
    await set_reminders(s, place, "David", remind("shoes", when="PT10M"))
    await s.kill(60)
    await s.nothing()
    await s.later(minutes=9, seconds=2)
    await comes(s, place, "shoes")


@situation(61)
async def a_kill_when_discord_has_accepted_it(s: Stage) -> None:
    place, discord = s.d("Anna"), s.month.family.discord
    await set_reminders(s, place, "Anna", remind("oven", when="PT10M"))
    await s.month.at_rest()
    discord.faults.on(Route.SEND, DiscordFault.BLACK_HOLE_AFTER)
    s.month.clock.move_to(s.now + timedelta(minutes=9, seconds=59))
    await s.month.jump(s.month.clock.now() + timedelta(seconds=2))
    await s.until_so(lambda: any(each.text == "⏰ oven" for each in place.shown()))
    await s.kill(20)
    await comes(s, place, "oven")


@situation(62)
async def a_kill_when_the_call_was_written(s: Stage) -> None:
    place = s.t("Clara")
    hold, go_on = s.holding("Something that is never said.")

    def rule(view: View) -> Any:
        if "recorder" not in view.text:
            return None
        if view.step == 0:
            return reply(remind("recorder", when="PT10M"))
        return "Set once." if go_on.is_set() else hold

    s.model(rule)
    s.ask(place, "Clara", "remind me: recorder")
    await s.asked(lambda view: view.step == 1)
    go_on.set()
    await s.kill()
    await s.answer(place, exactly="Set once.")
    await s.later(minutes=10)
    await comes(s, place, "recorder")
