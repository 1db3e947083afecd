"""The foreign list: reminders, zones and schedules, 11 to 19."""

from datetime import timedelta
from typing import Any

from tests.month.places import Place
from tests.month.play.reminders import number_of_newest, remind, set_reminders
from tests.month.play.schedules import task
from tests.month.registry import foreign
from tests.month.script import View
from tests.month.stage import Stage, call
from tests.stand_ins.claude import reply
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route
from tests.support.spoken_german import find_english


@foreign(11, "2026-10-06 07:40")
async def the_bot_sleeps_through_the_dentist(s: Stage) -> None:
    place, anna = s.t("Anna"), "Anna"
    calls = [remind("dentist", when="2026-10-06 08:00"), remind("bring the card", when="2026-10-06 08:10")]

    def rule(view: View) -> Any:
        if "dentist" not in view.text:
            return None
        return reply(*calls) if view.step == 0 else f"Both set. {view.results}"

    s.model(rule)
    s.expect_later("dentist", "bring the card")
    s.ask(place, anna, "remind me at 8 about the dentist, and again at 8:10 to bring the card")
    shown = await s.answer(place, "Both set.", "2026-10-06 08:00", "2026-10-06 08:10")
    s.so(shown.text.count("2026-10-") == 2, f"more times than two are named: {shown.text}")
    await s.until("2026-10-06 07:55")
    requests = s.requests
    await s.kill(1800)
    first = await s.answer(place, "⏰ dentist", "Tuesday", "08:00")
    second = await s.answer(place, "⏰ bring the card", "Tuesday", "08:10")
    there = [each.id for each in place.shown()]
    s.so(there.index(first.id) < there.index(second.id), "the card comes before the dentist")
    s.say(place, anna, "/schedules")
    shown = await s.answer(place, "chedules")
    s.so("dentist" not in shown.text and "card" not in shown.text, f"there is still one: {shown.text}")
    s.so(s.requests == requests, "the model was asked at 08:25")


@foreign(12, "2026-10-07 16:58")
async def accepted_then_dead(s: Stage) -> None:
    place, discord = s.d("Clara"), s.month.family.discord
    await set_reminders(s, place, "Clara", remind("oven", when="PT2M"), words="remind me in 2 minutes: oven")
    await s.month.at_rest()
    discord.faults.on(Route.SEND, DiscordFault.BLACK_HOLE_AFTER)
    await s.month.jump(s.month.clock.now() + timedelta(minutes=2, seconds=1))
    await s.until_so(lambda: any(each.text == "⏰ oven" for each in place.shown() if each.id not in s.month.claimed))
    await s.kill(60)
    await s.answer(place, exactly="⏰ oven")


@foreign(13, "2026-10-15 12:00")
async def four_people_one_minute(s: Stage) -> None:
    table, david, home = s.t("table"), s.t("David"), s.d("home")
    at = "2026-10-15 19:00"

    def done(words: str, text: str, place: Place) -> None:
        def rule(view: View) -> Any:
            if words not in view.text:
                return None
            return reply(remind(text, when=at)) if view.step == 0 else "Done."

        s.model(rule)

    for words, text, place in (
        ("tablets for Oma", "tablets for Oma", table),
        ("bins out", "bins out", table),
        ("brush the rabbit", "brush the rabbit", david),
        ("call Mia", "call Mia", home),
    ):
        done(words, text, place)
        s.expect_later(f"⏰ {text}")
    s.allow("Your message is next")
    s.ask(table, "Anna", "remind us at 19:00: tablets for Oma")
    await s.answer(table, exactly="Done.")
    s.ask(table, "Ben", "remind us at 19:00: bins out")
    await s.answer(table, exactly="Done.")
    s.ask(david, "David", "remind me at 19:00 to brush the rabbit")
    await s.answer(david, exactly="Done.")
    s.ask(home, "Clara", "remind me at 19:00: call Mia")
    await s.answer(home, exactly="Done.")
    await s.until("2026-10-15 18:30")
    [(of_mia,), (of_david,)] = s.month.rows(
        "SELECT number FROM schedules WHERE text IN ('call Mia', 'brush the rabbit') "
        "AND state = 'active' ORDER BY text DESC"
    )
    s.command(home, "Clara", f"/schedules delete {of_mia}")
    await s.answer(home, "Deleted: call Mia")
    s.say(david, "David", "/schedules")
    shown = await s.answer(david, "brush the rabbit")
    await s.tap(david, "David", shown, f"Pause {of_david}", "Paused: brush the rabbit")
    await s.month.at_rest()
    for each in s.month.unclaimed(david):
        s.month.claim(each)
    await s.until("2026-10-15 18:40")
    s.say(table, "Anna", "/schedules")
    await s.answer(table, "tablets for Oma", lacks=("bins out",))
    s.say(table, "Ben", "/schedules")
    await s.answer(table, "bins out", lacks=("tablets",))
    await s.until("2026-10-15 19:00:01")
    await s.answer(table, exactly="⏰ tablets for Oma")
    await s.answer(table, exactly="⏰ bins out")
    await s.nothing()
    await s.until("2026-10-15 19:05")
    s.month.books.never.add("brush the rabbit")
    s.say(david, "David", f"/schedules resume {of_david}")
    await s.answer(david, "brush the rabbit", lacks=("⏰",))
    await s.until("2026-10-15 20:00")


