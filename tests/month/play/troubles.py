"""Edits, deletions, faults and forgetting: 150 to 160."""

from typing import Any

from tests.month.places import Place
from tests.month.play.memories import say_something, search
from tests.month.registry import situation
from tests.month.script import View
from tests.month.stage import Stage
from tests.stand_ins.claude import Fault as ClaudeFault
from tests.stand_ins.discord import Fault as DiscordFault
from tests.stand_ins.discord import Route
from tests.stand_ins.telegram import Fault

WAITS = ("I will read this when I have finished", "Your message is next", "Messages that come before yours")


def busy(s: Stage, text: str, answer: str) -> Any:
    """Let the model be at work on this text until it is told to end."""
    hold, go_on = s.holding(answer)
    s.model(lambda view: (answer if go_on.is_set() else hold) if text in view.text else None)
    s.allow(*WAITS)
    return go_on


def repeats_words(s: Stage, *words: str) -> None:
    s.model(lambda view: f"You say {view.said(*words)}." if view.said(*words) else None)


async def is_known(s: Stage, text: str) -> None:
    sql = "SELECT count(*) FROM inbox WHERE text LIKE ?"
    await s.until_so(lambda: s.month.number(sql, f"%{text}%"), what=f"{text} is stored")


@situation(150)
async def an_edit_while_it_waits_on_telegram(s: Stage) -> None:
    place = s.t("table")
    repeats_words(s, "a cake", "a pie")
    go_on = busy(s, "plan the party", "Planned.")
    s.ask(place, "Anna", "plan the party")
    await s.asked()
    message = s.ask(place, "Ben", "I bake a cake")
    await is_known(s, "I bake a cake")
    place.edit("Ben", message, f"{place.mention} I bake a pie")
    await is_known(s, "I bake a pie")
    go_on.set()
    await s.kill()
    await s.answer(place, exactly="Planned.")
    await s.answer(place, exactly="You say a pie.")


@situation(151)
async def an_edit_while_it_waits_on_discord(s: Stage) -> None:
    place = s.d("home")
    repeats_words(s, "the moon", "the sun")
    go_on = busy(s, "compare hotels", "Hotel B is best.")
    s.ask(place, "Ben", "compare hotels")
    await s.asked()
    message = s.ask(place, "David", "how old is the moon?")
    await is_known(s, "how old is the moon")
    place.edit("David", message, f"{place.mention} how old is the sun?")
    await is_known(s, "how old is the sun")
    go_on.set()
    await s.answer(place, exactly="Hotel B is best.")
    await s.answer(place, exactly="You say the sun.")


@situation(152)
async def a_deletion_while_it_waits(s: Stage) -> None:
    place = s.d("home")
    repeats_words(s, "annoying")
    go_on = busy(s, "compare trains", "Train C is best.")
    s.ask(place, "Ben", "compare trains")
    await s.asked()
    message = s.ask(place, "Clara", "tell Ben that he is annoying", mark="any")
    await is_known(s, "annoying")
    place.delete("Clara", message)
    await s.month.settle()
    go_on.set()
    await s.answer(place, exactly="Train C is best.")
    await s.nothing()


@situation(154)
async def the_server_is_overloaded(s: Stage) -> None:
    s.may_repeat = True
    s.month.family.claude.faults.append(ClaudeFault.OVERLOADED, ClaudeFault.OVERLOADED)
    repeats_words(s, "tulips")
    s.ask(s.t("Anna"), "Anna", "who planted the tulips?")
    await s.answer(s.t("Anna"), exactly="You say tulips.")


@situation(155)
async def the_stream_breaks(s: Stage) -> None:
    s.may_repeat = True
    s.month.family.claude.faults.append(ClaudeFault.RESET_AFTER_DELTA)
    repeats_words(s, "tulips")
    s.ask(s.d("Ben"), "Ben", "who watered the tulips?")
    await s.answer(s.d("Ben"), exactly="You say tulips.")


@situation(156)
async def telegram_is_broken(s: Stage) -> None:
    s.month.family.telegram.faults.next("sendMessage", Fault.BAD_GATEWAY)
    repeats_words(s, "tulips")
    s.ask(s.t("Clara"), "Clara", "who picked the tulips?")
    await s.answer(s.t("Clara"), "You say tulips.")


@situation(157)
async def discord_is_broken(s: Stage) -> None:
    s.month.family.discord.faults.on(Route.SEND, DiscordFault.INTERNAL_ERROR)
    repeats_words(s, "tulips")
    s.ask(s.d("Clara"), "Clara", "who cut the tulips?")
    await s.answer(s.d("Clara"), exactly="You say tulips.")


@situation(158, "2026-10-31 12:00")
async def forget_everything(s: Stage) -> None:
    place = s.t("David")
    await say_something(s, place, "David", "my secret hut is behind the mill")
    s.say(place, "David", "/forget everything")
    shown = await s.answer(place, "everything")
    await s.month.at_rest()
    label = shown.labels[0]
    await s.tap(place, "David", shown, label)
    await s.month.at_rest()
    for each in s.month.unclaimed(place):
        s.month.claim(each)
    found = await search(s, place, "David", "secret hut", tool="conversation_search")
    s.so("behind the mill" not in found.text, f"it is found: {found.text}")
    await s.until_so(lambda: not s.month.is_in_files("my secret hut is behind"), what="the words are in no file")


def in_order(s: Stage, place: Place, *words: str) -> None:
    at = [next(n for n, each in enumerate(place.shown()) if word in each.text) for word in words]
    s.so(at == sorted(at), f"{words} are not in this order")


@situation(159)
async def a_kill_between_two_messages(s: Stage) -> None:
    place = s.t("Ben")

    def rule(view: View) -> str | None:
        return f"One by one: {view.said('first apple', 'second pear')}." if "first apple" in view.text else None

    s.model(lambda view: f"Then: {view.said('second pear')}." if "second pear" in view.text else None)
    s.model(rule)
    s.ask(place, "Ben", "first apple")
    await is_known(s, "first apple")
    s.has_killed = s.may_repeat = True
    await s.month.kill()
    s.ask(place, "Ben", "second pear")
    await s.month.start()
    await s.month.at_rest()
    there = [each.plain for each in s.month.unclaimed(place)]
    s.so(sum("first apple" in each for each in there) == 1, f"the first is not answered once: {there}")
    s.so(sum("second pear" in each for each in there) == 1, f"the second is not answered once: {there}")
    s.month.claim_all()


@situation(160)
async def a_kill_before_a_message_on_discord(s: Stage) -> None:
    place = s.d("Ben")
    repeats_words(s, "tulips")
    s.has_killed = True
    await s.month.kill()
    s.ask(place, "Ben", "who sold the tulips?")
    await s.month.start()
    await s.answer(place, exactly="You say tulips.")
