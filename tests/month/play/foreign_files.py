"""The foreign list: pictures, files and voice notes, 1 to 10."""

from typing import Any

from tests.month.play.files import names
from tests.month.play.reminders import remind
from tests.month.registry import foreign
from tests.month.script import View
from tests.month.stage import Stage, call, ogg
from tests.stand_ins.claude import reply
from tests.stand_ins.discord import Flag, Upload
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.transcriptions import SILENCE, Fault
from tests.support import sample_documents as sample
from tests.support.sample_media import pdf, png
from tests.support.spoken_german import find_english


@foreign(1)
async def three_captions_one_album(s: Stage) -> None:
    place, downloads = s.t("Ben"), s.month.family.telegram.downloads
    captions = ["kitchen", "bath", "which one is cheapest to repair?"]
    s.model(lambda view: f"{len(view.colours)} pictures: {', '.join(view.colours)}. {view.said(*captions)}")
    before = len(downloads.asked)
    downloads.next(None, None, DownloadFault.SILENT)
    s.album(place, "Ben", *(s.photo(one) for one in ("red", "green", "blue")), captions=captions)
    await s.until_so(lambda: len(downloads.asked) >= before + 3)
    await s.kill(20)
    await s.answer(place, exactly=f"3 pictures: red, green, blue. {', '.join(captions)}")


@foreign(2, "2026-10-03 08:00")
async def that_one_from_last_week(s: Stage) -> None:
    place = s.t("holiday")
    photo = s.say(place, "Ben", media=s.photo("yellow"))
    await s.nothing()
    for day in range(4, 8):
        await s.until(f"2026-10-{day:02} 08:00")
        for number in range(5):
            s.say(place, "Ben", f"line {day}-{number} about the weather")
            s.say(place, "Anna", f"answer {day}-{number}")
        await s.nothing()
    await s.until("2026-10-10 08:00")
    s.model(lambda view: f"{', '.join(view.colours)} by {view.said('Ben', 'Anna posted')}")
    asked = s.ask(place, "Clara", "how many people fit in there?", reply_to=photo)
    shown = await s.answer(place, "yellow by ", "Ben")
    s.so(shown.reply_to is asked, "it is no reply to Clara")
    s.so(place.marks(photo) == [], "Ben's photo has a mark")


@foreign(3)
async def the_picture_that_explodes(s: Stage) -> None:
    david, home = s.d("David"), s.d("home")
    s.model(
        lambda view: f"{len(view.colours)} pictures; {view.lines('is not shown: .*')}" if "on it" in view.text else None
    )
    s.model(lambda view: "144" if "12 times 12" in view.text else None)
    process = s.month.process
    s.ask(david, "David", "what's on it?", attachments=[Upload("lol.png", png(60_000, 60_000, padding=9_000))])
    s.ask(home, "Clara", "what is 12 times 12?")
    await s.answer(home, exactly="144")
    await s.answer(david, "0 pictures; ", "is not shown", lacks=("Traceback", "/tmp/"))
    s.model(lambda view: "Hi." if "ok, and hi" in view.text else None)
    s.ask(david, "David", "ok, and hi")
    await s.answer(david, exactly="Hi.")
    s.command(david, "David", "/status")
    await s.answer(david, "not working on anything")
    s.so(s.month.process is process and process and process.is_running, "it is another process")


