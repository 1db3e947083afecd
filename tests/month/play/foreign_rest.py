"""The foreign list: files that are sent, forgetting, edits and trouble, 32 to 40."""

import asyncio
from datetime import timedelta
from typing import Any

from tests.month.play.files_out import LONG, digest, file_comes, files_of, put, unclaimed_files
from tests.month.play.foreign_memory import link
from tests.month.play.memories import found
from tests.month.play.reminders import remind
from tests.month.play.schedules import task
from tests.month.play.troubles import WAITS, busy, is_known
from tests.month.registry import foreign
from tests.month.script import View, picture
from tests.month.stage import Stage, call
from tests.stand_ins.claude import reply
from tests.stand_ins.discord import Upload
from tests.stand_ins.telegram import Fault
from tests.support import sample_documents as sample
from tests.support.spoken_german import find_english


@foreign(32)
async def the_photo_book(s: Stage) -> None:
    place, telegram = s.t("Anna"), s.month.family.telegram
    colours = ("red", "green", "blue", "yellow")
    there = {f"holiday/{colour}.jpg": picture(colour, 400, 300, "JPEG") for colour in colours}
    for name, content in there.items():
        put(s, name, content)
    listed = b"four pictures\n" * 20
    put(s, "list.txt", listed)
    s.model(lambda view: "You are welcome." if "thanks" in view.text else None)
    calls = [call("send_file", path=list(there), caption="the best four"), call("send_file", path="list.txt")]
    s.calls(calls, "There they are.", about="four best of holiday")
    telegram.faults.next("sendMediaGroup", Fault.BLACK_HOLE)
    s.ask(place, "Anna", "send me the four best of holiday/ as pictures, and the list")
    await s.until_so(lambda: len(unclaimed_files(s, place)) >= 4)
    put(s, "holiday/red.jpg", picture("black", 400, 300, "JPEG"))
    s.allow("I was interrupted")
    await s.kill(30)
    await s.answer(place, exactly="There they are.")
    await s.month.at_rest()
    files = unclaimed_files(s, place)
    photos = [each for each in files if "photo" in each.message.media]
    hashes = [one for each in photos for _, one in files_of(s, each)]
    wanted = [digest(each) for each in there.values()]
    s.so(hashes in (wanted, wanted + wanted), f"{len(photos)} photos came")
    s.so("the best four" in photos[0].text, "the caption is missing")
    s.so(len(photos) == 4 or photos[4].is_marked, "the copy has no mark")
    lists = [each for each in files if each not in photos]
    s.so([one for each in lists for _, one in files_of(s, each)] == [digest(listed)], "the list did not come once")
    for each in files:
        s.month.claim(each)
    s.ask(place, "Anna", "thanks")
    await s.answer(place, exactly="You are welcome.")


@foreign(33)
async def the_answer_that_is_a_book(s: Stage) -> None:
    place, home = s.t("Clara"), s.d("home")
    head = [f"column {number}" for number in range(8)]
    row = ["`a\\|b`", *(f"cell {number}" for number in range(1, 8))]
    table = "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * 8, row, [*row[1:], "last"]))
    cases = f"These are the cases.\n\n{table}\n\n" + LONG[:8_600]
    s.model(lambda view: LONG if "Weimar Republic" in view.text else None)
    s.model(lambda view: cases if "insurance cases" in view.text else None)
    s.ask(place, "Clara", "everything about the Weimar Republic")
    await file_comes(s, place, "answer.md", LONG.encode())
    shown = await s.answer(place, "Paragraph 0.")
    s.so(len(shown.text) <= 4_096, f"it has {len(shown.text)} characters")
    s.ask(home, "Ben", "all our insurance cases, as a table, and explain each")
    await s.until_so(lambda: unclaimed_files(s, home))
    shown = await s.answer(home, "These are the cases.", "column 0: ", "a|b", "column 7: cell 7")
    s.so(len(shown.text) <= 2_000, f"it has {len(shown.text)} characters")
    s.so(not shown.is_silent, "it does not ring")
    for each in unclaimed_files(s, home):
        s.so(each.is_silent, "the file rings too")
        s.month.claim(each)