@foreign(14, "2026-10-02 18:00")
async def the_hour_that_does_not_exist(s: Stage) -> None:
    place = s.t("Ben")
    s.say(place, "Ben", "/timezone Australia/Sydney")
    await s.answer(place, "Australia/Sydney")
    await s.until("2026-10-03 12:00")  # 20:00 in Sydney
    calls = [
        remind("call the airline", when="2026-10-04 02:30"),
        remind("tablets", when="2026-10-04 09:00", repeat="FREQ=DAILY;COUNT=7"),
    ]

    def rule(view: View) -> Any:
        if "call the airline" not in view.text:
            return None
        return reply(*calls) if view.step == 0 else " ".join(view.results)

    s.model(rule)
    s.expect_later("⏰ call the airline", "⏰ tablets")
    s.ask(
        place, "Ben", "remind me tonight at 2:30 to call the airline and every day at 9 remind me: tablets, for a week"
    )
    times = ("2026-10-04 09:00", "2026-10-05 09:00", "2026-10-06 09:00")
    await s.answer(place, "Australia/Sydney", *times)
    await s.until("2026-10-03 17:59:30")
    await s.nothing()
    await s.until("2026-10-03 18:00:01")  # 03:00 in Sydney
    await s.answer(place, exactly="⏰ call the airline")
    for day in range(4, 11):
        await s.until(f"2026-10-{day:02} 00:00:01")  # 09:00 in Sydney
        await s.answer(place, exactly="⏰ tablets")
    await s.until("2026-10-11 06:00")
    s.say(place, "Ben", "/timezone Europe/Berlin")
    await s.answer(place, "Europe/Berlin")


@foreign(15, "2026-10-24 20:00")
async def the_hour_that_comes_twice(s: Stage) -> None:
    helga, clara, anna = s.t("Helga"), s.d("Clara"), s.t("Anna")
    s.say(anna, "Anna", "/people telegram 1005 give schedule")
    await s.answer(anna, "1005")
    daily = "FREQ=DAILY;BYHOUR=2;BYMINUTE=30"

    def rule(view: View) -> Any:
        if "Tropfen" in view.text and view.step == 0:
            return reply(remind("Tropfen", repeat=daily))
        if "telescope" in view.text and view.step == 0:
            sunday = "2026-10-25 07:00"
            return reply(remind("check the telescope", repeat=daily), remind("breakfast is early", when=sunday))
        return " ".join(view.results) if view.step else None

    s.model(rule)
    s.expect_later("⏰")
    s.ask(helga, "Helga", "Erinnere mich jede Nacht um halb drei an die Tropfen")
    await s.answer(helga, "2026-10-25 02:30", "2026-10-26 02:30")
    first = await number_of_newest(s)
    s.ask(
        clara, "Clara", "remind me every day at 2:30 to check the telescope, and on Sunday at 7 that breakfast is early"
    )
    await s.answer(clara, "2026-10-25 02:30", "2026-10-25 07:00")
    await s.until(s.month.utc("2026-10-25 00:30:01"))
    await s.answer(helga, exactly="⏰ Tropfen")
    await s.answer(clara, exactly="⏰ check the telescope")
    await s.until(s.month.utc("2026-10-25 01:31"))
    await s.nothing()
    await s.until(s.month.utc("2026-10-25 06:00:01"))
    await s.answer(clara, exactly="⏰ breakfast is early")
    await s.until(s.month.utc("2026-10-26 01:30:01"))
    await s.answer(helga, exactly="⏰ Tropfen")
    await s.answer(clara, exactly="⏰ check the telescope")
    s.say(helga, "Helga", f"/schedules delete {first}")
    await s.answer(helga, "Tropfen")
    s.command(clara, "Clara", f"/schedules delete {first + 1}")
    await s.answer(clara, "Deleted: check the telescope")


