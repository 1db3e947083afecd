"""Pictures that come: 1 to 16."""

from tests.month.registry import situation
from tests.month.script import View, picture
from tests.month.stage import Stage
from tests.stand_ins.discord import Upload
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.telegram import sticker


def sees(*words: str) -> object:
    """Say which colours there are, and which of these words, in their order."""

    def rule(view: View) -> str:
        return f"I see {', '.join(view.colours) or 'nothing'}. You say {view.said(*words) or 'nothing'}."

    return rule


async def one_answer(s: Stage, platform: str, name: str, who: str, colour: str, words: str, **more: object) -> None:
    """A picture with words is answered with its colour and the words."""
    place = s.place(platform, name)
    s.model(sees(words))  # type: ignore[arg-type]
    media = {"media": s.photo(colour)} if platform == "T" else {"attachments": [Upload("a.png", picture(colour))]}
    asked = s.ask(place, who, words, **media)
    shown = await s.answer(place, exactly=f"I see {colour}. You say {words}.")
    if place.mention:
        s.so(shown.reply_to is asked, "it is no reply to the picture")


@situation(1)
async def a_photo_with_a_caption(s: Stage) -> None:
    await one_answer(s, "T", "Anna", "Anna", "red", "which tile is this?")


@situation(2)
async def a_picture_with_words(s: Stage) -> None:
    await one_answer(s, "D", "Anna", "Anna", "green", "which leaf is this?")


@situation(3)
async def a_photo_that_mentions_the_bot(s: Stage) -> None:
    await one_answer(s, "T", "table", "Clara", "blue", "is this the new carpet?")


@situation(4)
async def a_picture_with_a_mention(s: Stage) -> None:
    await one_answer(s, "D", "home", "Ben", "yellow", "what do you think?")


@situation(5)
async def a_photo_without_a_caption(s: Stage) -> None:
    s.model(sees())  # type: ignore[arg-type]
    s.ask(s.t("Ben"), "Ben", media=s.photo("purple"))
    await s.answer(s.t("Ben"), "I see purple.")


@situation(6)
async def a_png_as_a_document(s: Stage) -> None:
    s.model(sees("my drawing"))  # type: ignore[arg-type]
    s.ask(s.t("Clara"), "Clara", "my drawing", media=s.document("drawing.png", picture("red"), "image/png"))
    await s.answer(s.t("Clara"), exactly="I see red. You say my drawing.")


@situation(7)
async def two_pictures_in_one_message(s: Stage) -> None:
    s.model(sees("before and after"))  # type: ignore[arg-type]
    files = [Upload("before.png", picture("red")), Upload("after.png", picture("blue"))]
    s.ask(s.d("Clara"), "Clara", "before and after", attachments=files)
    await s.answer(s.d("Clara"), exactly="I see red, blue. You say before and after.")


@situation(8)
async def an_album_of_four(s: Stage) -> None:
    s.model(sees("my rabbits"))  # type: ignore[arg-type]
    four = [s.photo(colour) for colour in ("red", "green", "blue", "black")]
    s.album(s.t("David"), "David", *four, captions=["", "", "my rabbits", ""])
    await s.answer(s.t("David"), exactly="I see red, green, blue, black. You say my rabbits.")


@situation(9)
async def a_question_about_the_photo_of_somebody_else(s: Stage) -> None:
    place = s.new_topic("School")
    theirs = s.say(place, "David", media=s.photo("green"))
    s.model(sees("David", "what is that?"))  # type: ignore[arg-type]
    asked = s.ask(place, "Anna", "what is that?", reply_to=theirs)
    shown = await s.answer(place, "I see green.", "David", "what is that?")
    s.so(shown.reply_to is asked, "it is no reply to the question")


@situation(10)
async def a_question_about_the_picture_of_somebody_else(s: Stage) -> None:
    place = s.d("home")
    theirs = s.say(place, "David", "look", attachments=[Upload("x.png", picture("purple"))])
    s.model(sees("David", "what is it?"))  # type: ignore[arg-type]
    asked = s.ask(place, "Clara", "what is it?", reply_to=theirs)
    shown = await s.answer(place, "I see purple.", "David", "what is it?")
    s.so(shown.reply_to is asked, "it is no reply to the question")


@situation(11)
async def a_forwarded_photo(s: Stage) -> None:
    s.model(sees("Erika Muster", "forwarded"))  # type: ignore[arg-type]
    s.say(s.t("Anna"), "Anna", media=s.photo("yellow"), forward_from="Erika Muster", mark="done")
    await s.answer(s.t("Anna"), "I see yellow.", "Erika Muster")


@situation(12)
async def a_sticker(s: Stage) -> None:
    s.model(sees("🐳"))  # type: ignore[arg-type]
    s.ask(s.t("Helga"), "Helga", media=sticker("🐳"))
    await s.answer(s.t("Helga"), exactly="I see nothing. You say 🐳.")


@situation(13)
async def a_large_picture(s: Stage) -> None:
    s.model(sees("my poster"))  # type: ignore[arg-type]
    poster = Upload("poster.png", picture("blue", 7_000, 3_000))
    s.ask(s.d("David"), "David", "my poster", attachments=[poster])
    await s.answer(s.d("David"), exactly="I see blue. You say my poster.")


@situation(14)
async def a_photo_and_a_kill_while_it_is_fetched(s: Stage) -> None:
    s.model(sees("which door?"))  # type: ignore[arg-type]
    downloads = s.month.family.telegram.downloads
    downloads.next(DownloadFault.SILENT)
    before = len(downloads.asked)
    s.ask(s.t("Anna"), "Anna", "which door?", media=s.photo("red"))
    await s.until_so(lambda: len(downloads.asked) > before)
    await s.kill()
    await s.answer(s.t("Anna"), exactly="I see red. You say which door?.")


@situation(15)
async def a_picture_and_a_kill_while_the_model_writes(s: Stage) -> None:
    reply, go_on = s.holding("I see something that is never said.")
    s.model(lambda view: sees("the car")(view) if go_on.is_set() else reply)  # type: ignore[operator]
    s.ask(s.d("Ben"), "Ben", "the car", attachments=[Upload("car.png", picture("black"))])
    await s.asked()
    go_on.set()
    await s.kill()
    await s.answer(s.d("Ben"), exactly="I see black. You say the car.")


@situation(16)
async def an_album_and_a_kill_after_its_messages_came(s: Stage) -> None:
    place = s.t("table")
    s.model(sees("which one"))  # type: ignore[arg-type]
    three = [s.photo(colour) for colour in ("white", "blue", "green")]
    s.album(place, "Ben", *three, captions=[f"{place.mention} which one", "", ""])
    await s.until_so(lambda: s.month.number("SELECT count(*) FROM incoming_files WHERE state = 'waiting'") > 0)
    await s.kill()
    await s.answer(place, exactly="I see white, blue, green. You say which one.")
