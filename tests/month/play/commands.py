"""Commands: 113 to 131."""

import re
from typing import Any

from tests.month.places import Place
from tests.month.play.memories import new_conversation, say_something
from tests.month.registry import situation
from tests.month.stage import Stage
from tests.support.spoken_german import find_english

CODE = re.compile(r"\b[A-Z0-9]{4}-[A-Z0-9]{4}\b")


async def gives(s: Stage, place: Place, who: str, text: str, *words: str) -> Any:
    """A command is answered once, with these words."""
    s.command(place, who, text)
    shown = await s.answer(place, *words)
    await s.nothing()
    s.so(s.requests == 0, "the model was asked")
    return shown


@situation(113)
async def help_on_telegram(s: Stage) -> None:
    shown = await gives(s, s.t("Anna"), "Anna", "/help", "/new", "/schedules")
    s.so(shown.text.count("/timezone") == 1, "a command is not named once")


@situation(114)
async def help_on_discord(s: Stage) -> None:
    s.d("home").command("Anna", "help")
    shown = await s.answer(s.d("home"), "/new")
    while more := s.month.unclaimed(s.d("home")):
        s.month.claim(more[0])
    s.so(shown.only_for is s.month.family.members["Anna"], "others see it too")


@situation(115)
async def status(s: Stage) -> None:
    await gives(s, s.t("Ben"), "Ben", "/status", "I am not working on anything here.")


@situation(116)
async def whereami_in_a_group(s: Stage) -> None:
    await gives(s, s.t("table"), "Clara", "/whereami", str(s.t("table").room.id), "1003", "mentioned")


@situation(117)
async def whereami_on_discord(s: Stage) -> None:
    await gives(s, s.d("home"), "Clara", "/whereami", str(s.d("home").channel.id), "mentioned")


@situation(118)
async def time_zone_on_telegram(s: Stage) -> None:
    place = s.t("Clara")
    await gives(s, place, "Clara", "/timezone Europe/London", "Your time zone is Europe/London now")
    await gives(s, place, "Clara", "/timezone", "Your time zone is Europe/London;")
    await gives(s, place, "Clara", "/timezone Europe/Nowhere", "Europe/Nowhere")
    await gives(s, place, "Clara", "/timezone Europe/Berlin", "Your time zone is Europe/Berlin now")


@situation(120)
async def the_language(s: Stage) -> None:
    place = s.t("Clara")
    await gives(s, place, "Clara", "/language de")
    shown = await gives(s, place, "Clara", "/status")
    s.so(not find_english([shown.raw]), f"it is English: {shown.raw}")
    with s.in_english():
        await gives(s, place, "Clara", "/language en")
        shown = await gives(s, place, "Clara", "/status")
        s.so("I am not working" in shown.raw, f"it is not English again: {shown.raw}")
    await gives(s, place, "Clara", f"/language {s.month.family.language}")


@situation(121)
async def usage(s: Stage) -> None:
    await gives(s, s.t("Ben"), "Ben", "/usage", "tokens, $")


@situation(122)
async def people(s: Stage) -> None:
    await gives(s, s.t("Anna"), "Anna", "/people", "1002", "1003", "1004")


@situation(123)
async def an_account_is_linked(s: Stage) -> None:
    one, other = s.t("Ben"), s.d("Ben")
    shown = await gives(s, one, "Ben", "/link")
    found = CODE.search(shown.text)
    assert found, f"there is no code in {shown.text}"
    s.command(other, "Ben", f"/link {found[0]}")
    await s.answer(other, "is linked with Ben (telegram 1002) now")
    await s.answer(one, "is linked with this account now")
    await s.answer(s.d("Anna"), "says that it is the same person as Ben (telegram 1002)")
    s.command(other, "Ben", "/unlink")
    await s.answer(other)


@situation(126)
async def ask_with_words(s: Stage) -> None:
    place = s.d("home")
    s.allow("I have received this.", "Clara asks: how many eggs?")
    s.model(lambda view: "Twelve." if "how many eggs" in view.text else None)
    place.command("Clara", "ask", **s.month.options_of("ask", "how many eggs?"))
    shown = await s.answer(place, "Twelve.")
    s.so(shown.only_for is None, "only Clara sees it")


@situation(127)
async def stop(s: Stage) -> None:
    place = s.t("Anna")
    hold, _ = s.holding("It never ends.", begun="This is a long answer")
    s.model(lambda view: hold if "a saga" in view.text else None)
    s.ask(place, "Anna", "a saga please", mark="none")
    await s.asked()
    s.say(place, "Anna", "/stop")
    s.allow("This is a long")
    await s.answer(place, "— stopped")
    await s.nothing()


@situation(128)
async def a_new_conversation(s: Stage) -> None:
    place = s.t("Ben")
    await say_something(s, place, "Ben", "my lucky colour is mauve")
    await new_conversation(s, place, "Ben")
    s.model(lambda view: f"I know of it: {'mauve' in view.all_text}.")
    s.ask(place, "Ben", "what do you know?")
    await s.answer(place, exactly="I know of it: False.")


@situation(129)
async def a_kill_before_status_is_answered(s: Stage) -> None:
    place = s.t("Clara")
    s.has_killed = True
    await s.month.kill()
    s.say(place, "Clara", "/status")
    await s.month.start()
    await s.answer(place, "I am not working on anything here.")


@situation(130)
async def a_kill_before_a_slash_command_is_answered(s: Stage) -> None:
    place = s.d("Ben")
    place.command("Ben", "status")
    await s.kill()
    await s.month.at_rest()
    there = s.month.unclaimed(place)
    s.so(len(there) <= 1, f"it is answered more than once: {there}")
    s.month.claim_all()
    s.so("Traceback" not in s.month.log(), "there is an error in the log")


@situation(131)
async def a_kill_when_a_zone_is_stored(s: Stage) -> None:
    place = s.t("Clara")
    s.say(place, "Clara", "/timezone Europe/Paris")
    await s.until_so(lambda: s.month.number("SELECT count(*) FROM person_settings WHERE time_zone = 'Europe/Paris'"))
    await s.kill()
    await s.answer(place, "Your time zone is Europe/Paris now")
    await s.repeats(place, "Your time zone is Europe/Paris now")
    s.say(place, "Clara", "/timezone Europe/Berlin")
    await s.answer(place, "Your time zone is Europe/Berlin now")