@foreign(16, "2026-10-27 15:00")
async def ben_is_german_now(s: Stage) -> None:
    place, table = s.t("David"), s.t("table")

    async def gives(text: str, *, is_german: bool, at: Place = place) -> str:
        s.say(at, "David", text)
        await s.month.at_rest()
        told = "\n".join(each.raw for each in s.month.unclaimed(at))
        for each in s.month.unclaimed(at):
            s.month.claim(each)
        s.so(told, f"{text} is not answered")
        if is_german:
            s.so(not find_english([told]), f"{text} is answered in English: {told[:200]}")
        return told

    await gives("/language de", is_german=True)
    await gives("/help", is_german=True)
    await gives("/status", is_german=True)
    film = s.document("film.mp4", b"?", "video/mp4")
    film["document"]["file_size"] = 25 * 2**20
    s.ask(place, "David", media=film, mark="failed")
    shown = await s.answer(place, "25", "20")
    s.so(not find_english([shown.raw]), f"it is English: {shown.raw}")
    await gives("/language xx", is_german=True)
    s.say(table, "Anna", "/whereami")
    await s.answer(table, "This chat")
    await gives("/whereami", is_german=True, at=table)
    with s.in_english():
        await gives("/language en", is_german=False)
        told = await gives("/help", is_german=False)
        s.so("/stop: stop what I do for you" in told, "it is not English again")
    await gives(f"/language {s.month.family.language}", is_german=False)


@foreign(17, "2026-10-12 20:00")
async def killed_at_breakfast_news(s: Stage) -> None:
    place = s.t("Clara")
    repeat = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0"
    text = "tell what is in homework.md"
    hold, go_on = s.holding("Something that is never said.")
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

    def rule(view: View) -> Any:
        if "every weekday at 7" in view.text:
            if view.step == 0:
                return reply(task(text, repeat=repeat, tools=["read_file"]))
            return " ".join(view.results)
        if text not in view.text:
            return None
        if view.step == 0:
            return reply(call("read_file", path="homework.md"))
        day = next(each for each in days if f"is due: {each}" in view.text)
        return hold if day == "Wed" and not go_on.is_set() else f"It is {day}: {'maths' in str(view.results)}"

    s.model(rule)
    s.expect_later("It is ")
    s.calls([call("write_file", path="homework.md", content="maths page 4")], "Written.", about="write it down")
    s.ask(place, "Clara", "write it down")
    await s.answer(place, exactly="Written.")
    s.rules.clear()
    s.model(rule)
    s.ask(place, "Clara", "every weekday at 7, tell me what is in homework.md")
    await s.answer(place, "Tue 2026-10-13 07:00", "Wed 2026-10-14 07:00", "Thu 2026-10-15 07:00")
    number = await number_of_newest(s)
    await s.until("2026-10-13 07:00:01")
    await s.answer(place, exactly="It is Tue: True")
    await s.until("2026-10-14 06:59")
    await s.month.at_rest()
    await s.jump_to("2026-10-14 07:00:01")
    await s.asked(lambda view: "is due: Wed" in view.text and view.step == 1)
    go_on.set()
    await s.kill(180)
    await s.answer(place, exactly="It is Wed: True")
    for day, name in ((15, "Thu"), (16, "Fri")):
        await s.until(f"2026-10-{day} 07:00:01")
        await s.answer(place, exactly=f"It is {name}: True")
    await s.until("2026-10-18 12:00")
    s.say(place, "Clara", f"/schedules delete {number}")
    await s.answer(place, "Deleted")


