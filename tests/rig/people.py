"""The people: what they write, and how they react to what they see."""

import asyncio
from typing import Any

from tests.rig.arrivals import ARRIVALS, ARRIVALS_SETTINGS
from tests.rig.chat import Chat, Plot
from tests.rig.clubs import CLUBS
from tests.rig.costs import COSTLY, COSTLY_SETTINGS
from tests.rig.files import HAS_DESK, SENDS
from tests.rig.groups import CHATS
from tests.rig.held import HELD, HELD_SETTINGS
from tests.rig.hops import HOPS, STOP_HOPS
from tests.rig.persons import PERSONS, PERSONS_SETTINGS
from tests.rig.planning import PLANNED, PLANNED_SETTINGS
from tests.rig.script import SILENT
from tests.rig.threads import THREADS
from tests.rig.troubles import REFUSED
from tests.rig.voices import VOICES, VOICES_SETTINGS


async def go(chat: Chat) -> None:
    """Two people write during the turn. Somebody who was not asked answers first."""
    chat.says("go")
    await chat.sees("update", "question")
    chat.says("also")
    await chat.pause(0.01)
    chat.says("bob asks", "bob")
    chat.says("and again")  # after Bob's message, and must not overtake it
    if await chat.sees_question():
        await chat.pause(0.1)
        chat.taps("green", "eve")
        chat.taps("red")
        await chat.pause(0.02)
        chat.taps("blue")
    await chat.sees("reply")
    chat.says("more")


async def answer(chat: Chat) -> None:
    """Ann answers in words, and taps too late. If money is short, the question may never come."""
    chat.says("go")
    if await chat.sees("question", "reply") == "question":
        await chat.pause(0.2)
        chat.types("red")
        await chat.sees("reply")
        chat.taps("blue")
    await chat.sees("reply")
    chat.says("more")


async def reply(chat: Chat) -> None:
    """People reply to the question's message: first somebody else, then the person who was asked, then too late. If the
    role has ended by then, it works again, and asks again."""
    chat.says("go")
    if not await chat.sees_question():
        return None
    chat.says("what is this?", "bob", reply_to=chat.question)
    await chat.pause()
    chat.types("red", reply_to=chat.question)
    await chat.sees("reply")
    chat.says("blue, rather", reply_to=chat.question)
    for _ in range(80):
        await asyncio.sleep(0.1)
        if again := [each for each in chat.questions if each["id"] != chat.question]:
            return chat.taps("red", key=again[0]["key"])
        if any(send["key"].endswith(":told:0") for send in chat.first_sends("notice")):
            return None  # the role was still at work
    return None


async def rubbish(chat: Chat) -> None:
    """An update that nobody can parse comes between two messages."""
    chat.says("and")
    chat.sends_rubbish()
    chat.says("and")
    await chat.sees("reply")
    chat.says(REFUSED)
    await chat.pause()
    chat.says("more")


async def many(chat: Chat) -> None:
    """A long conversation that is summarised now and then. Each question is answered in words, one may come late."""
    answered = 0
    for text in ("nested", "and", "and", "go", "and", "and"):
        chat.says(text)
        seen = len(chat.world.sends)
        while not any(chat.is_here(send, "reply") for send in chat.world.sends[seen:]):
            chat.world.happened.clear()
            if len(chat.questions) > answered:
                answered = len(chat.questions)
                chat.types("red")
                await chat.pause()
            await chat.world.happened.wait()
    await asyncio.sleep(0.5)
    if len(chat.questions) > answered:  # the lead's reply came before the role asked
        chat.taps("red")


async def instead(chat: Chat) -> None:
    """Nobody answers the question. If messages queue, the next one ends the wait."""
    chat.says("go")
    await chat.sees_question()
    await chat.pause(0.15)
    chat.says("leave that")
    await chat.sees("reply")
    chat.says("more")


async def meanwhile(chat: Chat) -> None:
    """People talk with the lead while roles work. The question of a role is answered at last."""
    await instead(chat)
    chat.says("bob asks", "bob")
    await chat.pause()
    if chat.questions:
        chat.taps("red")


async def steer(chat: Chat) -> None:
    """Roles are told something by their number, and by a reply to what one of them said. Some have ended by then."""
    chat.says("nested")
    await chat.sees("update")
    for number in range(1, 5):
        chat.tells(number)
        await chat.pause(0.02)
    chat.says("and", reply_to=chat.updates[-1]["id"])
    chat.tells(3, "bob")
    await chat.sees("reply")
    chat.tells(1)
    chat.says("more", reply_to=chat.updates[0]["id"])


async def stop(chat: Chat) -> None:
    chat.says("go")
    await chat.pause(0.3)
    chat.types("/stop")
    await chat.pause()
    chat.says("and")


def stop_searching(entries: int) -> Plot:
    """Return a plot that stops the turn while a search result is due, after a request with so many messages."""

    async def plot(chat: Chat) -> None:
        chat.says("searches")
        await chat.is_asked(entries)
        chat.types("/stop")
        await chat.sees("reply")
        chat.says("searches")

    return plot


async def stop_midway(chat: Chat) -> None:
    """Everything is stopped and named: running roles, an open question and a waiting message."""
    chat.says("go")
    await chat.sees_question()
    chat.says("also")
    chat.types("/stop")
    chat.says("and")


async def stop_one(chat: Chat) -> None:
    chat.says("go")
    await chat.sees("update")
    chat.types("/stop analyst")
    await chat.pause()
    chat.says("and")


async def stop_unbegun(chat: Chat) -> None:
    """Ann stops her waiting message while Bob's turn runs. Bob's turn goes on."""
    chat.says("nested", "bob")
    await chat.pause()
    chat.says("never mind")
    chat.types("/stop")
    await chat.pause()
    chat.says("and")


