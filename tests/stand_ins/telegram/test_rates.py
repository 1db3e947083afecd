"""How the stand-in for Telegram holds the bot to its limits, by a clock that the test moves."""

from typing import cast

import pytest
from telegram import Bot
from telegram.error import BadRequest, RetryAfter

from tests.stand_ins.telegram import Clock, Limits, Room, TelegramStandIn
from tests.stand_ins.telegram.client import client
from tests.stand_ins.telegram.raw import call


async def seconds_told(bot: Bot, chat: int) -> int:
    """How long the bot is told to wait; 0 if what it sent was taken."""
    try:
        await bot.send_message(chat, "x")
    except RetryAfter as refused:
        return cast(int, refused.retry_after)
    return 0


async def test_a_quiet_chat_takes_a_burst_and_then_one_a_second(bot: Bot, room: Room, clock: Clock) -> None:
    assert [await seconds_told(bot, 7) for _ in range(4)] == [0, 0, 0, 1]
    for _ in range(5):
        clock.advance(1)
        assert await seconds_told(bot, 7) == 0
    assert await seconds_told(bot, 7) == 2  # the second time
    clock.advance(60)
    assert [await seconds_told(bot, 7) for _ in range(3)] == [0, 0, 0]


async def test_a_bot_that_does_not_wait_waits_longer(
    server: TelegramStandIn, bot: Bot, room: Room, clock: Clock
) -> None:
    told = [await seconds_told(bot, 7) for _ in range(13)]
    assert told == [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert len(server.rates.trespasses) == 9  # the first was told nothing before
    clock.advance(299)
    assert await seconds_told(bot, 7) == 300
    clock.advance(300)
    assert await seconds_told(bot, 7) == 0
    clock.advance(120)
    assert [await seconds_told(bot, 7) for _ in range(4)] == [0, 0, 0, 1]


async def test_the_answer_says_how_long_as_the_platform_does(server: TelegramStandIn, room: Room) -> None:
    for _ in range(3):
        await call(server, "sendMessage", chat_id=7, text="x")
    answer = await call(server, "sendMessage", chat_id=7, text="x")
    assert answer.status == 429
    assert answer.json == {
        "ok": False,
        "error_code": 429,
        "description": "Too Many Requests: retry after 1",
        "parameters": {"retry_after": 1},
    }
    assert len(server.accepted()) == 3


async def test_a_group_takes_twenty_a_minute(server: TelegramStandIn, bot: Bot, clock: Clock) -> None:
    group = server.group("Team", server.person(7, "Ann"))
    for _ in range(20):
        assert await seconds_told(bot, group.id) == 0
        clock.advance(1)
    assert await seconds_told(bot, group.id) == 40
    assert (server.rates.most(60, group.id), server.rates.most(1, group.id)) == (20, 1)
    clock.advance(40)
    assert await seconds_told(bot, group.id) == 0


async def test_a_private_chat_takes_twenty_a_minute_and_then_tells_of_long_waits(
    server: TelegramStandIn, bot: Bot, room: Room, clock: Clock
) -> None:
    message = await bot.send_message(7, "a")
    for number in range(19):
        clock.advance(1)
        await bot.edit_message_text(f"{number}", 7, message.message_id)
    waits = [await seconds_told(bot, 7) for _ in range(5)]
    assert waits == [41, 60, 126, 245, 245]


async def test_all_chats_together_take_thirty_a_second(server: TelegramStandIn, bot: Bot, clock: Clock) -> None:
    rooms = [server.private(server.person(number, str(number))) for number in range(1, 32)]
    assert [await seconds_told(bot, room.id) for room in rooms] == [0] * 30 + [1]
    assert server.rates.most(1) == 30
    clock.advance(1)
    assert await seconds_told(bot, 31) == 0


async def test_edits_count_and_typing_and_deleting_do_not(bot: Bot, room: Room) -> None:
    message = await bot.send_message(7, "a")
    for _ in range(10):
        await bot.send_chat_action(7, "typing")
    await bot.edit_message_text("b", 7, message.message_id)
    await bot.edit_message_text("c", 7, message.message_id)
    with pytest.raises(RetryAfter):
        await bot.edit_message_text("d", 7, message.message_id)
    await bot.delete_message(7, message.message_id)


async def test_a_refused_message_does_not_count(bot: Bot, room: Room) -> None:
    for _ in range(10):
        with pytest.raises(BadRequest):
            await bot.send_message(7, " ")
    assert await seconds_told(bot, 7) == 0


async def test_one_chat_that_waits_holds_up_no_other(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    server.private(server.person(8, "Bob"))
    assert [await seconds_told(bot, 7) for _ in range(4)][-1] == 1
    assert await seconds_told(bot, 8) == 0


@pytest.mark.parametrize(
    "limits",
    [
        Limits(chat_per_second=None, chat_per_minute=None),
        Limits(burst=50, chat_per_minute=None),
        Limits.none(),
    ],
    ids=["no rate", "a long burst", "none"],
)
async def test_a_limit_can_be_switched_off(clock: Clock, limits: Limits) -> None:
    async with TelegramStandIn(now=clock, limits=limits) as server, client(server) as bot:
        server.private(server.person(7, "Ann"))
        assert [await seconds_told(bot, 7) for _ in range(25)] == [0] * 25


@pytest.mark.parametrize("limits", [Limits(chat_per_second=None), Limits.none()], ids=["the group's stays", "none"])
async def test_the_other_limits_stay(clock: Clock, limits: Limits) -> None:
    async with TelegramStandIn(now=clock, limits=limits) as server, client(server) as bot:
        group = server.group("Team", server.person(7, "Ann"))
        told = [await seconds_told(bot, group.id) for _ in range(40)]
        assert told.count(0) == (40 if limits == Limits.none() else 20)