@foreign(34)
async def what_may_not_leave_the_house(s: Stage) -> None:
    home, david = s.d("home"), s.d("David")
    put(s, "nothing.txt", b"")
    put(s, "film.mp4", b"\0" * 14 * 2**20)
    put(s, ".env", b"SECRET=1")
    put(s, "menu.pdf", b"%PDF-1.4 menu")
    paths = ("../secrets/token", ".env", "nothing.txt", "film.mp4", "menu.pdf")

    def rule(view: View) -> Any:
        if "send us the file" not in view.text:
            return None
        if view.step < len(paths):
            return reply(call("send_file", path=paths[view.step]))
        results = list(view.all_results)
        return " || ".join(results[-len(paths) :])

    s.model(rule)
    s.ask(home, "Ben", "send us the file ../secrets/token, then .env, then nothing.txt, film.mp4 and menu.pdf")
    await file_comes(s, home, "menu.pdf", b"%PDF-1.4 menu")
    shown = await s.answer(home, "||", lacks=("SECRET",))
    parts = shown.text.split(" || ")
    for part, word in zip(parts, ("outside", "", "empty", "", ""), strict=False):
        s.so(word in part, f"{word} is not in {part}")
    s.so(len(set(parts)) == len(paths), f"the reasons are {parts}")
    s.rules.clear()
    s.calls([call("send_file", path="menu.pdf")], lambda view: f"No: {view.results}", about="send me menu.pdf")
    s.ask(david, "David", "send me menu.pdf", mark="any")
    await s.answer(david, "No: ")
    await s.month.at_rest()
    s.so(not unclaimed_files(s, david), "David has the file")


@foreign(35, "2026-10-28 12:00")
async def forget_me_and_die_trying(s: Stage) -> None:
    place, table, anna = s.t("Helga"), s.t("table"), s.t("Anna")
    s.say(anna, "Anna", "/people telegram 1005 give schedule")
    await s.answer(anna, "1005")
    s.model(lambda view: "Gute Besserung." if "Wiesengrund" in view.text else None)
    s.model(lambda view: "Schön." if view.colours else None)
    s.ask(place, "Helga", "mein Arzt heißt Doktor Wiesengrund")
    await s.answer(place, exactly="Gute Besserung.")
    for _ in range(2):
        s.ask(place, "Helga", media=s.photo("red"))
        await s.answer(place, exactly="Schön.")
    daily = remind("Tropfen", repeat="FREQ=DAILY;BYHOUR=21;BYMINUTE=0")
    s.calls([daily], "Gerne.", about="Erinnere mich jeden Abend")
    s.expect_later("⏰ Tropfen")
    s.ask(place, "Helga", "Erinnere mich jeden Abend an die Tropfen")
    await s.answer(place, exactly="Gerne.")
    s.model(lambda view: "Um acht." if "der Zug" in view.text else None)
    s.ask(table, "Helga", "wann kommt der Zug?")
    await s.answer(table, exactly="Um acht.")
    s.model(lambda view: "A film." if "what do we watch" in view.text else None)
    s.ask(table, "Anna", "what do we watch?")
    own = await s.answer(table, exactly="A film.")
    for day in (28, 29):
        await s.until(f"2026-10-{day} 21:00:01")
        await s.answer(place, exactly="⏰ Tropfen")
    await s.until("2026-10-30 20:50")
    s.say(place, "Helga", "/forget everything")
    asked = await s.answer(place)
    s.so(not find_english([asked.raw]), f"the question is English: {asked.raw}")
    before = s.month.number("SELECT count(*) FROM schedules WHERE text = 'Tropfen'")
    place.tap("Helga", asked, asked.labels[0])
    await s.until_so(
        lambda: s.month.number("SELECT count(*) FROM schedules WHERE text = 'Tropfen'") < before, what="it is deleted"
    )
    await s.kill(480)
    await s.month.at_rest()
    told = [each for each in s.month.unclaimed(place) if not each.is_marked]
    s.so(len(told) <= 1, f"it is confirmed more than once: {told}")
    s.so(not find_english([each.raw for each in told]), f"the confirmation is English: {told}")
    s.month.claim_all()
    await s.until("2026-10-30 21:30")
    await s.until_so(lambda: not s.month.is_in_files("Wiesengrund"), what="the words are in no file")
    calls = [call("conversation_search", query="Arzt"), call("memory_search", query="Arzt")]
    s.calls(calls, found, about="wie heißt mein Arzt?")
    s.allow("not allowed")
    s.ask(place, "Helga", "wie heißt mein Arzt?", mark="any")
    await s.answer(place, "Found: ", lacks=("Wiesengrund",))
    s.so(own.text == "A film." and own.id in [each.id for each in table.shown()], "Anna's answer is gone")