@foreign(4)
async def the_lease(s: Stage) -> None:
    place, downloads = s.t("Anna"), s.month.family.telegram.downloads
    lease = pdf(9) + b"%" * 12 * 2**20
    s.allow("I was interrupted")
    words = ("when does it end?", "and how much is the deposit?")
    s.model(lambda view: f"{len(view.pdfs)} PDF of {sum(map(len, view.pdfs))} bytes. {view.said(*words)}")
    downloads.next(DownloadFault.SILENT)
    before = len(downloads.asked)
    s.ask(place, "Anna", words[0], media=s.document("elm-street.pdf", lease, "application/pdf"))
    s.ask(place, "Anna", words[1])
    await s.until_so(lambda: len(downloads.asked) > before)
    await s.kill(60)
    first = await s.answer(place, f"1 PDF of {len(lease)} bytes", words[0])
    if words[1] not in first.text:
        await s.answer(place, words[1])
    s.rules.clear()
    s.calls([call("list_dir", path="inbox")], lambda view: view.results[0], about="what is in my inbox?")
    s.ask(place, "Anna", "what is in my inbox?")
    shown = await s.answer(place, "elm-street")
    s.so(shown.text.count("elm-street") == 1, f"there is not one lease: {shown.text}")


@foreign(5)
async def thirty_one_megabytes(s: Stage) -> None:
    place, downloads = s.t("Ben"), s.month.family.telegram.downloads
    film = s.document("holiday.mp4", b"?", "video/mp4")
    film["document"]["file_size"] = 31 * 2**20
    before = len(downloads.asked)
    s.model(lambda view: f"I see {view.said('item;who', 'did we forget anything?')}. Told: {view.said('31 MB')}.")
    csv = s.document("packing.csv", b"item;who\ntent;Ben", "text/csv")
    s.album(place, "Ben", film, csv, captions=["did we forget anything?", ""], mark="any")
    await s.answer(place, "31 MB", "20", lacks=("I see",))
    shown = await s.answer(place, "item;who", "did we forget anything?", "Told: 31 MB.")
    s.so(shown.text.count("did we forget") == 1, "the caption is there twice")
    s.so(len(downloads.asked) == before + 1, f"these were fetched: {downloads.asked[before:]}")


@foreign(6)
async def what_says_it_is_a_text(s: Stage) -> None:
    rows = [["year", "event"], ["1919", "constitution"], ["1933", "end"]]
    essay = sample.docx(sample.paragraph("The Weimar Republic", "Heading1") + sample.word_table(rows))

    def rule(view: View) -> str:
        table = view.lines(r"^> \|.*\|$")
        lines = [line for line in table if "---" not in line]
        return f"{view.said('The Weimar Republic')}, {len(lines)} rows; empty: {view.said('notes.txt', 'empty')}"

    s.model(rule)
    place = s.d("Clara")
    files = [Upload("essay.txt", essay), Upload("notes.txt", b"")]
    s.ask(place, "Clara", "correct the spelling in both", attachments=files)
    await s.answer(place, "The Weimar Republic, 3 rows", "notes.txt", "empty", lacks=("PK",))


@foreign(7)
async def david_may_show_a_file(s: Stage) -> None:
    place, anna = s.t("David"), s.t("Anna")
    book = sample.xlsx({"4b": [["Monday", "maths"]]})
    s.model(names("4b", "Monday"))
    s.ask(place, "David", "when is PE?", media=s.document("timetable.xlsx", book))
    await s.answer(place, exactly="I read 4b, Monday.")
    s.rules.clear()
    s.say(place, "David", "/new", mark="done")
    await s.answer(place, "new conversation")
    s.calls([call("list_dir", path="inbox")], lambda view: f"It says: {view.results[0]}", about="inbox")
    s.ask(place, "David", "read my timetable again from the inbox")
    await s.answer(place, "It says: ", lacks=("timetable", "lease"))
    s.ask(anna, "Anna", "list inbox/")
    await s.answer(anna, "It says: ", lacks=("timetable",))
    s.rules.clear()
    s.say(anna, "Anna", "/people telegram 1004 give read files")
    await s.answer(anna, "1004")
    s.model(names("4b", "Monday"))
    s.ask(place, "David", "keep it this time", media=s.document("timetable.xlsx", book))
    s.ask(s.d("David"), "David", "and here?", attachments=[Upload("timetable.xlsx", book)])
    await s.answer(place, exactly="I read 4b, Monday.")
    await s.answer(s.d("David"), exactly="I read 4b, Monday.")
    s.rules.clear()

    def reads(view: View) -> Any:
        if "read my timetable" not in view.text:
            return None
        if view.step == 0:
            return reply(call("glob", pattern="inbox/**/*timetable*"))
        if view.step == 1:
            return reply(call("read_file", path=view.results[0].split()[0]))
        return f"Read: {'Monday' in view.results[0] or view.results}."

    s.model(reads)
    s.ask(place, "David", "read my timetable")
    await s.answer(place, exactly="Read: True.")
    s.calls([call("list_dir", path="inbox")], lambda view: f"It says: {view.results[0]}", about="read my list")
    s.ask(s.d("David"), "David", "read my list")
    await s.answer(s.d("David"), "It says: ", lacks=("timetable",))
    s.say(anna, "Anna", "/people telegram 1004 take read files")
    await s.answer(anna, "1004")


