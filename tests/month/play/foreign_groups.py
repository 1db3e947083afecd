"""The foreign list: group talk and commands, 25, 26, 28 and 29; linking, 30 and 31."""

from typing import Any

from tests.month.places import Place
from tests.month.play.commands import CODE
from tests.month.registry import foreign
from tests.month.script import picture
from tests.month.stage import Stage
from tests.stand_ins.discord import Upload


@foreign(25, "2026-10-01 08:00")
async def only_what_came_since(s: Stage) -> None:
    place, other = s.t("school"), s.t("holiday")
    theirs = [
        s.say(place, who, text)
        for who, text in (("Ben", "trip on the 14th"), ("Clara", "bring boots"), ("David", "I hate boots"))
    ]
    words = ("Ben", "trip on the 14th", "Clara", "bring boots", "David", "I hate boots", "bus at 7", "the 6:30")
    about = ("sum up what we need", "what did we say about the bus?")
    s.model(lambda view: f"Shown: {view.said(*words)}" if any(each in view.text for each in about) else None)
    await s.month.at_rest()
    s.say(other, "Clara", "nobody mentioned the bot here")
    s.ask(place, "Anna", about[0])
    await s.answer(place, "14th", "boots", "Ben", "Clara", "David", lacks=("nobody mentioned",))
    # They talk to each other: where the bot has answered, a line that answers nobody would be for the bot.
    bus = s.say(place, "Ben", "bus at 7", reply_to=theirs[1])
    s.say(place, "Clara", "not the 7, the 6:30", reply_to=bus)
    await s.nothing()
    s.say(place, "David", about[1], mark="done")
    await s.answer(place, "bus at 7", "the 6:30", lacks=("14th",))


@foreign(26)
async def not_meant_for_you(s: Stage) -> None:
    place, home = s.d("thread"), s.d("home")
    s.model(lambda view: "About three hours." if "how long is the drive?" in view.text else None)
    s.model(lambda view: "Hello skiers." if "hello there" in view.text else None)
    s.ask(place, "Ben", "hello there")
    await s.answer(place, exactly="Hello skiers.")
    theirs = place.members["Ben"].say(place.channel, "I hope for snow", mentions=[place.members["Clara"]])
    s.say(place, "Clara", "you snore", reply_to=theirs)
    s.say(place, "Anna", f"{place.members['Ben'].mention} can you fetch the skis")
    s.say(home, "Ben", "and is the car full?")
    asked = s.say(place, "Ben", "how long is the drive?", mark="done")
    shown = await s.answer(place, exactly="About three hours.")
    s.so(shown.reply_to is asked, "it is no reply to Ben")


@foreign(28)
async def who_may_turn_the_bot_down(s: Stage) -> None:
    table, home = s.t("table"), s.d("home")
    s.model(lambda view: "Hi." if "hello" in view.text or "hi" in view.text else None)

    async def mode(who: str, text: str, *words: str) -> None:
        s.say(table, who, f"/mode {text}", mark="any")
        await s.answer(table, *words)

    await mode("David", "off", "admin")
    await mode("Ben", "always", "owner")
    await s.later(minutes=2)  # the same command of the same person is answered once a minute
    await mode("Ben", "off")
    s.ask(table, "David", "hello", mark="none")
    for _ in range(3):
        s.say(table, "David", "/status", mark="any")
    await s.answer(table, "not working on anything")
    await s.nothing()
    await mode("Anna", "always")
    s.say(table, "David", "hello", mark="done")
    await s.answer(table, exactly="Hi.")
    await s.later(minutes=2)
    await mode("Anna", "mentioned")
    s.say(table, "David", "hello again")
    await s.nothing()
    s.command(home, "Ben", "/mode off")
    shown = await s.answer(home)
    s.so(shown.only_for is s.month.family.members["Ben"], "others see the answer to Ben's command")
    s.ask(home, "Clara", "hi", mark="none")
    await s.nothing()
    s.command(home, "Ben", "/mode mentioned")
    await s.answer(home)


