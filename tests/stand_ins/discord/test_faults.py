"""The fault menu of REST, as discord.py meets it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest

from tests.stand_ins.bots import Asking, Bot, bot_of
from tests.stand_ins.discord import EVERY, Channel, DiscordStandIn, Fault, Person, Route
from tests.stand_ins.discord.faults import LATER


@pytest.fixture
async def bot(server: DiscordStandIn, general: Channel) -> AsyncIterator[Bot]:
    async with bot_of(server) as running:
        yield running


def send(bot: Bot, channel: Channel) -> Any:
    return bot.get_partial_messageable(channel.id).send("Hello.", nonce="n")


# What discord.py raises, and whether the message is there all the same.
RAISED: dict[Fault, tuple[type[Exception], bool]] = {
    Fault.RESET_BEFORE: (aiohttp.ClientOSError, False),
    Fault.RESET_AFTER: (aiohttp.ClientOSError, True),
    Fault.CLOSED_AFTER: (aiohttp.ServerDisconnectedError, True),
    Fault.HALF_ANSWER: (aiohttp.ClientPayloadError, True),
    Fault.UNAVAILABLE: (discord.DiscordServerError, False),
    Fault.BANNED: (discord.HTTPException, False),
}


@pytest.mark.parametrize("fault", RAISED)
async def test_a_fault_that_the_library_raises(
    bot: Bot, server: DiscordStandIn, general: Channel, fault: Fault
) -> None:
    raised, is_there = RAISED[fault]
    server.faults.on(Route.SEND, fault)
    with pytest.raises(raised):
        await send(bot, general)
    (request,) = server.to(Route.SEND)
    assert (request.fault, request.had_effect) == (fault, is_there)
    assert len(server.said(general)) == is_there
    # Whoever sends again with the same nonce has it once.
    await send(bot, general)
    assert [one.text for one in server.said(general)] == ["Hello."]


ERRORS: dict[Fault, int] = {
    Fault.INTERNAL_ERROR: 500,
    Fault.BAD_GATEWAY: 502,
    Fault.UNAVAILABLE: 503,
    Fault.GATEWAY_TIMEOUT: 504,
    Fault.BAD_GATEWAY_AFTER: 502,
    Fault.BANNED: 429,
    Fault.NOT_JSON: 200,
}


@pytest.mark.parametrize("fault", ERRORS)
async def test_a_fault_that_is_answered_in_html(
    by_hand: Asking, server: DiscordStandIn, general: Channel, fault: Fault
) -> None:
    server.faults.on(Route.SEND, fault)
    told = await by_hand.ask("POST", f"/channels/{general.id}/messages", {"content": "x"})
    assert told.status == ERRORS[fault]
    assert told.headers["Content-Type"].startswith("text/html")
    assert told.body.startswith(b"<html>")
    assert len(server.said(general)) == (fault in LATER)


async def test_a_ban_does_not_come_from_discord_itself(by_hand: Asking, server: DiscordStandIn) -> None:
    server.faults.on(EVERY, Fault.BANNED)
    told = await by_hand.ask("GET", "/users/@me")
    assert "Via" not in told.headers
    assert "Retry-After" not in told.headers


WAITS: dict[Fault, tuple[float, str]] = {
    Fault.RATE_LIMITED_1: (1.0, "user"),
    Fault.RATE_LIMITED_35: (35.0, "user"),
    Fault.RATE_LIMITED_240: (240.0, "user"),
    Fault.RATE_LIMITED_SHARED: (1.0, "shared"),
    Fault.RATE_LIMITED_GLOBALLY: (1.0, "global"),
}


@pytest.mark.parametrize("fault", WAITS)
async def test_a_rate_limit_of_the_menu(
    by_hand: Asking, server: DiscordStandIn, general: Channel, fault: Fault
) -> None:
    seconds, scope = WAITS[fault]
    server.faults.on(Route.SEND, fault)
    told = await by_hand.ask("POST", f"/channels/{general.id}/messages", {"content": "x"})
    assert (told.status, told.json["retry_after"], told.json["global"]) == (429, seconds, scope == "global")
    assert told.headers["Retry-After"] == str(int(seconds))
    assert told.headers["X-RateLimit-Scope"] == scope
    assert ("X-RateLimit-Global" in told.headers) == (scope == "global")
    assert told.headers["Via"]
    assert server.said(general) == []


async def test_the_library_gives_up_a_wait_that_is_too_long(server: DiscordStandIn, general: Channel) -> None:
    async with bot_of(server, max_ratelimit_timeout=30) as bot:
        server.faults.on(Route.SEND, Fault.RATE_LIMITED_35)
        with pytest.raises(discord.RateLimited) as raised:
            await send(bot, general)
        assert raised.value.retry_after == 35


@pytest.mark.parametrize("fault", [Fault.BLACK_HOLE_BEFORE, Fault.BLACK_HOLE_AFTER])
async def test_a_request_that_is_never_answered(
    bot: Bot, server: DiscordStandIn, general: Channel, fault: Fault
) -> None:
    server.faults.on(Route.SEND, fault)
    sending = asyncio.create_task(send(bot, general))
    await server.until(lambda: server.to(Route.SEND) and server.to(Route.SEND)[0].fault == fault)
    if fault is Fault.BLACK_HOLE_AFTER:
        await server.until(lambda: server.said(general))
    assert not sending.done()
    assert server.to(Route.SEND)[0].status == 0
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending


async def test_an_answer_that_is_late(bot: Bot, server: DiscordStandIn, general: Channel) -> None:
    server.faults.slow_seconds = 0.05
    server.faults.on(Route.SEND, Fault.SLOW)
    sending = asyncio.create_task(send(bot, general))
    await server.until(lambda: server.said(general))
    assert not sending.done()
    assert (await sending).content == "Hello."


async def test_a_port_that_refuses(bot: Bot, server: DiscordStandIn, general: Channel) -> None:
    async with server.away():
        with pytest.raises(aiohttp.ClientConnectorError):
            await send(bot, general)
    await send(bot, general)
    assert len(server.said(general)) == 1


async def test_a_server_that_goes_when_it_is_asked(by_hand: Asking, server: DiscordStandIn, general: Channel) -> None:
    server.faults.on(Route.SEND, Fault.GONE)
    path = f"/channels/{general.id}/messages"
    with pytest.raises(aiohttp.ClientOSError, match="reset by peer"):
        await by_hand.ask("POST", path, {"content": "x"})
    with pytest.raises(aiohttp.ClientConnectorError):
        await by_hand.ask("POST", path, {"content": "x"})
    await server.come_back()
    assert (await by_hand.ask("POST", path, {"content": "x"})).status == 200
    assert len(server.said(general)) == 1


@pytest.mark.parametrize("fault", [Fault.MALFORMED_ITEM, Fault.NOT_AN_OBJECT])
async def test_one_bad_item_in_a_page_of_history(
    bot: Bot, server: DiscordStandIn, ann: Person, general: Channel, fault: Fault
) -> None:
    for number in range(4):
        ann.say(general, str(number))
    server.faults.on(Route.HISTORY, fault)
    page: list[Any] = await bot.http.logs_from(general.id, 100)
    good = [item["content"] for item in page if isinstance(item, dict) and "author" in item]
    assert good == ["3", "1", "0"]
    assert len(page) == 4
    # The library's own paging gives up the good with the bad.
    server.faults.on(Route.HISTORY, fault)
    with pytest.raises((KeyError, TypeError)):
        [one async for one in bot.get_partial_messageable(general.id).history()]


async def test_faults_come_by_route_and_in_order(by_hand: Asking, server: DiscordStandIn, general: Channel) -> None:
    here = f"/channels/{general.id}"
    server.faults.on(Route.SEND, None, Fault.BAD_GATEWAY)
    server.faults.always(Route.TYPING, Fault.UNAVAILABLE)
    told = [await by_hand.ask("POST", f"{here}/messages", {"content": "x"}) for _ in range(3)]
    assert [one.status for one in told] == [200, 502, 200]
    assert [one.body for one in server.to(Route.SEND)] == [{"content": "x"}] * 3  # asked for, with any outcome
    told = [await by_hand.ask("POST", f"{here}/typing") for _ in range(2)]
    assert [one.status for one in told] == [503, 503]
    server.faults.always(Route.TYPING, None)
    assert (await by_hand.ask("POST", f"{here}/typing")).status == 204
    server.faults.always(EVERY, Fault.BAD_GATEWAY)
    assert (await by_hand.ask("GET", here)).status == 502
    server.verify()  # what a fault answered was no mistake of the client's


def test_every_fault_of_the_menu_is_shown() -> None:
    own = {Fault.GONE, Fault.BLACK_HOLE_BEFORE, Fault.BLACK_HOLE_AFTER, Fault.SLOW}
    assert own | {Fault.MALFORMED_ITEM, Fault.NOT_AN_OBJECT} | {*RAISED, *ERRORS, *WAITS} == set(Fault)
