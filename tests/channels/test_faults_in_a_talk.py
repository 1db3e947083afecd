"""A whole talk on each platform, in which every kind of call meets a fault: all is answered once and in order."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.texts import people
from tests.stand_ins import discord, telegram
from tests.stand_ins.claude import Asked, Reply, Text, ToolUse, reply
from tests.stand_ins.discord import Drop, Route
from tests.support.bench import Bench
from tests.support.both_platforms import Chat, Together, together
from tests.support.discord_channel import QUICK as DISCORD_QUICK
from tests.support.patience import PATIENCE
from tests.support.places.telegram import HASTY
from tests.support.wording import REPEAT_MARK

HASTIER = replace(HASTY, poll_seconds=1, connect_timeout_seconds=0.5, call_timeout_seconds=0.4)
HASTIEST = replace(DISCORD_QUICK, request_timeout_seconds=0.5)  # where a dozen calls are never answered
METHODS = (
    *("getMe", "setMyCommands", "getUpdates", "sendMessage", "editMessageText", "deleteMessage"),
    *("sendChatAction", "answerCallbackQuery"),
)
ROUTES = (
    *(Route.ME, Route.GATEWAY_BOT, Route.COMMANDS),
    *(Route.SEND, Route.EDIT, Route.DELETE, Route.TYPING, Route.CALLBACK),
)
AGAIN = 3  # how often what is sent meets the fault: a draft, and what must be delivered
OF_TELEGRAM = (
    *(telegram.Fault.REFUSED, telegram.Fault.RESET_UNREAD, telegram.Fault.RESET_AFTER, telegram.Fault.HALF_ANSWER),
    *(telegram.Fault.BLACK_HOLE_UNREAD, telegram.Fault.BLACK_HOLE, telegram.Fault.RETRY_1),
)
OF_DISCORD = (
    discord.Fault.GONE,
    *(discord.Fault.RESET_BEFORE, discord.Fault.RESET_AFTER, discord.Fault.HALF_ANSWER),
    *(discord.Fault.BLACK_HOLE_BEFORE, discord.Fault.BLACK_HOLE_AFTER, discord.Fault.RATE_LIMITED_1),
)


def script(asked: Asked) -> Reply:
    """What is asked says how it is answered: by a draft that grows, by a role, with a question, or never."""
    if "analyst" in asked.system[:30]:
        return reply("counted") if asked.step else reply(ToolUse("message", {"text": "I count."}))
    words = re.findall(r"(plain|draft|role|choice|never)\b", asked.turn_text)
    if words[-1] == "never":
        return reply(Text(f"this is never said{' to its end' * 100}", 400), seconds=0.05)
    if words[-1] == "role" and not asked.step:
        return reply(ToolUse("delegate", {"role": "analyst", "task": "count"}))
    if words[-1] == "choice" and not asked.step:
        return reply(ToolUse("ask_person", {"question": "Which?", "options": ["red", "green"]}))
    text = "\n".join(f"the answer to {word}" for word in words)
    return reply(Text(text, 12), seconds=0.05 if "draft" in words else 0)


@pytest.fixture
async def both(bench: Bench) -> AsyncIterator[Together]:
    async with together(bench) as there:
        there.claude.script.rule(script)
        yield there


async def talk(chat: Chat, taps: Callable[[], Awaitable[None]], is_over: Callable[[], bool]) -> None:
    """All that a person does in a chat. `taps` picks green; `is_over` tells whether no draft is left."""
    for word in ("draft", "role"):
        chat.ask(word)
        await chat.has(f"the answer to {word}", REPEAT_MARK)
    chat.ask("choice")
    await chat.has("Which?\n\n1. red\n2. green", REPEAT_MARK)
    await taps()
    await chat.has("the answer to choice", REPEAT_MARK)
    chat.ask("never")
    await becomes(lambda: any(text.startswith("this is never") for text in chat.shown()))
    chat.ask("/status")  # what is said meanwhile makes the draft an old one: its text comes as a new message
    await becomes(lambda: any(people.AT_WORK_FOR.english.partition("{")[0] in text for text in chat.shown()))
    chat.ask("/stop")
    await chat.has("— stopped", REPEAT_MARK)
    await becomes(is_over)


async def becomes(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 -- it may be any of two stand-ins and the rows
            await asyncio.sleep(0.01)


def answers(chat: Chat) -> list[str]:
    """In order; what is marked as a repeat counts once."""
    found = [text for text in chat.said if "the answer to" in text]
    plain = [text for text in found if REPEAT_MARK not in text]
    assert len(set(plain)) == len(plain), "what is there twice says so"
    return list(dict.fromkeys(text.replace(REPEAT_MARK, "", 1) for text in found))


EXPECTED = [f"the answer to {word}" for word in ("draft", "role", "choice")]


@asynccontextmanager
async def opened_again(server: telegram.TelegramStandIn | discord.DiscordStandIn) -> AsyncIterator[None]:
    """Whenever the port is closed, it is open again a little later."""

    async def attend() -> None:
        while True:
            await asyncio.sleep(0.05)
            if not server.is_listening:
                await (server.listen() if isinstance(server, telegram.TelegramStandIn) else server.come_back())

    task = asyncio.create_task(attend(), name="opening again")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("fault", OF_TELEGRAM, ids=str)
async def test_a_talk_on_telegram_outlives_a_fault_at_every_kind_of_call(both: Together, fault: telegram.Fault) -> None:
    server, room = both.telegram, both.room
    for method in METHODS:
        server.faults.next(method, *[fault, None] * (AGAIN if method == "sendMessage" else 1))
    chat = both.in_room(room)

    async def taps() -> None:
        room.tap(room.chat.person, [each for each in room.answers() if "green" in each.labels][-1], "green")

    async with opened_again(server), both.run(HASTIER):
        await talk(chat, taps, lambda: sum(text.startswith("this is never") for text in chat.shown()) == 1)
    missed = set(METHODS) - {call.method for call in server.calls if call.fault == fault}
    # A call that comes while the port is closed, by the fault of another, is refused and not on record.
    assert len(missed) <= (2 if fault is telegram.Fault.REFUSED else 0), missed
    assert answers(chat) == EXPECTED
    assert server.rates.trespasses == []


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("fault", OF_DISCORD, ids=str)
async def test_a_talk_on_discord_outlives_a_fault_at_every_kind_of_call(both: Together, fault: discord.Fault) -> None:
    town, server, private = both.town, both.town.server, both.town.ann.private()
    for route in ROUTES:
        server.faults.on(route, *[fault, None] * (AGAIN if route is Route.SEND else 1))
    chat = both.in_channel(private)

    def buttons() -> list[tuple[discord.Message, dict[str, Any]]]:
        return [(message, button) for message in server.said(private) for button in message.buttons]

    async def taps() -> None:
        """Discord tells nobody of a tap while the bot is away: the person reads that it failed, and taps again."""
        while green := [one for one in buttons() if one[1]["label"] == "green" and not one[1].get("disabled")]:
            message, button = green[-1]
            tapped = town.ann.tap(message, button["custom_id"])
            while not (tapped.answered or tapped.has_failed):  # noqa: ASYNC110 -- time alone makes it a failed one
                await asyncio.sleep(0.01)
            if tapped.answered:
                return

    async with opened_again(server), both.run(HASTIER, HASTIEST if "black_hole" in fault else DISCORD_QUICK):
        await becomes(lambda: any(each.session for each in server.gateway.connections))
        await talk(chat, taps, lambda: sum(text.startswith("this is never") for text in chat.shown()) == 1)
    missed = set(ROUTES) - {each.route for each in server.requests if each.fault == fault}
    assert len(missed) <= (2 if fault is discord.Fault.GONE else 0), missed  # as on Telegram
    assert [text for text in chat.said if "the answer to" in text] == EXPECTED
    # What was deleted, and nobody knew, is deleted again: then it is not there.
    assert [each for each in server.refused if (each.route, each.code) != (Route.DELETE, 10008)] == []


LONG = [
    *((method, seconds) for method in ("sendMessage", "editMessageText") for seconds in (35, 240)),
    *((Route.SEND, seconds) for seconds in (35, 240)),  # edits have a bucket of their own, and hold nothing else
]


@pytest.mark.parametrize(("call", "seconds"), LONG)
async def test_a_long_wait_that_is_asked_for_stands_in_the_row_of_its_lane(
    both: Together, bench: Bench, call: str, seconds: int
) -> None:
    server, chat = both.telegram, both.in_room(both.room)
    if isinstance(call, Route):
        chat = both.in_channel(both.town.ann.private())
        both.town.server.faults.on(call, discord.Fault[f"RATE_LIMITED_{seconds}"])
    else:
        server.faults.next(call, telegram.Fault[f"RETRY_{seconds}"])
    async with both.run():
        chat.ask("draft")
        await becomes(lambda: bench.rows("SELECT * FROM lanes"))
        [(until,)] = bench.rows("SELECT not_before FROM lanes")
        left = datetime.fromisoformat(until) - datetime.now(UTC)
        assert timedelta(seconds=seconds - 10) < left <= timedelta(seconds=seconds)
        completed = "SELECT * FROM turns WHERE status = 'completed'"
        await becomes(lambda: bench.rows(completed))
    assert [text for text in chat.said if "the answer to" in text and text.endswith("draft")] == []
    assert server.rates.trespasses == []


LOSSES: dict[str, Callable[[Together], object]] = {
    **{drop: lambda both, drop=drop: lost_while_connecting(both, drop) for drop in list(Drop)[:8]},  # type: ignore[misc]  # bound
    **{
        drop: lambda both, drop=drop: both.town.server.drops.at("MESSAGE_CREATE", drop)  # type: ignore[misc]  # bound
        for drop in (Drop.BEFORE_EVENT, Drop.IN_FRAME, Drop.HALF_COMPRESSED, Drop.AFTER_EVENT)
    },
    "asked to reconnect": lambda both: both.town.server.gateway.ask_to_reconnect(),
    "closed with 1000": lambda both: both.town.server.gateway.close(1000),
    "closed with 4000": lambda both: both.town.server.gateway.close(4000),
    "invalid, to be resumed": lambda both: both.town.server.gateway.invalidate(is_resumable=True),
    "invalid for good": lambda both: both.town.server.gateway.invalidate(is_resumable=False),
}


def lost_while_connecting(both: Together, drop: Drop) -> None:
    both.town.server.drops.append(drop)
    both.town.server.gateway.cut()


@pytest.mark.parametrize("loss", LOSSES)
async def test_messages_are_answered_once_and_in_order_despite_a_lost_gateway(both: Together, loss: str) -> None:
    both.claude.script.rules.insert(0, lambda asked: reply("; ".join(re.findall(r"message \d", asked.turn_text))))
    chat = both.in_channel(both.town.general)
    async with both.run(times=replace(DISCORD_QUICK, max_gateway_silence_seconds=1.0)):
        chat.ask("message 1")
        await chat.has("message 1")
        LOSSES[loss](both)
        chat.ask("message 2")
        await chat.has("message 2")
        chat.ask("message 3")
        await chat.has("message 3")
    assert chat.said == ["message 1", "message 2", "message 3"]