@foreign(8, "2026-10-19 17:00", voice=True)
async def a_voice_note_from_the_motorway(s: Stage) -> None:
    place, voice = s.t("Ben"), s.month.family.voice
    voice.text = "Remind me at six to fetch David from training, and tell me what is in the fridge list."
    voice.faults.append(SILENCE)
    before = voice.asked

    def rule(view: View) -> Any:
        if "training" not in view.text:
            return None
        if view.step == 0:
            return reply(remind("fetch David from training", when="2026-10-19 18:00"))
        return "Set. The fridge list is empty."

    s.model(rule)
    s.expect_later("fetch David from training")
    s.ask(place, "Ben", media=s.voice(seconds=40))
    await s.until_so(lambda: voice.asked > before)
    await s.kill(30)
    await s.answer(place, exactly="Set. The fridge list is empty.")
    s.say(place, "Ben", "/schedules")
    shown = await s.answer(place, "fetch David from training")
    s.so(shown.text.count("fetch David") == 1, "there are two rows")
    s.say(place, "Ben", "/usage")
    await s.answer(place, "tokens, $")
    await s.until("2026-10-19 18:00:01")
    await s.answer(place, exactly="⏰ fetch David from training")
    await s.until("2026-10-19 19:00")


@foreign(9, "2026-10-03 16:00", voice=False)
async def nobody_can_hear_oma(s: Stage) -> None:
    place = s.t("Helga")
    for number in range(3):
        s.ask(place, "Helga", media=s.voice(), mark="failed")
        shown = await s.answer(place)
        s.so(not find_english([shown.raw]), f"note {number + 1} is answered in English: {shown.raw}")
        await s.later(minutes=3)
    s.so(s.requests == 0, "the model was asked")
    s.model(lambda view: "Nein, leider nur lesen.")
    s.ask(place, "Helga", "Kannst du mich nicht hören?")
    await s.answer(place, exactly="Nein, leider nur lesen.")


@foreign(10, "2026-10-18 17:00", voice=True)
async def the_transcriber_that_says_busy(s: Stage) -> None:
    place, voice = s.d("home"), s.month.family.voice
    s.model(lambda view: "An older answer." if "something older" in view.text else None)
    s.ask(place, "Ben", "something older")
    older = await s.answer(place, exactly="An older answer.")
    voice.text = "is there homework for tomorrow"
    voice.faults += [Fault(status=429), Fault(status=429)]
    s.model(lambda view: "Knock knock." if "tell me a joke" in view.text else None)
    s.model(lambda view: f"{view.said('voice note', 'homework for tomorrow')}" if "homework for" in view.text else None)
    sound = Upload("voice-message.ogg", ogg(b"homework"), 3.0)  # not those of another one, whose words are known
    flags = Flag.VOICE_MESSAGE
    asked = s.say(place, "Clara", attachments=[sound], flags=flags, reply_to=older.message, mark="done")
    s.ask(place, "David", "tell me a joke")
    await s.answer(place, exactly="Knock knock.")
    shown = await s.answer(place, "voice note, homework for tomorrow")
    s.so(shown.reply_to is asked, "it is no reply to Clara")
