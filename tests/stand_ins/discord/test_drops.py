"""Lost connections to the gateway as discord.py's own client lives through them, or does not."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest

from tests.stand_ins.bots import Bot, bot_of
from tests.stand_ins.discord import Channel, DiscordStandIn, Drop, Intent, Person, pointed_at

UNREADABLE: dict[Drop, type[Exception]] = {
    Drop.MALFORMED: KeyError,
    Drop.BODY_IS_A_LIST: TypeError,
    Drop.PAYLOAD_IS_A_LIST: AttributeError,
    Drop.NOT_JSON: ValueError,
}


@pytest.fixture
async def server() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn() as running:
        running.limits.identify_seconds = 0
        yield running


def sent_by_client(server: DiscordStandIn) -> list[int | None]:
    """How the client began each session or went on with one."""
    return [frame.op for frame in server.gateway.frames if not frame.is_sent and frame.op in (2, 6)]


@pytest.mark.parametrize("drop", [Drop.BEFORE_EVENT, Drop.IN_FRAME, Drop.AFTER_EVENT])
async def test_an_event_is_heard_once_wherever_the_connection_is_lost(
    server: DiscordStandIn, ann: Person, general: Channel, drop: Drop
) -> None:
    async with bot_of(server) as bot:
        server.drops.at("MESSAGE_CREATE", None, drop)
        for words in ("one", "two", "three"):
            ann.say(general, words)
        await bot.until(lambda: len(bot.heard) >= 3)
        assert bot.texts == ["one", "two", "three"]
        assert sent_by_client(server) == [2, 6]
        assert server.gateway.connections[-1].http.path == "/resume/"


@pytest.mark.parametrize("drop", UNREADABLE)
async def test_an_event_that_cannot_be_read_ends_the_client(
    server: DiscordStandIn, ann: Person, general: Channel, drop: Drop
) -> None:
    with pointed_at(server):
        async with Bot() as bot:
            await bot.login(server.token)
            connecting = asyncio.create_task(bot.connect())
            await bot.until(lambda: "ready" in bot.events)
            server.drops.at("MESSAGE_CREATE", None, drop)
            for words in ("good", "bad", "lost"):
                ann.say(general, words)
            with pytest.raises(UNREADABLE[drop]):
                await connecting
            # A client that connects again starts from nothing: what came meanwhile is only in the history. Its old
            # connection would stay, and the heartbeats go on.
            assert len(server.gateway.connections) == 1
            await bot.ws.close()
            again = asyncio.create_task(bot.connect())
            await server.until(lambda: sent_by_client(server) == [2, 2])
            await bot.until(lambda: bot.events.count("ready") == 2)
            ann.say(general, "heard")
            await bot.until(lambda: len(bot.heard) == 2)
            assert bot.texts == ["good", "heard"]
        await again


@pytest.mark.parametrize("drop", [Drop.AFTER_IDENTIFY, Drop.INVALID_RESUMABLE])
async def test_a_second_connection_may_be_lost_as_well(
    server: DiscordStandIn, ann: Person, general: Channel, drop: Drop
) -> None:
    async with bot_of(server) as bot:
        server.drops.append(drop, drop)
        server.gateway.cut()
        ann.say(general, "meanwhile")
        await bot.until(lambda: bot.heard)
        assert bot.texts == ["meanwhile"]
        assert sent_by_client(server) == [2, 6, 6, 6]


async def test_an_invalid_session_loses_what_came_meanwhile(
    server: DiscordStandIn, ann: Person, general: Channel
) -> None:
    async with bot_of(server) as bot:
        server.drops.append(Drop.INVALID)
        server.gateway.cut()
        ann.say(general, "lost")
        await bot.until(lambda: bot.events.count("ready") == 2)
        ann.say(general, "heard")
        await bot.until(lambda: bot.heard)
        assert bot.texts == ["heard"]
        assert sent_by_client(server) == [2, 6, 2]


async def test_the_gateway_asks_to_reconnect(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    async with bot_of(server) as bot:
        server.gateway.ask_to_reconnect()
        await bot.until(lambda: "resumed" in bot.events)
        server.gateway.invalidate(is_resumable=True)
        await bot.until(lambda: bot.events.count("resumed") == 2)
        server.gateway.invalidate(is_resumable=False)
        await bot.until(lambda: bot.events.count("ready") == 2)
        assert sent_by_client(server) == [2, 6, 6, 2]
        ann.say(general, "heard")
        await bot.until(lambda: bot.heard)


@pytest.mark.parametrize(("code", "after"), [(1000, [6, 2]), (4000, [6]), (4008, [6]), (4009, [6, 2])])
async def test_a_connection_is_closed_and_the_client_comes_back(
    server: DiscordStandIn, ann: Person, general: Channel, code: int, after: list[int]
) -> None:
    async with bot_of(server) as bot:
        server.gateway.close(code)
        await server.until(lambda: sent_by_client(server) == [2, *after])
        await bot.until(lambda: "resumed" in bot.events or bot.events.count("ready") == 2)
        ann.say(general, "heard")
        await bot.until(lambda: bot.heard)
        assert server.gateway.closes[0] == code


async def test_a_token_that_is_revoked_ends_the_client(server: DiscordStandIn, general: Channel) -> None:
    with pointed_at(server):
        async with Bot() as bot:
            running = asyncio.create_task(bot.start(server.token))
            await bot.until(lambda: "ready" in bot.events)
            server.gateway.reset_token()
            with pytest.raises(discord.ConnectionClosed) as raised:
                await running
            assert raised.value.code == 4004
        async with Bot() as another:
            with pytest.raises(discord.LoginFailure):
                await another.start("the token of before")


async def test_an_intent_that_is_not_switched_on_ends_the_client(server: DiscordStandIn) -> None:
    server.portal.intents = Intent(0)
    with pointed_at(server):
        async with Bot() as bot:
            with pytest.raises(discord.PrivilegedIntentsRequired):
                await bot.start(server.token)


async def test_a_first_connection_that_fails_ends_the_client(server: DiscordStandIn) -> None:
    """The library looks for the sequence of a connection that it never had."""
    server.drops.append(Drop.BEFORE_HELLO)
    with pointed_at(server):
        async with Bot() as bot:
            with pytest.raises(AttributeError, match="sequence"):
                await bot.start(server.token)


@pytest.mark.parametrize("is_zombie", [True, False])
async def test_a_silence_is_noticed(server: DiscordStandIn, general: Channel, is_zombie: bool) -> None:
    server.gateway.heartbeat_seconds = 0.2
    async with bot_of(server, heartbeat_timeout=0.5) as bot:
        if is_zombie:
            server.gateway.withhold_acks()
        else:
            server.gateway.fall_silent()
        await bot.until(lambda: "resumed" in bot.events)
        assert sent_by_client(server)[:2] == [2, 6]


async def test_a_heartbeat_can_be_asked_for(server: DiscordStandIn, general: Channel) -> None:
    async with bot_of(server):
        (connection,) = server.gateway.connections
        before = connection.beats
        server.gateway.ask_for_heartbeat()
        await server.until(lambda: connection.beats == before + 1)


async def test_a_connection_that_is_quiet_is_kept_by_heartbeats(server: DiscordStandIn, general: Channel) -> None:
    server.gateway.heartbeat_seconds, server.gateway.late_seconds = 0.1, 0.4
    async with bot_of(server):
        (connection,) = server.gateway.connections
        await server.until(lambda: connection.beats == 8)  # without them it would be closed after half a second
        assert server.gateway.connections == [connection]


async def test_a_large_event_arrives_whole(server: DiscordStandIn) -> None:
    people = [server.person(f"Person {number}") for number in range(3000)]
    server.guild("Town", *people)
    async with bot_of(server) as bot:
        (town,) = bot.guilds
        assert town.member_count == 3001
        await bot.until(lambda: "guild_available" in bot.events)


async def test_a_burst_is_heard_in_order(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    async with bot_of(server) as bot:
        for number in range(500):
            ann.say(general, str(number))
        await bot.until(lambda: len(bot.heard) == 500)
        assert bot.texts == [str(number) for number in range(500)]


async def test_half_of_what_was_compressed_is_no_event(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    """With zlib the library waits for the rest, and goes on in a new connection; with zstd it fails on the half."""
    with pointed_at(server):
        async with Bot() as bot:
            running: asyncio.Task[Any] = asyncio.create_task(bot.start(server.token))
            await bot.until(lambda: "ready" in bot.events)
            compress = server.gateway.connections[0].http.query["compress"]
            server.drops.at("MESSAGE_CREATE", Drop.HALF_COMPRESSED)
            ann.say(general, "hello")
            await server.until(lambda: server.gateway.closes)
            await bot.until(lambda: running.done() or bot.heard)
            assert (bot.texts == ["hello"]) == (compress == "zlib-stream")
        outcome = (await asyncio.gather(running, return_exceptions=True))[0]
        assert isinstance(outcome, ValueError) == (compress == "zstd-stream")