@foreign(29)
async def the_picture_in_the_slash(s: Stage) -> None:
    place = s.d("home")
    s.allow("I have received this.", "asks")
    s.model(lambda view: f"{', '.join(view.colours)} {view.said('what colour is this?')}".strip())
    ask: dict[str, Any] = s.month.options_of("ask", "what colour is this?")
    files = {s.month.file_option_of("ask"): Upload("red.jpg", picture("green", form="JPEG"))}
    place.command_with_files("Clara", "ask", files, **ask)
    shown = await s.answer(place, "green", "what colour is this?")
    s.so(shown.only_for is None, "only Clara sees it")
    s.say(place, "David", attachments=[Upload("b.png", picture("blue"))], reply_to=shown.message, mark="done")
    await s.answer(place, "blue")
    if not place.members["David"].required_options("ask"):
        files = {s.month.file_option_of("ask"): Upload("c.png", picture("yellow"))}
        place.command_with_files("David", "ask", files)
        await s.answer(place, "yellow")


async def code_of(s: Stage, place: Place, who: str) -> str:
    s.command(place, who, "/link")
    shown = await s.answer(place)
    found = CODE.search(shown.text)
    assert found, f"there is no code in {shown.text}"
    return found[0]


async def refused(s: Stage, place: Place, who: str, code: str) -> None:
    s.command(place, who, f"/link {code}")
    shown = await s.answer(place)
    s.so("is linked with" not in shown.text, f"{code} is taken: {shown.text}")
    s.so("Ben" not in shown.text, f"it says whose code it was: {shown.text}")


@foreign(30)
async def six_wrong_letters(s: Stage) -> None:
    one, other, david, table = s.t("Ben"), s.d("Ben"), s.d("David"), s.t("table")
    code = await code_of(s, one, "Ben")
    await refused(s, david, "David", "AAAA-BBBB")
    await refused(s, david, "David", "abcd-efgh")
    wrong = ("Z" if code[0] != "Z" else "Y") + code[1:]
    await refused(s, other, "Ben", wrong)
    await s.later(minutes=4)
    s.command(other, "Ben", f"/link {code}")
    await s.answer(other, "is linked with Ben (telegram 1002) now")
    await s.answer(one, "is linked with this account now")
    await s.answer(s.d("Anna"), "says that it is the same person")
    s.command(other, "Ben", f"/link {code}")
    await s.answer(other)
    await refused(s, david, "David", code)
    for place in (one, other):
        s.command(place, "Ben", "/usage")
        await s.answer(place, "tokens, $")
    code = await code_of(s, one, "Ben")
    await s.later(minutes=11)
    s.command(other, "Ben", f"/link {code}")
    shown = await s.answer(other)
    s.so("is linked with" not in shown.text, f"a code of 11 minutes is taken: {shown.text}")
    s.say(table, "Ben", "/link")
    shown = await s.answer(table)
    s.so(not CODE.search(shown.text) and "private" in shown.text, f"the group sees {shown.text}")
    s.month.family.people["David"].name = "Ben"
    s.say(s.t("David"), "David", "/whereami")
    await s.answer(s.t("David"), "1004")
    s.month.family.people["David"].name = "David"
    s.allow("on its own again")
    s.command(other, "Ben", "/unlink")
    await s.answer(other)


@foreign(31)
async def linked_and_dead(s: Stage) -> None:
    one, other = s.t("Clara"), s.d("Clara")
    s.say(one, "Clara", "/timezone Europe/London")
    await s.answer(one, "Europe/London")
    code = await code_of(s, one, "Clara")
    s.command(other, "Clara", f"/link {code}")
    before = s.month.number("SELECT count(*) FROM linked_accounts")
    await s.until_so(lambda: s.month.number("SELECT count(*) FROM linked_accounts") > before or before)
    await s.kill(60)
    await s.answer(other, "is linked with Clara (telegram 1003) now")
    await s.repeats(other, "is linked with Clara")
    await s.answer(one, "is linked with this account now")
    await s.repeats(one, "is linked with this account now")
    await s.answer(s.d("Anna"), "says that it is the same person")
    s.command(other, "Clara", "/timezone")
    await s.answer(other, "Europe/London")
    s.command(other, "Clara", f"/link {code}")
    shown = await s.answer(other)
    s.so("is linked with" not in shown.text, "the code is taken once more")
    s.allow("on its own again")
    s.say(one, "Clara", "/unlink")
    await s.answer(one)
    s.command(other, "Clara", "/timezone")
    await s.answer(other, "Europe/Berlin")
    s.say(one, "Clara", "/timezone Europe/Berlin")
    await s.answer(one, "Europe/Berlin")
