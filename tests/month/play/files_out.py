"""Files that the bot sends, and long answers: 132 to 149."""

import hashlib
from pathlib import Path

from tests.month.places import DiscordPlace, Place, Shown
from tests.month.registry import situation
from tests.month.script import View, picture
from tests.month.stage import Stage, call
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route
from tests.stand_ins.telegram import Fault

LONG = "\n\n".join(f"Paragraph {number}." + " It goes on and on." * 30 for number in range(40))


def put(s: Stage, name: str, content: bytes) -> Path:
    path = s.month.family.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_of(s: Stage, shown: Shown) -> list[tuple[str, str]]:
    """Return name and hash of the files of a message."""
    if isinstance(shown.place, DiscordPlace):
        return [(each["filename"], each["url"].rpartition("=")[2]) for each in shown.message.attachments]
    upload = shown.message.upload
    return [(upload.name, upload.sha256)] if upload else []


def unclaimed_files(s: Stage, place: Place) -> list[Shown]:
    return [each for each in s.month.unclaimed(place) if files_of(s, each)]


async def file_comes(s: Stage, place: Place, name: str, content: bytes, caption: str = "") -> Shown:
    """Wait for a file with this content, which nobody has expected yet."""

    def found() -> Shown | None:
        fitting = [
            each for each in unclaimed_files(s, place) if digest(content) in [one for _, one in files_of(s, each)]
        ]
        return fitting[0] if fitting else None

    await s.until_so(found, what=f"{name} came to {place}; there is {s.month.new_texts(place)}")
    shown = found()
    assert shown
    s.month.claim(shown)
    s.so(next(one for one, _ in files_of(s, shown)) == name, f"it has the name {files_of(s, shown)}")
    s.so(caption in shown.text, f"its caption is {shown.text!r}")
    return shown


def sends(s: Stage, about: str, path: str | list[str], caption: str = "", says: str = "There it is.") -> None:
    s.calls([call("send_file", path=path, **({"caption": caption} if caption else {}))], says, about=about)


async def one_file(s: Stage, place: Place, who: str, name: str, content: bytes, caption: str = "") -> Shown:
    put(s, name, content)
    sends(s, f"send {name}", name, caption)
    s.ask(place, who, f"send {name}")
    shown = await file_comes(s, place, name, content, caption)
    await s.answer(place, exactly="There it is.")
    return shown


@situation(132)
async def a_text_file_on_telegram(s: Stage) -> None:
    shown = await one_file(s, s.t("Anna"), "Anna", "menu.txt", b"soup, fish, cake")
    s.so("document" in shown.message.media, "it is no document")


@situation(133)
async def a_text_file_on_discord(s: Stage) -> None:
    await one_file(s, s.d("Anna"), "Anna", "menu2.txt", b"soup, meat, cake")


@situation(134)
async def a_picture_on_telegram(s: Stage) -> None:
    shown = await one_file(s, s.t("Ben"), "Ben", "roof.png", picture("red", 320, 240), "our roof")
    s.so("photo" in shown.message.media, "it is no photo")


@situation(135)
async def a_picture_on_discord(s: Stage) -> None:
    await one_file(s, s.d("Ben"), "Ben", "roof2.png", picture("blue", 320, 240), "our roof")


async def three_pictures(s: Stage, place: Place, who: str) -> list[Shown]:
    there = {f"{colour}-{place.platform}.png": picture(colour, 320, 240) for colour in ("red", "green", "blue")}
    for name, content in there.items():
        put(s, name, content)
    sends(s, "send the three", list(there), "the three")
    s.ask(place, who, "send the three")
    await s.answer(place, exactly="There it is.")
    found = unclaimed_files(s, place)
    for each in found:
        s.month.claim(each)
    hashes = [one for each in found for _, one in files_of(s, each)]
    s.so(hashes == [digest(each) for each in there.values()], f"there are {[files_of(s, each) for each in found]}")
    s.so("the three" in found[0].text if found else False, "the caption is missing")
    return found


@situation(136)
async def three_pictures_on_telegram(s: Stage) -> None:
    found = await three_pictures(s, s.t("Anna"), "Anna")
    s.so(len({each.message.group for each in found}) == 1 and found[0].message.group, "they are no album")


@situation(137)
async def three_pictures_on_discord(s: Stage) -> None:
    found = await three_pictures(s, s.d("Ben"), "Ben")
    s.so(len(found) == 1, "they are several messages")


@situation(138)
async def a_file_in_a_topic(s: Stage) -> None:
    await one_file(s, s.new_topic("Recipes"), "Ben", "pancakes.txt", b"flour, milk, eggs")


@situation(139)
async def a_file_in_a_thread(s: Stage) -> None:
    await one_file(s, s.new_thread("Recipes"), "Ben", "waffles.txt", b"flour, milk, eggs, sugar")


