"""Sessions of the Discord stand-in's gateway by hand: what is replayed, and when a session is over."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.stand_ins.bots import Wire, wire
from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import Channel, DiscordStandIn, Person

NOT_VALID = {"op": 9, "s": None, "t": None, "d": False}


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn(now=clock) as running:
        running.limits.identify_seconds = 0
        yield running


async def resume(by_wire: Wire, session: str, sequence: Any, token: str | None = None) -> None:
    body = {"token": token or by_wire.token, "session_id": session, "seq": sequence}
    await by_wire.send(6, body)


async def left(server: DiscordStandIn) -> str:
    """A session that was begun, and whose connection was lost; its last event was number 2."""
    async with wire(server) as by_wire:
        await by_wire.identify()
        ready = await by_wire.event("READY")
        await by_wire.event("GUILD_CREATE")
        server.gateway.cut()
        await by_wire.code()
    await server.until(lambda: not server.gateway.connections)
    return str(ready["session_id"])


async def test_missed_events_are_replayed(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    session = await left(server)
    for words in ("one", "two"):
        ann.say(general, words)
    async with wire(server) as by_wire:
        await resume(by_wire, session, 2)
        assert [(await by_wire.event("MESSAGE_CREATE"))["content"] for _ in range(2)] == ["one", "two"]
        await by_wire.event("RESUMED")
        ann.say(general, "three")
        assert (await by_wire.event("MESSAGE_CREATE"))["content"] == "three"


async def test_a_session_is_unknown_or_over(
    server: DiscordStandIn, ann: Person, general: Channel, clock: Clock
) -> None:
    session = await left(server)
    for given in ("unknown", None):
        async with wire(server) as by_wire:
            await by_wire.read()
            await resume(by_wire, str(given), 2)
            assert await by_wire.read() == NOT_VALID
    clock.advance(121)
    async with wire(server) as by_wire:
        await by_wire.read()
        await resume(by_wire, session, 2)
        assert await by_wire.read() == NOT_VALID
    ann.say(general, "nobody hears this")
    assert not server.gateway.sessions


async def test_a_resume_that_is_refused(server: DiscordStandIn, general: Channel) -> None:
    session = await left(server)
    for sequence, token, code in ((99, None, 4007), (None, None, 4007), (2, "wrong", 4004)):
        async with wire(server) as by_wire:
            await resume(by_wire, session, sequence, token)
            assert await by_wire.code() == code


async def test_a_client_that_leaves_for_good_ends_its_session(server: DiscordStandIn) -> None:
    async with wire(server) as by_wire:
        await by_wire.identify()
        await by_wire.event("READY")
        await by_wire.socket.close(code=1000)
    await server.until(lambda: server.gateway.closes == [1000])
    assert not server.gateway.sessions


async def test_a_session_has_one_connection(server: DiscordStandIn, general: Channel) -> None:
    async with wire(server) as first:
        await first.identify()
        session = (await first.event("READY"))["session_id"]
        await first.event("GUILD_CREATE")
        async with wire(server) as second:
            await resume(second, session, 2)
            await second.event("RESUMED")
            assert await first.code() == 4000
            assert len(server.gateway.sessions) == 1


async def test_two_sessions_hear_the_same(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    async with wire(server) as first, wire(server) as second:
        for by_wire in (first, second):
            await by_wire.identify()
            await by_wire.event("GUILD_CREATE")
        ann.say(general, "hello")
        for by_wire in (first, second):
            assert (await by_wire.event("MESSAGE_CREATE"))["content"] == "hello"
