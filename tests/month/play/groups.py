"""Talk in groups: 95 to 112."""

import asyncio
from typing import Any

from tests.month.places import Place
from tests.month.registry import situation
from tests.month.script import View
from tests.month.stage import Stage
from tests.stand_ins.claude import reply
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route


def echo(view: View) -> str:
    """Say the last line of the newest message."""
    return f"You say: {view.text.strip().splitlines()[-1].partition(': ')[2]}"


def answers(s: Stage, *words: str) -> None:
    """Let the model say which of these words it is shown, if it is shown the first."""
    s.model(lambda view: f"Heard: {view.said(*words)}." if words[0] in view.text else None)


async def is_answered(s: Stage, place: Place, who: str, text: str, **more: Any) -> Any:
    """What somebody writes is answered, as a reply to it."""
    s.model(lambda view: f"About {text}" if text in view.text else None)
    asked = s.say(place, who, f"{more.pop('mention', '')} {text}".strip(), mark="done", **more)
    shown = await s.answer(place, exactly=f"About {text}")
    s.rules.clear()
    s.so(shown.reply_to is asked, f"it is no reply to {text}")
    return shown


@situation(95)
async def a_mention_on_telegram(s: Stage) -> None:
    await is_answered(s, s.t("table"), "Clara", "who has the scissors?", mention=s.t("table").mention)


async def is_not_heard(s: Stage, place: Place) -> None:
    for who, text in (("Ben", "dinner at seven"), ("Clara", "I am not hungry"), ("Ben", "more for me")):
        s.say(place, who, text)
    await s.nothing()
    s.so(s.requests == 0, "the model was asked")


async def talk_comes_along(s: Stage, place: Place) -> None:
    for who, text in (("Ben", "trip on the 9th"), ("Clara", "bring boots"), ("David", "I hate boots")):
        s.say(place, who, text)
    await s.month.at_rest()
    words = ("Ben", "trip on the 9th", "Clara", "bring boots", "David", "I hate boots", "what do we need?")
    answers(s, "what do we need?", *words)
    s.ask(place, "Anna", "what do we need?")
    await s.answer(place, exactly=f"Heard: {', '.join(words)}.")


@situation(99)
async def talk_comes_along_on_telegram(s: Stage) -> None:
    await talk_comes_along(s, s.new_topic("Day trip"))


@situation(100)
async def talk_comes_along_on_discord(s: Stage) -> None:
    await talk_comes_along(s, s.new_thread("Day trip"))


@situation(101)
async def the_talk_of_another_topic(s: Stage) -> None:
    one, other = s.new_topic("Presents"), s.new_topic("Chores")
    s.say(one, "Ben", "a drum for David")
    await s.month.at_rest()
    answers(s, "who cleans?", "drum", "who cleans?")
    s.ask(other, "David", "who cleans?")
    await s.answer(other, exactly="Heard: who cleans?.")


@situation(102)
async def a_follow_up_in_a_thread(s: Stage) -> None:
    place = s.new_thread("Cinema")
    await is_answered(s, place, "Ben", "which film?", mention=place.mention)
    await is_answered(s, place, "Ben", "and when?")


async def a_reply_is_answered(s: Stage, place: Place) -> None:
    shown = await is_answered(s, place, "Ben", "what rhymes with orange?", mention=place.mention)
    await is_answered(s, place, "Clara", "that is no rhyme", reply_to=shown.message)


@situation(103)
async def a_reply_on_telegram(s: Stage) -> None:
    await a_reply_is_answered(s, s.t("table"))


@situation(104)
async def a_reply_on_discord(s: Stage) -> None:
    await a_reply_is_answered(s, s.d("home"))


async def set_mode(s: Stage, who: str, mode: str, *words: str) -> None:
    place = s.t("table")
    s.say(place, who, f"/mode {mode}", mark="any")
    await s.answer(place, *words)


@situation(105)
async def the_mode_off(s: Stage) -> None:
    place = s.t("table")
    await set_mode(s, "Ben", "off")
    s.ask(place, "Clara", "are you there?", mark="none")
    await s.nothing()
    await set_mode(s, "Ben", "mentioned")
    await is_answered(s, place, "Clara", "and now?", mention=place.mention)


@situation(106)
async def the_mode_always(s: Stage) -> None:
    place = s.t("table")
    await set_mode(s, "Anna", "always")
    await is_answered(s, place, "David", "nobody mentions you")
    await set_mode(s, "Anna", "mentioned")
    s.say(place, "David", "and now nobody answers")
    await s.nothing()


@situation(107)
async def the_mode_by_somebody_who_is_no_admin(s: Stage) -> None:
    await set_mode(s, "David", "off", "admin")
    await is_answered(s, s.t("table"), "Clara", "still there?", mention=s.t("table").mention)


@situation(108)
async def typing_in_general(s: Stage) -> None:
    place, go_on = s.t("table"), asyncio.Event()
    s.model(lambda view: reply("That was hard.", hold_head=go_on))
    s.ask(place, "Ben", "think hard")
    await s.until_so(lambda: any(each.thread == 1 for each in place.room.typing), what="typing in General")
    go_on.set()
    await s.answer(place, exactly="That was hard.")


@situation(109)
async def two_ask_at_once(s: Stage) -> None:
    place = s.d("home")
    s.allow("Your message is next")

    def rule(view: View) -> str:
        return f"Answers: {view.said('six times six?', 'seven times seven?')}."

    s.model(rule)
    one = s.ask(place, "Clara", "six times six?")
    other = s.ask(place, "David", "seven times seven?")
    first = await s.answer(place, exactly="Answers: six times six?.")
    second = await s.answer(place, exactly="Answers: seven times seven?.")
    s.so(first.reply_to is one, "Clara has no reply")
    s.so(second.reply_to is other, "David has no reply")


@situation(110)
async def a_kill_while_the_model_writes(s: Stage) -> None:
    place = s.new_topic("Homework")
    hold, go_on = s.holding("Something that is never said.")
    s.model(lambda view: "Sixty-four." if go_on.is_set() else hold)
    asked = s.ask(place, "David", "eight times eight?")
    await s.asked()
    go_on.set()
    await s.kill()
    shown = await s.answer(place, exactly="Sixty-four.")
    s.so(shown.reply_to is asked, "it is no reply")


@situation(111)
async def a_kill_when_the_answer_was_accepted(s: Stage) -> None:
    place, discord = s.d("home"), s.month.family.discord
    s.model(lambda view: "Eighty-one.")
    discord.faults.on(Route.SEND, DiscordFault.BLACK_HOLE_AFTER)
    s.ask(place, "David", "nine times nine?")
    await s.until_so(lambda: any(each.text == "Eighty-one." for each in place.shown()))
    await s.kill()
    await s.answer(place, exactly="Eighty-one.")


@situation(112)
async def a_kill_before_the_mention_comes(s: Stage) -> None:
    place = s.t("table")
    s.has_killed = True
    await s.month.kill()
    s.model(lambda view: "I am here.")
    s.ask(place, "Helga", "bist du da?")
    await s.month.start()
    await s.answer(place, exactly="I am here.")