@foreign(36, "2026-10-31 14:00")
async def half_of_a_whisper(s: Stage) -> None:
    t, d, table = s.t("Clara"), s.d("Clara"), s.t("table")
    await link(s, "Clara")
    s.say(t, "Clara", "/privacy")
    await s.answer(t, "back")
    s.say(table, "Clara", "/forget everything")
    await s.answer(table, "private")
    hold, go_on = s.holding("A slow answer.")
    s.model(lambda view: hold if "a slow one" in view.text and not go_on.is_set() else None)
    s.ask(t, "Clara", "a slow one", mark="any")
    await s.asked()
    s.command(d, "Clara", "/forget everything")
    asked = await s.answer(d, "Shall I forget everything")
    await s.tap(d, "Clara", asked, asked.labels[0], "still at work for you")
    s.say(t, "Clara", "/stop")
    await s.answer(t, "topped")
    await s.month.at_rest()
    s.month.claim_all()
    s.command(d, "Clara", "/forget everything")
    asked = await s.answer(d, "Shall I forget everything")
    s.allow("I have forgotten you")  # also as a message, if the tap was answered too late
    await s.tap(d, "Clara", asked, asked.labels[0])
    await s.month.at_rest()
    s.month.claim_all()
    s.calls(
        [call("conversation_search", query="Clara")], lambda view: "Nothing." if view.results else "", about="tell you"
    )
    s.ask(table, "Ben", "what did Clara tell you?")
    await s.answer(table, exactly="Nothing.")
    s.model(lambda view: "Hello." if "hi" in view.text else None)
    for place in (t, d):
        s.ask(place, "Clara", "hi", mark="any")
        await s.answer(place, exactly="Hello.")
    s.command(d, "Clara", "/unlink")
    await s.answer(d, "not linked with another one")


@foreign(37)
async def the_message_that_was_never_meant(s: Stage) -> None:
    place = s.d("home")
    words = ("annoying", "moon", "sun", "mars")
    s.model(lambda view: f"You say {view.said(*words)}." if view.said(*words) else None)
    go_on = busy(s, "compare three hotels", "Hotel B.")
    s.ask(place, "Ben", "compare three hotels")
    await s.asked()
    theirs = s.ask(place, "Clara", "tell Ben that he is annoying", mark="any")
    asked = s.ask(place, "David", "how old is the moon?")
    await is_known(s, "annoying")
    await is_known(s, "how old is the moon")
    place.delete("Clara", theirs)
    place.edit("David", asked, f"{place.mention} how old is the sun?")
    await is_known(s, "how old is the sun")
    await s.month.settle()
    go_on.set()
    await s.answer(place, exactly="Hotel B.")
    shown = await s.answer(place, exactly="You say sun.")
    s.so(shown.reply_to is asked, "it is no reply to David")
    place.edit("David", asked, f"{place.mention} how old is mars?")
    await s.nothing()


@foreign(38)
async def telegram_never_tells(s: Stage) -> None:
    place = s.t("table")
    words = ("Friday", "Thursday", "Wednesday", "a dog")
    s.model(lambda view: f"You say {view.said(*words)}." if view.said(*words) else None)
    go_on = busy(s, "plan the week", "Planned.")
    s.ask(place, "Anna", "plan the week")
    await s.asked()
    exam = s.say(place, "Clara", "the plan needs my exam on Friday", mark="any")
    await s.month.settle()
    place.edit("Clara", exam, f"{place.mention} the plan needs my exam on Thursday")
    dog = s.ask(place, "David", "can I have a dog", mark="any")
    place.room.erase(dog)
    await is_known(s, "exam on Thursday")
    await is_known(s, "can I have a dog")
    go_on.set()
    await s.answer(place, exactly="Planned.")
    await s.month.at_rest()
    there = [each.plain for each in s.month.unclaimed(place) if not any(word in each.text for word in WAITS)]
    s.month.claim_all()
    whole = " ".join(there)
    s.so(whole.count("a dog") == 1, f"David is not answered once: {there}")
    s.so(whole.count("Thursday") == 1 and "Friday" not in whole, f"Clara is not answered once: {there}")
    place.edit("Clara", exam, f"{place.mention} the plan needs my exam on Wednesday")
    await s.nothing()