@foreign(18, "2026-10-05 07:10")
async def nothing_to_say_is_nothing_said(s: Stage) -> None:
    place, shelf = s.t("Anna"), s.month.family.workspace / "plans.md"
    shelf.write_text("Paris\n")
    hours = ",".join(map(str, range(8, 19)))  # the window of the situation, since a schedule has one condition
    text = "tell what is new in the plans"

    def rule(view: View) -> Any:
        if "only if plans.md has changed" in view.text:
            if view.step == 0:
                repeat = f"FREQ=DAILY;BYHOUR={hours};BYMINUTE=0"
                return reply(task(text, repeat=repeat, only_if="file_changed", what="plans.md", tools=["read_file"]))
            return "I will."
        if text not in view.text:
            return None
        if view.step == 0:
            return reply(call("read_file", path="plans.md"))
        return f"New: {'Rome' if 'Rome' in str(view.results) else 'Oslo' if 'Oslo' in str(view.results) else '?'}"

    s.model(rule)
    s.expect_later("New: ")
    s.ask(place, "Anna", "Every hour between 8 and 18, but only if plans.md has changed, tell me what is new.")
    await s.answer(place, exactly="I will.")
    number = await number_of_newest(s)
    await s.until("2026-10-09 11:20")
    runs = s.month.number("SELECT count(*) FROM turns WHERE schedule = ?", number)
    s.so(runs == 0, f"it has run {runs} times although nothing had changed")
    shelf.write_text("Rome\n")
    await s.until("2026-10-09 12:00:01")
    await s.answer(place, exactly="New: Rome")
    await s.until("2026-10-09 20:00")
    shelf.write_text("Oslo\n")
    await s.until("2026-10-10 08:00:01")
    await s.answer(place, exactly="New: Oslo")
    await s.until("2026-10-10 12:05")
    shelf.unlink()
    s.allow("New: ?")  # see decisions.md
    await s.until("2026-10-10 19:00")
    s.say(place, "Anna", f"/schedules delete {number}")
    await s.answer(place, "Deleted")


@foreign(19, "2026-10-28 15:00")
async def the_router_and_the_21st_reminder(s: Stage) -> None:
    place = s.d("Clara")
    url = "http://192.168.178.1/status"

    def makes(words: str, *calls: Any) -> None:
        s.calls(list(calls), lambda view: " | ".join(view.results), about=words)

    makes("when http", task("watch it", repeat="FREQ=HOURLY;INTERVAL=1", only_if="page_changed", what=url))
    s.ask(place, "Clara", f"tell me when {url} changes")
    shown = await s.answer(place)
    s.so("is made" not in shown.text, f"the router is watched: {shown.text}")
    makes("every 2 minutes", task("tell the time", repeat="FREQ=MINUTELY;INTERVAL=2"))
    s.ask(place, "Clara", "every 2 minutes tell me the time")
    await s.answer(place, "15 minutes")
    have = s.month.number(
        "SELECT count(*) FROM schedules WHERE state != 'over' AND address LIKE 'discord:@%' AND person = ?",
        str(s.month.family.members["Clara"].id),
    )
    s.so(have <= 1, "other schedules are left")
    twenty = [remind(f"number {number}", when=f"2026-12-24 {number % 24:02}:00") for number in range(1, 21 - have)]
    s.calls(twenty, lambda view: f"Made: {sum('is made' in each for each in view.results)}.", about="twenty")
    s.ask(place, "Clara", "make the twenty")
    await s.answer(place, exactly=f"Made: {len(twenty)}.")
    makes("one more", remind("number 21", when="2026-12-24 21:00"))
    s.ask(place, "Clara", "one more")
    await s.answer(place, "20 schedules already")
    s.command(place, "Clara", "/schedules")
    shown = await s.answer(place, "number 1")
    label = next(each for each in shown.labels if each.startswith("Delete"))
    await s.tap(place, "Clara", shown, label, "Deleted")
    await s.month.at_rest()
    for each in s.month.unclaimed(place):
        s.month.claim(each)
    s.ask(place, "Clara", "one more, please")
    await s.answer(place, "is made")
    s.so(s.month.number("SELECT count(*) FROM schedules WHERE text LIKE 'number %'") == len(twenty), "one is lost")
    numbers = [n for (n,) in s.month.rows("SELECT number FROM schedules WHERE text LIKE 'number %'")]
    for number in numbers:
        s.command(place, "Clara", f"/schedules delete {number}")
        await s.answer(place, "Deleted")
