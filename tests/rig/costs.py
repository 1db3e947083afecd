"""People who are asked before roles begin that will cost much: they agree, refuse, wonder, or let the time run out."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from bot.core.texts import people
from tests.rig.chat import Chat, Plot
from tests.rig.script import TAG

START, DO_NOT_START = str(people.START_COSTLY_ROLES()), str(people.DO_NOT_START_COSTLY_ROLES())
DECISIONS = {"yes": START, START: START, "1": START, "no": DO_NOT_START, DO_NOT_START: DO_NOT_START, "2": DO_NOT_START}
OTHER_WORDS = "why so much?"
LEAST_USD = 0.000_001  # a setting: whoever has ever completed anything is asked about
REQUESTS = ("pair", "lavish", "nested", "pair")  # nobody is asked about the first, if no other chat was quicker
LONGEST_WAIT_SECONDS = 3.0  # for the reply: one to several messages, or to a stopped turn, may not name this one

Question = dict[str, Any]  # as it was shown first
Manner = Callable[[Chat, Question], Awaitable[None]]


async def agrees(chat: Chat, asked: Question) -> None:
    chat.taps(START, key=asked["key"])


async def refuses(chat: Chat, asked: Question) -> None:
    """Ann refuses, and is too late with a yes."""
    chat.taps(DO_NOT_START, key=asked["key"])
    await chat.pause(0.02)
    chat.taps(START, key=asked["key"])


async def says_yes(chat: Chat, asked: Question) -> None:
    """Ann agrees in words, as a reply. If a kill has left the question twice, only the tap arrives there."""
    chat.types("yes", reply_to=asked["id"])
    await chat.pause()
    await agrees(chat, asked)


async def says_no(chat: Chat, asked: Question) -> None:
    chat.types("no")
    await chat.pause()
    await refuses(chat, asked)


async def wonders(chat: Chat, asked: Question) -> None:
    """Ann writes something else, to which the question stays open. Then she names an option by its number."""
    chat.types(OTHER_WORDS)
    await chat.pause(0.02)
    chat.types("1")
    await chat.pause()
    await agrees(chat, asked)


async def lets_others_tap(chat: Chat, asked: Question) -> None:
    """Others tap first, who were not asked; Bob also wants something of his own."""
    chat.taps(START, "bob", asked["key"])
    chat.taps(DO_NOT_START, "eve", asked["key"])
    chat.says("bob asks", "bob")
    await chat.pause(0.02)
    await agrees(chat, asked)


async def waits(chat: Chat, asked: Question) -> None:
    """Nobody answers."""


async def stops(chat: Chat, asked: Question) -> None:
    """Ann agrees, and stops everything at the same moment."""
    chat.taps(START, key=asked["key"])
    await chat.pause(0.01)
    chat.types("/stop")


def costly(*manners: Manner) -> Plot:
    """Return a plot: large requests one after the other. The questions about their cost are dealt with in these manners
    in turn."""

    async def plot(chat: Chat) -> None:
        dealt: set[str] = set()
        for text in REQUESTS:
            tag = chat.says(text)
            try:
                async with asyncio.timeout(LONGEST_WAIT_SECONDS):
                    while not any(tag in TAG.findall(send["text"]) for send in chat.first_sends("reply")):
                        for asked in [each for each in chat.questions if each["key"] not in dealt]:
                            await manners[len(dealt) % len(manners)](chat, asked)
                            dealt.add(asked["key"])
                        chat.world.happened.clear()
                        await chat.world.happened.wait()
            except TimeoutError:
                continue

    return plot


COSTLY: dict[str, dict[str, Plot]] = {
    "costly": {
        "tg:1": costly(agrees, refuses, says_yes),
        "dc:2": costly(says_yes, wonders, agrees, says_no),
        "wh:3": costly(wonders, lets_others_tap, agrees),
    },
    "costly_late": {"tg:1": costly(waits, agrees), "dc:2": costly(agrees, waits)},
    "costly_stop": {"tg:1": costly(agrees, stops), "dc:2": costly(stops, agrees)},
}
ASKING = {"swarm__ask_above_usd": LEAST_USD, "question_timeout_seconds": 5.0}
COSTLY_SETTINGS: dict[str, dict[str, Any]] = {
    "costly": ASKING,
    "costly_late": {**ASKING, "question_timeout_seconds": 0.3},
    "costly_stop": ASKING,
}
