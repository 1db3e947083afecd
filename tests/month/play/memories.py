"""Memories and the search of what was said: 79 to 94."""

from typing import Any

from tests.month.places import Place
from tests.month.registry import situation
from tests.month.script import View
from tests.month.stage import Stage, call
from tests.stand_ins.claude import ToolUse, reply
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route


def found(view: View) -> str:
    return "Found: " + " | ".join(view.results)


def uses(s: Stage, about: str, *calls: ToolUse, says: Any = found) -> None:
    """Let a message about this lead to these calls, and their results to an answer."""
    s.calls(list(calls), says, about=about)


async def remember(s: Stage, place: Place, who: str, text: str, *more: str) -> None:
    s.allow("Shall I remember this for later conversations?")  # if the conversation holds the words of others
    uses(s, "remember:", *(call("memory_save", text=each) for each in (text, *more)), says="Noted.")
    s.ask(place, who, f"remember: {text}")
    await s.answer(place, exactly="Noted.")
    s.rules.clear()


async def new_conversation(s: Stage, place: Place, who: str) -> None:
    if place.platform == "T":
        s.say(place, who, "/new", mark="done")
    else:
        s.command(place, who, "/new")
    await s.answer(place, exactly="This is a new conversation.")


async def search(s: Stage, place: Place, who: str, words: str, *there: str, tool: str = "memory_search") -> Any:
    """Let the model search for these words, and say what it found. All of `there` is in the answer."""
    uses(s, f"look for {words}", call(tool, query=words))
    s.ask(place, who, f"look for {words}")
    shown = await s.answer(place, "Found: ", *there)
    s.rules.clear()
    return shown


async def remembers_and_finds(s: Stage, place: Place, who: str, text: str, words: str, part: str) -> None:
    await remember(s, place, who, text)
    await new_conversation(s, place, who)
    shown = await search(s, place, who, words, part)
    s.so(shown.text.count(part) == 1, f"{part} is not there once: {shown.text}")


async def say_something(s: Stage, place: Place, who: str, text: str, answer: str = "I see.") -> None:
    s.model(lambda view: answer if text in view.text else None)
    s.ask(place, who, text)
    await s.answer(place, exactly=answer)
    s.rules.clear()


@situation(79)
async def it_is_found_again_on_telegram(s: Stage) -> None:
    await remembers_and_finds(
        s, s.t("Ben"), "Ben", "the key of the shed hangs behind the clock", "shed key", "the clock"
    )


@situation(80)
async def it_is_found_again_on_discord(s: Stage) -> None:
    await remembers_and_finds(s, s.d("Clara"), "Clara", "my locker has the number 88", "locker number", "88")


@situation(81)
async def a_group_remembers(s: Stage) -> None:
    place = s.t("table")
    await remember(s, place, "Ben", "the plumber comes on Tuesdays")
    await search(s, place, "Clara", "plumber", "Tuesdays")


@situation(82)
async def what_another_told_in_private(s: Stage) -> None:
    await remember(s, s.d("Clara"), "Clara", "my diary lies under the mattress")
    shown = await search(s, s.d("David"), "David", "diary mattress")
    s.so("under" not in shown.text, f"David is told it: {shown.text}")


@situation(83)
async def both_are_listed(s: Stage) -> None:
    place = s.t("Clara")
    await remember(s, place, "Clara", "the violin lesson is at four", "the violin is rented")
    s.say(place, "Clara", "/memory search violin")
    await s.answer(place, "the violin lesson is at four", "the violin is rented")


@situation(84)
async def one_is_deleted(s: Stage) -> None:
    place = s.t("Clara")
    await remember(s, place, "Clara", "the password of the club is moonlight", "the club meets on Fridays")
    s.say(place, "Clara", "/memory search password club moonlight")
    shown = await s.answer(place, "moonlight")
    number = next(line.split(".")[0] for line in shown.text.splitlines() if "moonlight" in line)
    s.say(place, "Clara", f"/memory forget {number}")
    await s.answer(place, "orgot")
    shown = await search(s, place, "Clara", "club password meets")
    s.so("is moonlight" not in shown.text, f"it is still found: {shown.text}")


