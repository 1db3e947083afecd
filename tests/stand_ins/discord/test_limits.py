"""The limits of Discord, each by the stand-in's own clock; and one as discord.py waits for it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.stand_ins.bots import Asking, bot_of, wire
from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import Channel, DiscordStandIn, Rate, Route


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn(now=clock) as running:
        yield running


@pytest.fixture
def general(server: DiscordStandIn) -> Channel:
    return server.channel(server.guild("Home", server.person("Ann")), "general")


async def test_a_route_has_its_limit_for_each_channel(by_hand: Asking, general: Channel, clock: Clock) -> None:
    other = by_hand.server.channel(by_hand.server.guild("Work", by_hand.server.person("Bob")), "general")
    here, there = (f"/channels/{channel.id}/messages" for channel in (general, other))
    told = [await by_hand.ask("POST", here, {"content": "x"}) for _ in range(5)]
    assert [one.headers["X-RateLimit-Remaining"] for one in told] == list("43210")
    assert {one.headers["X-RateLimit-Limit"] for one in told} == {"5"}
    assert len({one.headers["X-RateLimit-Bucket"] for one in told}) == 1
    assert told[0].headers["X-RateLimit-Reset"] == "1790000005.000"
    clock.advance(2)
    refused = await by_hand.ask("POST", here, {"content": "x"})
    assert refused.status == 429
    assert refused.json == {"message": "You are being rate limited.", "retry_after": 3.0, "global": False}
    assert refused.headers["Retry-After"] == "3"
    assert refused.headers["X-RateLimit-Scope"] == "user"
    assert refused.headers["X-RateLimit-Reset-After"] == "3.000"
    assert refused.headers["Via"]
    assert (await by_hand.ask("POST", there, {"content": "x"})).status == 200
    assert (await by_hand.ask("GET", here)).status == 200
    clock.advance(3)
    assert (await by_hand.ask("POST", here, {"content": "x"})).status == 200
    assert len(general.messages) == 6
    assert len(by_hand.server.limits.invalid) == 1
    assert [one.status for one in by_hand.server.slowed] == [429]
    by_hand.server.verify()  # to be slowed down is no mistake


async def test_all_routes_have_a_limit_together(by_hand: Asking, general: Channel, clock: Clock) -> None:
    by_hand.server.limits.routes, by_hand.server.limits.other_routes = {}, Rate(0, 0.0)
    here = f"/channels/{general.id}"
    for _ in range(25):
        assert (await by_hand.ask("GET", here)).status == 200
        assert (await by_hand.ask("POST", f"{here}/typing")).status == 204
    refused = await by_hand.ask("GET", here)
    assert (refused.status, refused.json["global"]) == (429, True)
    assert refused.headers["X-RateLimit-Global"] == "true"
    assert refused.headers["X-RateLimit-Scope"] == "global"
    # Answers to interactions are not bound to it.
    assert (await by_hand.ask("POST", "/interactions/1/x/callback", {"type": 5})).code == 10062
    clock.advance(1)
    assert (await by_hand.ask("GET", here)).status == 200


async def test_limits_can_be_switched_off(by_hand: Asking, general: Channel) -> None:
    by_hand.server.limits.off()
    told = [await by_hand.ask("GET", f"/channels/{general.id}") for _ in range(60)]
    assert {one.status for one in told} == {200}
    assert not any(name.startswith("X-RateLimit") for name in told[-1].headers)


async def test_the_library_waits_as_it_is_told() -> None:
    async with DiscordStandIn() as server:
        general = server.channel(server.guild("Home", server.person("Ann")), "general")
        server.limits.routes = {Route.SEND: Rate(2, 0.2)}
        async with bot_of(server) as bot:
            channel = bot.get_partial_messageable(general.id)
            await asyncio.gather(*(channel.send(str(number)) for number in range(5)))
        assert [one.status for one in server.to(Route.SEND)] == [200] * 5
        # Five are three windows: two whole ones lie between the first and the last.
        assert server.to(Route.SEND)[-1].at - server.to(Route.SEND)[0].at > 0.3


async def test_sessions_start_five_seconds_apart(server: DiscordStandIn, clock: Clock) -> None:
    async def first() -> Any:
        """What a client is told that identifies now."""
        async with wire(server) as by_wire:
            await by_wire.read()
            await by_wire.identify()
            return await by_wire.read()

    assert (await first())["t"] == "READY"
    clock.advance(4.9)
    assert await first() == {"op": 9, "s": None, "t": None, "d": False}
    clock.advance(5)
    assert (await first())["t"] == "READY"


async def test_a_day_has_so_many_session_starts(by_hand: Asking, server: DiscordStandIn, clock: Clock) -> None:
    server.limits.identifies_per_day = 2
    for left in (2, 1):
        limit = (await by_hand.ask("GET", "/gateway/bot")).json["session_start_limit"]
        assert (limit["total"], limit["remaining"], limit["max_concurrency"]) == (2, left, 1)
        async with wire(server) as by_wire:
            await by_wire.identify()
            await by_wire.event("READY")
        clock.advance(10)
    limit = (await by_hand.ask("GET", "/gateway/bot")).json["session_start_limit"]
    assert (limit["remaining"], limit["reset_after"]) == (0, 86_380_000)
    before = server.token
    async with wire(server) as by_wire:
        await by_wire.identify()
        assert await by_wire.code() == 4004
    # The token was reset: a bot that goes on with it is a stranger.
    assert (await by_hand.ask("GET", "/users/@me", token=f"Bot {before}")).status == 401


async def test_a_client_may_send_so_much_in_a_minute(server: DiscordStandIn, clock: Clock) -> None:
    async with wire(server) as by_wire:
        for _ in range(120):
            await by_wire.send(1)
        await server.until(lambda: sum(frame.op == 11 for frame in server.gateway.frames) == 120)
        clock.advance(60)
        for _ in range(121):
            await by_wire.send(1)
        assert await by_wire.code() == 4008