async def stop_background(chat: Chat) -> None:
    chat.says("background")
    await chat.sees("reply")
    chat.types("/stop")
    chat.says("and")


async def background(chat: Chat) -> None:
    chat.says("background")
    await chat.pause()
    chat.says("and")
    await chat.pause(0.1)
    chat.types("/new")
    chat.says("and")


async def remembering(chat: Chat) -> None:
    """Memories that are saved and forgotten in one conversation are so in the next."""
    for text in ("remember", "/new", "remember"):
        if text == "/new":
            chat.types(text)
        else:
            chat.says(text)
        await chat.pause()


async def plain(chat: Chat) -> None:
    for _ in range(4):
        chat.says("and")
        await chat.pause(0.03)


def uninterrupted(text: str) -> Plot:
    """Return a plot: one large message, and one after its turn."""

    async def plot(chat: Chat) -> None:
        chat.says(text)
        await chat.sees("reply")
        chat.says("more")

    return plot


def only(text: str) -> Plot:
    """Return a plot: one large message, one during its turn, one after it."""

    async def plot(chat: Chat) -> None:
        chat.says(text)
        await chat.sees("update", "reply")
        chat.says("also")
        await chat.sees("reply")
        chat.says("more")

    return plot


SCENARIOS: dict[str, dict[str, Plot]] = {
    "go": {"tg:1": go, "dc:2": go, "wh:3": go},
    "reply": {"tg:1": reply, "dc:2": reply},
    "rubbish": {"tg:1": rubbish, "dc:2": rubbish, "wh:3": rubbish},
    "trouble": {"tg:1": go, "dc:2": answer, "wh:3": rubbish},
    "many": {"tg:1": many, "dc:2": many},
    "memory": {"tg:1": remembering, "dc:2": remembering},
    "slow": {"tg:1": only("slowly"), "dc:2": only("nested")},
    "thirsty": {"tg:1": only("nested"), "dc:2": answer},
    "answer": {"tg:1": answer, "dc:2": answer},
    "instead": {"tg:1": instead, "dc:2": instead},
    "meanwhile": {"tg:1": meanwhile, "dc:2": meanwhile},
    "steer": {"tg:1": steer, "dc:2": steer},
    "stop": {"tg:1": stop, "dc:2": stop},
    "stop_midway": {"tg:1": stop_midway, "dc:2": stop_midway},
    "stop_one": {"tg:1": stop_one, "dc:2": stop_one},
    "stop_unbegun": {"tg:1": stop_unbegun, "dc:2": stop_unbegun},
    "silent": {"tg:1": only(SILENT), "dc:2": only(SILENT), "wh:3": only(SILENT)},
    "nested": {"tg:1": only("nested"), "dc:2": only("nested")},
    "searches": {"tg:1": only("searches"), "dc:2": only("searches")},
    "stop_searching": {"tg:1": stop_searching(2), "dc:2": stop_searching(4)},
    "background": {"tg:1": background, "dc:2": stop_background},
    "several": {"tg:1": only("several"), "dc:2": only("several")},
    "bomb": {"tg:1": only("bombs"), "dc:2": answer},
    "one_bomb": {"tg:1": uninterrupted("bombed"), "dc:2": answer},
    "suicide": {"tg:1": only("suicide"), "dc:2": answer},
    "poor": {"tg:1": answer, "dc:2": only("nested")},
    "short": {"tg:1": plain, "dc:2": stop, "wh:3": plain, "tg:4": only("nested")},
    "hops": HOPS,
    "stop_hops": STOP_HOPS,
    "hop_bomb": {CHATS["alpha"]: only("dare"), CHATS["beta"]: only("tell"), "dc:2": answer},
    "files": {"tg:1": only(SENDS), "dc:2": only(SENDS), "wh:3": only(SENDS)},
    "mix": {
        "tg:1": go, "dc:2": stop, "tg:3": only("nested"), "dc:4": background, "tg:5": plain, "dc:6": meanwhile,
    },
    **ARRIVALS,
    **CLUBS,
    **COSTLY,
    **HELD,
    **THREADS,
    **VOICES,
    **PERSONS,
    **PLANNED,
}  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {
    "files": {HAS_DESK: True},
    "poor": {"turn": {"cost": 26_000}},
    "several": {"turn": {"cost": 10_000_000}},  # four kills lose a dozen requests and more, at their highest price
    "short": {"day": 150_000},  # so that one turn must wait for money that another has reserved
    "slow": {"turn": {"seconds": 0.08}},
    "thirsty": {"turn": {"tokens": 2_200}},
    "many": {"model__context_tokens": 6_000},
    "instead": {"busy": "queue"},
    "mix": {"swarm__max_running": 4},
    "town": {"day": 1_000_000_000, "chat_day": 1_000_000_000},
    "village": {"day": 1_000_000_000, "chat_day": 1_000_000_000},
    **ARRIVALS_SETTINGS,
    **COSTLY_SETTINGS,
    **HELD_SETTINGS,
    **PERSONS_SETTINGS,
    **PLANNED_SETTINGS,
    **VOICES_SETTINGS,
}
TROUBLES = {"trouble": 0.15}  # by scenario: the share of the bot's messages and requests that go wrong
MODELS = {"many": "unpriced"}  # a model without a price, and with a small window
ALL = "all"  # all scenarios


def settings_of(scenario: str, places: int) -> dict[str, Any]:
    return {
        "swarm__max_concurrent": places,
        "swarm__max_running": 12,
        "swarm__max_depth": 2,
        **SETTINGS.get(scenario, {}),
    }