@foreign(39, "2026-10-29 15:30")
async def the_server_is_away_at_tea_time(s: Stage) -> None:
    david, ben, home = s.t("David"), s.d("Ben"), s.d("home")
    s.may_repeat = True
    s.calls([remind("feed the rabbit", when="2026-10-29 16:00")], "Set.", about="rabbit at four")
    dinner = task("what is for dinner?", repeat="FREQ=DAILY;BYHOUR=16;BYMINUTE=5;COUNT=1")
    s.calls([dinner], "I will.", about="each day at 16:05")
    s.model(lambda view: "Soup." if "what is for dinner?" in view.text and "has made" in view.text else None)
    s.model(lambda view: f"It is {view.colours[0]}." if "colour?" in view.text and view.colours else None)
    s.expect_later("⏰ feed the rabbit", "Soup.")
    s.allow("model", "server")
    s.ask(david, "David", "rabbit at four")
    await s.answer(david, exactly="Set.")
    s.ask(ben, "Ben", "each day at 16:05, say it")
    await s.answer(ben, exactly="I will.")
    await s.until("2026-10-29 15:55")
    async with s.month.family.claude.away():
        await s.jump_to("2026-10-29 16:00:01")
        await s.answer(david, exactly="⏰ feed the rabbit")
        s.ask(home, "Clara", "colour?", mark="any", attachments=[Upload("a.png", picture("purple"))])
        await s.jump_to("2026-10-29 16:05:01")
        await asyncio.sleep(1)
        s.command(home, "Clara", "/status")
        await s.answer(home, "Clara")
        s.say(david, "David", "/schedules")
        await s.answer(david, "chedules")
        await asyncio.sleep(1)
    s.month.clock.move_to(s.month.clock.now() + timedelta(minutes=10))
    await s.until_so(lambda: any("It is purple." in each.text for each in home.shown()), 40, "purple came")
    await s.answer(home, exactly="It is purple.")
    await s.until_so(lambda: any(each.text == "Soup." for each in s.month.unclaimed(ben)), 40, "soup came")
    await s.answer(ben, exactly="Soup.")


@foreign(40)
async def the_file_that_does_not_come(s: Stage) -> None:
    table, anna, telegram = s.t("table"), s.t("Anna"), s.month.family.telegram
    rent = sample.xlsx({"Rent": [["month", "sum"], ["May", 900]]})
    s.model(lambda view: "Monday." if "what day is it?" in view.text else None)
    s.model(lambda view: "Yes." if "are you there?" in view.text else None)
    words = ("Rent", "is the sum right?", "who is on bin duty?")
    s.model(lambda view: f"Ben: {view.said(*words)}" if view.said(*words[1:]) else None)
    s.allow("Your message is next")
    telegram.faults.always("getFile", Fault.SERVER_ERROR)
    s.ask(table, "Ben", "is the sum right?", media=s.document("rent.xlsx", rent))
    s.ask(table, "Ben", "by the way, who is on bin duty?")
    s.ask(table, "Clara", "what day is it?")
    await s.answer(table, exactly="Monday.")
    s.ask(anna, "Anna", "are you there?")
    await s.answer(anna, exactly="Yes.")
    s.so(not s.month.new_texts(table), "Ben is answered before his file is settled")
    s.month.clock.move_to(s.month.clock.now() + timedelta(minutes=11))
    await s.until_so(lambda: any("could not" in each for each in s.month.new_texts(table)), 40, "Ben is told")
    await s.answer(table, "I could not get rent.xlsx", lacks=("Ben: ",))
    await s.month.at_rest()
    there = list(s.month.unclaimed(table))
    whole = " ".join(each.text for each in there)
    s.so(whole.count("is the sum right?") == 1, f"the first is not answered once: {whole}")
    s.so(whole.count("bin duty?") == 1, f"the second is not answered once: {whole}")
    for each in there:
        s.month.claim(each)
    telegram.faults.always("getFile", None)
    asked = len(telegram.calls)
    await s.month.settle()
    s.so(not [each for each in telegram.calls[asked:] if each.method == "getFile"], "it is still fetched")
    s.ask(table, "Ben", "is the sum right?", media=s.document("rent.xlsx", rent))
    await s.answer(table, exactly="Ben: Rent, is the sum right?")