@situation(85, "2026-10-07 11:00")
async def what_was_said_last_week(s: Stage) -> None:
    place = s.d("Ben")
    await say_something(s, place, "Ben", "I looked at a caravan in Kiel")
    await s.until("2026-10-14 11:00")
    await new_conversation(s, place, "Ben")
    await search(s, place, "Ben", "caravan", "Kiel", "2026-10-07", tool="conversation_search")


@situation(86)
async def a_word_that_nobody_used(s: Stage) -> None:
    shown = await search(s, s.t("David"), "David", "tuba", tool="conversation_search")
    s.so("nothing" in shown.text or "no " in shown.text, f"it does not say that there is nothing: {shown.text}")


@situation(87)
async def what_was_said_in_private_is_not_found_in_the_group(s: Stage) -> None:
    await say_something(s, s.t("Ben"), "Ben", "the surprise is a saxophone")
    shown = await search(s, s.t("table"), "Anna", "saxophone", tool="conversation_search")
    s.so("surprise" not in shown.text, f"the group is told it: {shown.text}")


@situation(88)
async def what_another_member_said(s: Stage) -> None:
    place = s.d("home")
    await say_something(s, place, "Ben", "the fuse box is behind the freezer")
    await new_conversation(s, place, "Ben")
    await search(s, place, "David", "fuse box", "freezer", "Ben", tool="conversation_search")


@situation(89)
async def another_form_of_the_word(s: Stage) -> None:
    place = s.t("Ben")
    await say_something(s, place, "Ben", "we looked at two houses by the lake")
    await new_conversation(s, place, "Ben")
    await search(s, place, "Ben", "house", "by the lake", tool="conversation_search")


@situation(91)
async def two_in_one_reply(s: Stage) -> None:
    place = s.t("David")
    await remember(s, place, "David", "my turtle is called Max", "my bike has a flat tyre")
    await search(s, place, "David", "turtle", "Max")
    await search(s, place, "David", "bike", "flat tyre")


async def count_memories(s: Stage, words: str) -> int:
    return s.month.number("SELECT count(*) FROM memories WHERE text LIKE ?", f"%{words}%")


@situation(92)
async def a_kill_when_the_call_was_written(s: Stage) -> None:
    place = s.t("Clara")
    hold, go_on = s.holding("Something that is never said.")

    def rule(view: View) -> Any:
        if "ring size" not in view.text:
            return None
        if view.step == 0:
            return reply(call("memory_save", text="the ring size is 54"))
        return "Kept." if go_on.is_set() else hold

    s.model(rule)
    s.ask(place, "Clara", "keep my ring size 54")
    await s.asked(lambda view: view.step == 1)
    go_on.set()
    await s.kill()
    await s.answer(place, exactly="Kept.")
    s.so(await count_memories(s, "ring size") == 1, "it is not remembered once")


@situation(93)
async def a_kill_when_the_answer_was_accepted(s: Stage) -> None:
    place, discord = s.d("Ben"), s.month.family.discord
    uses(s, "collar", call("memory_save", text="the collar size is 41"), says="Kept it.")
    discord.faults.on(Route.SEND, DiscordFault.BLACK_HOLE_AFTER)
    s.ask(place, "Ben", "keep my collar size 41")
    await s.until_so(lambda: any(each.text == "Kept it." for each in place.shown()))
    await s.kill()
    await s.answer(place, exactly="Kept it.")
    s.so(await count_memories(s, "collar size") == 1, "it is not remembered once")


@situation(94)
async def a_kill_before_the_question(s: Stage) -> None:
    place = s.t("Anna")
    await say_something(s, place, "Anna", "the boiler man is Herr Okonkwo")
    await s.kill()
    await new_conversation(s, place, "Anna")
    await search(s, place, "Anna", "boiler man", "Okonkwo", tool="conversation_search")
