"""What waits for the bot at the stand-in for Telegram: offsets, numbers, polls, and updates that are malformed."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from telegram import Bot
from telegram.error import Conflict

from tests.stand_ins.telegram import Clock, Malformed, Room, TelegramStandIn
from tests.stand_ins.telegram.client import client
from tests.stand_ins.telegram.raw import call

DAY = 24 * 3600.0


def say(room: Room, *texts: str) -> None:
    for text in texts:
        room.say(room.chat.person, text)


async def heard(bot: Bot, **given: Any) -> list[str]:
    return [str(update.message and update.message.text) for update in await bot.get_updates(**given)]


async def test_an_offset_confirms_all_below_it_and_nothing_else_does(bot: Bot, room: Room) -> None:
    say(room, "one", "two", "three")
    first = await bot.get_updates(limit=2)
    assert await heard(bot) == ["one", "two", "three"]
    assert await heard(bot, offset=first[-1].update_id) == ["two", "three"]
    assert await heard(bot, offset=first[-1].update_id + 1) == ["three"]
    assert await heard(bot) == ["three"]


async def test_a_negative_offset_forgets_all_but_the_last(bot: Bot, room: Room) -> None:
    say(room, "one", "two", "three")
    assert await heard(bot, offset=-2) == ["two", "three"]
    assert await heard(bot) == ["two", "three"]


@pytest.mark.parametrize(("limit", "count"), [(0, 1), (1, 1), (100, 100), (999, 100)])
async def test_a_batch_has_one_to_a_hundred(server: TelegramStandIn, room: Room, limit: int, count: int) -> None:
    say(room, *map(str, range(101)))
    assert len((await call(server, "getUpdates", limit=limit)).json["result"]) == count


async def test_an_update_waits_a_day(server: TelegramStandIn, bot: Bot, room: Room, clock: Clock) -> None:
    say(room, "early")
    clock.advance(2)
    say(room, "late")
    clock.advance(DAY - 1)
    assert await heard(bot) == ["late"]
    assert [one.update["message"]["text"] for one in server.world.updates.lapsed] == ["early"]


async def test_ids_go_on_one_by_one_and_after_a_week_anywhere(bot: Bot, room: Room, clock: Clock) -> None:
    say(room, "one", "two")
    one, two = [update.update_id for update in await bot.get_updates()]
    assert two == one + 1
    clock.advance(7 * DAY)
    say(room, "three")
    (three,) = await bot.get_updates()
    assert three.update_id not in (two + 1, two)


async def test_an_offset_from_an_older_numbering_hides_nothing(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    say(room, "one")
    (one,) = await bot.get_updates()
    await bot.get_updates(offset=one.update_id + 1)
    server.world.updates.jump(to=5)
    say(room, "two")
    (two,) = await bot.get_updates(offset=one.update_id + 1)
    assert two.update_id == 5
    assert await heard(bot, offset=6) == []


async def test_a_confirmed_update_can_come_again(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    say(room, "one")
    (one,) = await bot.get_updates()
    assert await heard(bot, offset=one.update_id + 1) == []
    server.world.updates.repeat(one.update_id)
    assert [update.update_id for update in await bot.get_updates()] == [one.update_id]


async def test_only_the_kinds_that_were_asked_for_are_kept(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    message = room.say(room.chat.person, "one")
    await bot.get_updates(allowed_updates=["edited_message"])
    room.edit(message, "one and a half")
    say(room, "two")
    assert [list(one.update)[1] for one in server.world.updates.waiting] == ["message", "edited_message"]
    await bot.get_updates(allowed_updates=[])
    say(room, "three")
    assert list(server.world.updates.waiting[-1].update)[1] == "message"


async def test_kinds_that_are_no_list_are_refused(server: TelegramStandIn) -> None:
    assert (await call(server, "getUpdates", allowed_updates="message")).status == 400
    assert (await call(server, "getUpdates", allowed_updates=[1])).status == 400


async def test_a_poll_waits_for_updates(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    async with asyncio.TaskGroup() as tasks:
        polling = tasks.create_task(heard(bot, timeout=5))
        await server.until(lambda: bool(server.calls))
        say(room, "hello")
    assert polling.result() == ["hello"]


async def test_a_poll_ends_empty_when_its_time_is_up(server: TelegramStandIn, bot: Bot) -> None:
    server.longest_poll_seconds = 0.01
    assert await heard(bot, timeout=50) == []


async def test_of_two_pollers_the_first_is_ended(server: TelegramStandIn, room: Room) -> None:
    async with client(server) as first, client(server) as second, asyncio.TaskGroup() as tasks:
        old = tasks.create_task(outcome(first))
        await server.until(lambda: server.world.updates.is_polled)
        new = tasks.create_task(outcome(second))
        assert "terminated by other getUpdates request" in str(await old)
        say(room, "hello")
    assert new.result() == ["hello"]


async def outcome(bot: Bot) -> object:
    try:
        return await heard(bot, timeout=5)
    except Conflict as conflict:
        return conflict


async def test_a_poller_that_leaves_takes_nothing_with_it(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET /bot{server.token}/getUpdates?timeout=50 HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    await server.until(lambda: server.world.updates.is_polled)
    writer.close()
    await writer.wait_closed()
    await server.until(lambda: not server.world.updates.is_polled)
    say(room, "hello")
    assert await heard(bot) == ["hello"]


@pytest.mark.parametrize("kind", list(Malformed), ids=str)
async def test_a_malformed_update_comes_among_good_ones(server: TelegramStandIn, room: Room, kind: Malformed) -> None:
    say(room, "before")
    room.malformed(room.chat.person, kind)
    say(room, "after")
    good, bad, more = (await call(server, "getUpdates")).json["result"]
    assert (good["message"]["text"], more["message"]["text"]) == ("before", "after")
    spoilt: dict[Malformed, Callable[[], bool]] = {
        Malformed.NO_CHAT: lambda: "chat" not in bad["message"],
        Malformed.WRONG_TYPES: lambda: bad["message"]["chat"] == 7,
        Malformed.DATE_IN_WORDS: lambda: bad["message"]["date"] == "yesterday",
        Malformed.HUGE_DATE: lambda: bad["message"]["date"] == 10**15,
        Malformed.ENTITY_WITHOUT_OFFSET: lambda: "offset" not in bad["message"]["entities"][0],
        Malformed.LONE_SURROGATE: lambda: bad["message"]["text"].endswith("\ud83d"),
        Malformed.NULL_MESSAGE: lambda: bad["message"] is None,
        Malformed.HUGE_ID: lambda: bad["message"]["message_id"] == 2**63,
        Malformed.UNKNOWN_KIND: lambda: list(bad) == ["update_id", "telepathy"],
        Malformed.NO_UPDATE_ID: lambda: list(bad) == ["message"],
        Malformed.NOT_AN_OBJECT: lambda: isinstance(bad, str),
    }
    assert spoilt[kind]()
    # Whatever it is, the next offset confirms it.
    assert (await call(server, "getUpdates", offset=more["update_id"])).json["result"] == [more]
