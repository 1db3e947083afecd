"""People who are asked whether calls may run: they agree once or for the conversation, refuse, say why, write something
else, or let the time run out, in private and in a group chat."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from bot.core.texts import people_holds
from tests.rig.chat import Chat, Plot
from tests.rig.clubs import CLUB, OWNER, OWNER_CHAT, is_club
from tests.rig.groups import CHATS
from tests.rig.mail import HAS_MAIL
from tests.rig.script import TAG

YES, AGAIN, NO = str(people_holds.ALLOW()), str(people_holds.ALLOW_IN_CONVERSATION()), str(people_holds.DENY())
WHY_NOT = "no, that is nobody's business"
# What the words of a message answer. All others say no, if they are a reply.
SAYINGS = {YES: YES, "yes": YES, "1": YES, AGAIN: AGAIN, NO: NO, "no": NO}
REQUESTS = ("skim", "pair_skim", "deep_skim", "same_skim", "other_skim")
LONGEST_WAIT_SECONDS = 10.0  # for the reply: one to several messages, or to a stopped turn, may not name this one

Asked = dict[str, Any]  # a question as it was shown first, and `by`: who was asked
Manner = Callable[[Chat, Asked], Awaitable[None]]


async def agrees(chat: Chat, asked: Asked) -> None:
    """The person agrees, twice. The second tap is too late."""
    chat.taps(YES, asked["by"], asked["key"])
    chat.taps(YES, asked["by"], asked["key"])


async def says_yes(chat: Chat, asked: Asked) -> None:
    """The person agrees in words, as a reply. If a kill has left the question twice, only the tap arrives there."""
    chat.types("yes", asked["by"], reply_to=asked["id"])
    await chat.pause()
    chat.taps(YES, asked["by"], asked["key"])


async def says_yes_plainly(chat: Chat, asked: Asked) -> None:
    """The person agrees in a message that replies to nothing. If two calls wait, it answers neither."""
    chat.types("yes", asked["by"])
    await chat.pause()
    chat.taps(YES, asked["by"], asked["key"])


async def allows_again(chat: Chat, asked: Asked) -> None:
    """The person agrees for the whole conversation, where that is possible."""
    chat.taps(AGAIN if AGAIN in asked["options"] else YES, asked["by"], asked["key"])


async def refuses(chat: Chat, asked: Asked) -> None:
    """The person refuses, and is too late with a yes."""
    chat.taps(NO, asked["by"], asked["key"])
    await chat.pause(0.02)
    chat.taps(YES, asked["by"], asked["key"])


async def says_why_not(chat: Chat, asked: Asked) -> None:
    """The person refuses in other words, which the model reads. If the reply does not arrive there, the tap does."""
    chat.types(WHY_NOT, asked["by"], reply_to=asked["id"])
    await chat.pause()
    chat.taps(NO, asked["by"], asked["key"])


async def writes_instead(chat: Chat, asked: Asked) -> None:
    """The person writes something else, which withdraws the question, and agrees too late."""
    chat.says("and", asked["by"])
    await chat.pause(0.05)
    chat.taps(YES, asked["by"], asked["key"])


async def lets_others_tap(chat: Chat, asked: Asked) -> None:
    """Others tap first, who were not asked."""
    chat.taps(YES, "bob", asked["key"])
    chat.types("yes", "eve", reply_to=asked["id"])
    await chat.pause(0.02)
    chat.taps(NO, asked["by"], asked["key"])


async def waits(chat: Chat, asked: Asked) -> None:
    """Nobody answers."""


async def stops(chat: Chat, asked: Asked) -> None:
    """The person agrees, and stops everything at the same moment."""
    chat.taps(YES, asked["by"], asked["key"])
    await chat.pause(0.01)
    chat.types("/stop", asked["by"])


def place_of_questions(chat: Chat) -> Chat:
    """Return where people are asked about what is written in a chat: about a group chat, in private at the owner's."""
    return Chat(chat.world, chat.rng, OWNER_CHAT, chat.tags) if is_club(chat.address) else chat


def questions_about_calls(chat: Chat) -> list[Asked]:
    """Return the questions whether calls may run that were shown at an address, each by the newest of its parts."""
    by = OWNER if chat.address == OWNER_CHAT else "ann"
    asked: dict[str, Asked] = {}
    for send in chat.first_sends("approval"):
        id = send["key"].rsplit(":", 1)[0]
        options = [*asked.get(id, {}).get("options", ()), *send["options"]]
        asked[id] = {**send, "by": by, "options": options}
    return list(asked.values())


def held(*manners: Manner, requests: tuple[str, ...] = REQUESTS) -> Plot:
    """Return a plot: requests one after the other. The questions about their calls are dealt with in these manners in
    turn."""

    async def plot(chat: Chat) -> None:
        dealt: set[str] = set()
        there = place_of_questions(chat)
        for text in requests:
            tag = chat.says(text)
            try:
                async with asyncio.timeout(LONGEST_WAIT_SECONDS):
                    while not any(tag in TAG.findall(send["text"]) for send in chat.first_sends("reply")):
                        for asked in questions_about_calls(there):
                            if (id := asked["key"].rsplit(":", 1)[0]) not in dealt:
                                await manners[len(dealt) % len(manners)](there, asked)
                                dealt.add(id)
                        chat.world.happened.clear()
                        await chat.world.happened.wait()
            except TimeoutError:
                continue

    return plot


HELD: dict[str, dict[str, Plot]] = {
    "held": {
        "tg:1": held(agrees, says_why_not, says_yes, says_yes_plainly, allows_again),
        "dc:2": held(allows_again, agrees, writes_instead, says_yes, agrees),
        "wh:3": held(lets_others_tap, refuses, agrees, allows_again, agrees),
        f"tg:{CLUB}9": held(agrees, says_yes_plainly, refuses, says_yes, requests=("skim", "deep_skim", "same_skim")),
    },
    "held_more": {
        "tg:1": held(agrees, refuses, requests=("crowded_skim", "late_skim", "pair_skim")),
        "dc:2": held(says_yes, agrees, requests=("late_skim", "crowded_skim", "other_skim")),
        CHATS["alpha"]: held(agrees, says_why_not, requests=("hop_skim", "skim", "hop_skim")),
    },
    "held_late": {"tg:1": held(waits, agrees), "dc:2": held(agrees, waits, waits)},
    "held_stop": {"tg:1": held(agrees, stops), "dc:2": held(stops, agrees)},
}
SECOND = 1 / 60  # of a minute
HOLDING = {HAS_MAIL: True, "approvals__enabled": True, "approvals__unattended_timeout_minutes": 20 * SECOND}
HELD_SETTINGS: dict[str, dict[str, Any]] = {
    **{name: {**HOLDING, "approvals__timeout_minutes": 20 * SECOND, "long_answer_parts": 20} for name in HELD},
    "held_late": {**HOLDING, "approvals__timeout_minutes": 0.3 * SECOND},  # its questions are files
}
