"""Voice notes and sounds: 33 to 45. In the first half of the month nothing can hear them."""

from tests.month.registry import situation
from tests.month.script import Rule
from tests.month.stage import Stage, ogg
from tests.stand_ins.discord import Flag, Upload
from tests.stand_ins.telegram.media import audio
from tests.stand_ins.transcriptions import SILENCE, Fault

LONG, SHORT = "nothing is set up that turns speech into text", "I can't listen to voice messages here. Please write"


def hears(*words: str) -> Rule:
    return lambda view: f"I hear {view.said('voice note', 'audio file', *words)}."


def speaks(s: Stage, text: str) -> None:
    s.month.family.voice.text = text


async def nobody_listens(s: Stage, platform: str, name: str, who: str, sentence: str) -> None:
    place = s.place(platform, name)
    if platform == "T":
        s.ask(place, who, media=s.voice(), mark="failed")
    else:
        s.note(place, place.members[who].speak(place.channel, ogg(b"sound")), "failed")  # type: ignore[attr-defined]
    await s.answer(place, sentence)
    await s.month.at_rest()
    s.so(s.requests == 0, "the model was asked")


@situation(33, "2026-10-02 15:00", voice=False)
async def a_voice_note_that_nobody_hears(s: Stage) -> None:
    await nobody_listens(s, "T", "Ben", "Ben", LONG)


@situation(34, "2026-10-02 15:10", voice=False)
async def another_one(s: Stage) -> None:
    await nobody_listens(s, "T", "Ben", "Ben", SHORT)


@situation(35, "2026-10-03 15:00", voice=False)
async def a_voice_message_that_nobody_hears(s: Stage) -> None:
    await nobody_listens(s, "D", "Clara", "Clara", LONG)


@situation(36, "2026-10-04 15:00", voice=False)
async def a_voice_note_to_the_bot_in_a_group(s: Stage) -> None:
    place = s.t("table")
    s.model(lambda view: "Hello table.")
    s.ask(place, "Ben", "hello")
    shown = await s.answer(place, exactly="Hello table.")
    s.say(place, "Ben", media=s.voice(), reply_to=shown.message, mark="failed")
    await s.answer(place, LONG)
    await s.month.at_rest()
    s.so(s.requests == 1, "the model was asked")


@situation(37, "2026-10-16 15:00", voice=True)
async def a_voice_note(s: Stage) -> None:
    speaks(s, "where is my satchel")
    s.model(hears("satchel"))
    s.ask(s.t("Clara"), "Clara", media=s.voice())
    await s.answer(s.t("Clara"), exactly="I hear voice note, satchel.")


@situation(38, "2026-10-16 16:00", voice=True)
async def a_voice_message(s: Stage) -> None:
    speaks(s, "call the plumber")
    s.model(hears("plumber"))
    place = s.d("Anna")
    s.note(place, place.members["Anna"].speak(place.channel, ogg(b"sound")), "done")
    await s.answer(place, exactly="I hear voice note, plumber.")


@situation(39, "2026-10-17 15:00", voice=True)
async def a_song(s: Stage) -> None:
    speaks(s, "la la land")
    s.model(hears("la la land"))
    song = audio("song.mp3", seconds=9)
    s.ask(s.t("David"), "David", media=s.month.family.telegram.holding(song, b"ID3\x03\0\0\0\0\0\0" + b"\xff\xfb" * 99))
    await s.answer(s.t("David"), "la la land")


@situation(40, "2026-10-17 16:00", voice=True)
async def a_voice_message_as_a_reply(s: Stage) -> None:
    place = s.d("home")
    s.model(lambda view: "Hello home.")
    s.ask(place, "Ben", "hello")
    shown = await s.answer(place, exactly="Hello home.")
    speaks(s, "and the garden")
    s.model(hears("garden"))
    sound = Upload("voice-message.ogg", ogg(b"sound"), 3.0)
    asked = s.say(place, "Ben", attachments=[sound], flags=Flag.VOICE_MESSAGE, reply_to=shown.message, mark="done")
    shown = await s.answer(place, "voice note", "garden")
    s.so(shown.reply_to is asked, "it is no reply to the voice message")


@situation(41, "2026-10-18 15:00", voice=True)
async def a_recording_that_is_refused(s: Stage) -> None:
    s.month.family.voice.faults.append(Fault(status=400))
    s.model(lambda view: f"I hear nothing: {view.said('not shown')}.")
    s.ask(s.t("Anna"), "Anna", "listen", media=s.voice())
    await s.answer(s.t("Anna"), exactly="I hear nothing: not shown.")


@situation(42, "2026-10-18 16:00", voice=True)
async def a_forwarded_voice_note(s: Stage) -> None:
    speaks(s, "the dog has run away")
    s.model(hears("Erika Muster", "run away"))
    s.say(s.t("Anna"), "Anna", media=s.voice(), forward_from="Erika Muster", mark="done")
    await s.answer(s.t("Anna"), "Erika Muster", "run away")


@situation(43, "2026-10-19 15:00", voice=True)
async def a_voice_note_and_a_kill_while_it_is_transcribed(s: Stage) -> None:
    voice, place = s.month.family.voice, s.t("Anna")
    speaks(s, "the red folder")
    s.model(hears("red folder"))
    before = voice.asked
    voice.faults.append(SILENCE)
    s.ask(place, "Anna", media=s.voice())
    await s.until_so(lambda: voice.asked > before)
    await s.kill()
    await s.answer(place, exactly="I hear voice note, red folder.")


@situation(44, "2026-10-19 16:00", voice=True)
async def a_voice_message_and_a_kill_while_the_model_writes(s: Stage) -> None:
    speaks(s, "two tickets please")
    reply, go_on = s.holding("I hear something that is never said.")
    s.model(lambda view: hears("two tickets")(view) if go_on.is_set() else reply)
    place = s.d("Clara")
    s.note(place, place.members["Clara"].speak(place.channel, ogg(b"sound")), "done")
    await s.asked()
    go_on.set()
    await s.kill()
    await s.answer(place, exactly="I hear voice note, two tickets.")


@situation(45, "2026-10-05 15:00", voice=False)
async def a_voice_note_and_a_kill_before_it_is_answered(s: Stage) -> None:
    telegram, place = s.month.family.telegram, s.t("David")
    before = len(telegram.downloads.asked)
    s.ask(place, "David", media=s.voice(), mark="failed")
    await s.until_so(
        lambda: len(telegram.downloads.asked) > before or s.month.number("SELECT count(*) FROM incoming_files") > 0
    )
    await s.kill()
    await s.answer(place, LONG)
    await s.month.at_rest()
    s.so(s.requests == 0, "the model was asked")