async def is_refused(s: Stage, place: Place, who: str, path: str, *words: str) -> None:
    sends(s, "send that", path)
    s.rules.clear()
    s.calls([call("send_file", path=path)], lambda view: f"No: {view.results[0]}", about="send that")
    s.ask(place, who, "send that")
    await s.answer(place, "No: ", *words)
    await s.month.at_rest()
    s.so(not unclaimed_files(s, place), "something was sent")


@situation(140)
async def a_path_outside(s: Stage) -> None:
    await is_refused(s, s.t("Ben"), "Ben", "../config.json", "outside")


@situation(142)
async def a_file_that_is_not_there(s: Stage) -> None:
    await is_refused(s, s.t("Anna"), "Anna", "no-such-file.txt", "no-such-file.txt")


async def long_answer(s: Stage, place: Place, who: str, most: int) -> None:
    s.model(lambda view: LONG if "everything" in view.text else None)
    s.ask(place, who, "everything please")
    await file_comes(s, place, "answer.md", LONG.strip().encode())
    await s.answer(place, "Paragraph 0.")
    await s.nothing()
    part = next(each for each in reversed(place.shown()) if "Paragraph 0." in each.text)
    s.so(len(part.text) <= most, f"it has {len(part.text)} characters")


@situation(143)
async def a_long_answer_on_telegram(s: Stage) -> None:
    await long_answer(s, s.t("Clara"), "Clara", 4_096)


@situation(144)
async def a_long_answer_on_discord(s: Stage) -> None:
    await long_answer(s, s.d("Clara"), "Clara", 2_000)


@situation(145)
async def a_wide_table(s: Stage) -> None:
    place = s.t("Ben")
    head = ["insurance", "number", "company", "telephone", "since", "amount", "contact", "remark"]
    rows = [["house", "H-1234567", "Alpha", "0301234567", "2019", "412 EUR", "Frau Bauer", "a"]]
    lines = [head, ["---"] * 8, *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    s.model(lambda view: table if "insurances" in view.text else None)
    s.ask(place, "Ben", "our insurances")
    await s.answer(place, "insurance: house", "number: H-1234567", "company: Alpha", "contact: Frau Bauer")


@situation(146)
async def a_file_that_changes_after_the_call(s: Stage) -> None:
    place, content = s.t("Anna"), b"the first version"
    put(s, "draft.txt", content)
    telegram = s.month.family.telegram
    telegram.faults.next("sendDocument", Fault.SERVER_ERROR, Fault.SERVER_ERROR)

    def says(view: View) -> str:
        put(s, "draft.txt", b"the second version")
        return "Sent."

    s.calls([call("send_file", path="draft.txt")], says, about="send the draft")
    s.ask(place, "Anna", "send the draft")
    await file_comes(s, place, "draft.txt", content)
    await s.answer(place, exactly="Sent.")


@situation(147)
async def a_kill_when_the_upload_was_accepted_by_telegram(s: Stage) -> None:
    place, content, telegram = s.t("Anna"), b"the will", s.month.family.telegram
    put(s, "will.txt", content)
    sends(s, "send the will", "will.txt")
    telegram.faults.next("sendDocument", Fault.BLACK_HOLE)
    s.ask(place, "Anna", "send the will")
    await s.until_so(lambda: unclaimed_files(s, place))
    await s.kill()
    await s.answer(place, exactly="There it is.")
    await s.month.at_rest()
    found = unclaimed_files(s, place)
    for each in found:
        s.month.claim(each)
    s.so(all(files_of(s, each) == [("will.txt", digest(content))] for each in found), "it is another file")
    s.so([each.is_marked for each in found] in ([False], [False, True]), f"there are {found}")


@situation(148)
async def a_kill_when_the_upload_was_accepted_by_discord(s: Stage) -> None:
    place, content, discord = s.d("Ben"), b"the bill", s.month.family.discord
    put(s, "bill.txt", content)
    sends(s, "send the bill", "bill.txt")
    discord.faults.on(Route.SEND, DiscordFault.BLACK_HOLE_AFTER)
    s.ask(place, "Ben", "send the bill")
    await s.until_so(lambda: unclaimed_files(s, place))
    await s.kill()
    await file_comes(s, place, "bill.txt", content)
    await s.answer(place, exactly="There it is.")


@situation(149)
async def a_kill_when_the_part_was_accepted(s: Stage) -> None:
    place, telegram = s.t("Clara"), s.month.family.telegram
    s.model(lambda view: LONG if "everything" in view.text else None)
    telegram.faults.next("sendDocument", Fault.BLACK_HOLE)
    s.ask(place, "Clara", "everything again")
    await s.until_so(lambda: unclaimed_files(s, place))
    await s.kill()
    await s.answer(place, "Paragraph 0.")
    await s.repeats(place, "Paragraph 0.")
    found = unclaimed_files(s, place)
    for each in found:
        s.month.claim(each)
    s.so([each.is_marked for each in found] in ([False], [False, True]), f"there are {found}")
