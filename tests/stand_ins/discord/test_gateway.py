"""The gateway of the Discord stand-in by hand: what it demands, what it closes with, and what it tells each client."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.stand_ins.bots import INTENTS, wire
from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import Channel, DiscordStandIn, Drop, Intent, Permission, Person

NOT_VALID = {"op": 9, "s": None, "t": None, "d": False}


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn(now=clock) as running:
        running.limits.identify_seconds = 0
        yield running


async def test_it_says_hello_and_answers_heartbeats(server: DiscordStandIn) -> None:
    async with wire(server) as by_wire:
        assert await by_wire.read() == {"op": 10, "s": None, "t": None, "d": {"heartbeat_interval": 41250}}
        await by_wire.send(1, None)
        assert (await by_wire.read())["op"] == 11


async def test_it_says_who_is_there(server: DiscordStandIn, general: Channel) -> None:
    async with wire(server) as by_wire:
        await by_wire.identify()
        ready = await by_wire.event("READY")
        guild = await by_wire.event("GUILD_CREATE")
    assert general.guild
    assert ready["guilds"] == [{"id": str(general.guild.id), "unavailable": True}]
    assert ready["resume_gateway_url"] == server.resume_url != server.gateway_url
    assert [channel["name"] for channel in guild["channels"]] == ["general"]
    assert guild["member_count"] == 2


CLOSES: dict[str, tuple[dict[str, Any], int]] = {
    "a wrong token": ({"token": "wrong"}, 4004),
    "no token": ({"token": ...}, 4004),
    "another shard": ({"shard": [1, 2]}, 4010),
    "no intents": ({"intents": ...}, 4013),
    "an unknown intent": ({"intents": 1 << 30}, 4013),
    "an intent that was not granted": ({"intents": int(INTENTS | Intent.GUILD_MEMBERS)}, 4014),
}


@pytest.mark.parametrize("name", CLOSES)
async def test_an_identify_that_is_refused(server: DiscordStandIn, name: str) -> None:
    changes, code = CLOSES[name]
    async with wire(server) as by_wire:
        await by_wire.identify(**changes)
        assert await by_wire.code() == code
    await server.until(lambda: server.gateway.closes == [code])
    assert not server.gateway.sessions


async def test_message_content_has_to_be_switched_on(server: DiscordStandIn) -> None:
    server.portal.intents = Intent(0)
    async with wire(server) as by_wire:
        await by_wire.identify()
        assert await by_wire.code() == 4014


PAYLOADS: dict[str, tuple[str | bytes, int]] = {
    "an unknown op": ('{"op": 99}', 4001),
    "no JSON": ("{", 4002),
    "no object": ("[]", 4002),
    "no op": ("{}", 4002),
    "a body that is no object": ('{"op": 2, "d": []}', 4002),
    "too much": (json.dumps({"op": 1, "d": "x" * 4096}), 4002),
    "bytes": (b"\x83", 4002),
    "too early": ('{"op": 3, "d": {}}', 4003),
}


@pytest.mark.parametrize("name", PAYLOADS)
async def test_a_payload_that_is_refused(server: DiscordStandIn, name: str) -> None:
    payload, code = PAYLOADS[name]
    async with wire(server) as by_wire:
        if isinstance(payload, bytes):
            await by_wire.socket.send_bytes(payload)
        else:
            await by_wire.socket.send_str(payload)
        assert await by_wire.code() == code


@pytest.mark.parametrize(("query", "code"), [("v=9&encoding=json", 4012), ("v=10&encoding=etf", 4002)])
async def test_a_way_to_speak_that_is_refused(server: DiscordStandIn, query: str, code: int) -> None:
    async with wire(server, query) as by_wire:
        assert await by_wire.code() == code


async def test_a_compression_that_nobody_knows(server: DiscordStandIn) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as raised:
        async with wire(server, "v=10&encoding=json&compress=lzma"):
            pass
    assert raised.value.status == 400


async def test_one_identifies_once(server: DiscordStandIn) -> None:
    async with wire(server) as by_wire:
        await by_wire.identify()
        await by_wire.event("READY")
        await by_wire.send(3, {"status": "online"})
        await by_wire.identify()
        assert await by_wire.code() == 4005


async def test_a_client_without_heartbeats_is_closed(server: DiscordStandIn) -> None:
    server.gateway.heartbeat_seconds = server.gateway.late_seconds = 0.05
    async with wire(server) as by_wire:
        await by_wire.identify()
        await by_wire.event("READY")
        loop = asyncio.get_running_loop()
        await by_wire.send(1)
        last = loop.time()
        assert await by_wire.code() == 4009
        assert loop.time() - last > 0.09
    await server.until(lambda: server.gateway.closes == [4009])
    assert not server.gateway.sessions


async def test_a_channel_that_may_not_be_seen_is_silent(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    async with wire(server) as by_wire:
        await by_wire.identify()
        await by_wire.event("GUILD_CREATE")
        general.denied = Permission.VIEW_CHANNEL
        ann.say(general, "unheard")
        ann.say(ann.private(), "heard")
        assert (await by_wire.event("MESSAGE_CREATE"))["content"] == "heard"


async def test_being_thrown_out_is_told(server: DiscordStandIn, general: Channel) -> None:
    assert general.guild
    async with wire(server) as by_wire:
        await by_wire.identify()
        await by_wire.event("GUILD_CREATE")
        server.throw_out(general.guild)
        assert await by_wire.event("GUILD_DELETE") == {"id": str(general.guild.id)}


async def test_channels_that_come_and_go_are_told(server: DiscordStandIn, general: Channel) -> None:
    async with wire(server) as by_wire:
        await by_wire.identify()
        await by_wire.event("GUILD_CREATE")
        plans = server.thread(general, "Plans")
        assert (await by_wire.event("THREAD_CREATE"))["parent_id"] == str(general.id)
        server.remove(plans)
        assert (await by_wire.event("THREAD_DELETE"))["id"] == str(plans.id)
        server.remove(general)
        assert (await by_wire.event("CHANNEL_DELETE"))["id"] == str(general.id)


async def test_a_connection_is_compressed_with_zlib(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    stream = zlib.decompressobj()
    async with wire(server, "v=10&encoding=json&compress=zlib-stream") as by_wire:

        async def read() -> Any:
            packed = await by_wire.socket.receive_bytes(timeout=5)
            assert packed.endswith(b"\x00\x00\xff\xff")
            return json.loads(stream.decompress(packed))

        assert (await read())["op"] == 10
        await by_wire.identify()
        assert [(await read())["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
        server.drops.at("MESSAGE_CREATE", Drop.HALF_COMPRESSED)
        ann.say(general, "hello " * 100)
        half = await by_wire.socket.receive_bytes(timeout=5)
        assert not half.endswith(b"\x00\x00\xff\xff")
        with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
            json.loads(stream.decompress(half))
        assert await by_wire.code() == 1006


async def test_a_connection_is_compressed_with_zstd(server: DiscordStandIn, general: Channel) -> None:
    library = pytest.importorskip("zstandard")
    stream = library.ZstdDecompressor().decompressobj()
    async with wire(server, "v=10&encoding=json&compress=zstd-stream") as by_wire:
        await by_wire.identify()
        told = [json.loads(stream.decompress(await by_wire.socket.receive_bytes(timeout=5))) for _ in range(3)]
    assert [payload["t"] for payload in told] == [None, "READY", "GUILD_CREATE"]


async def test_a_gateway_that_is_not_there(server: DiscordStandIn) -> None:
    server.drops.append(Drop.UNAVAILABLE)
    with pytest.raises(aiohttp.WSServerHandshakeError) as raised:
        async with wire(server):
            pass
    assert raised.value.status == 503
    async with wire(server) as by_wire:
        assert (await by_wire.read())["op"] == 10


@pytest.mark.parametrize("drop", [Drop.BEFORE_HELLO, Drop.AFTER_HELLO, Drop.AFTER_IDENTIFY, Drop.AFTER_READY])
async def test_a_connection_is_reset_at_a_moment(server: DiscordStandIn, general: Channel, drop: Drop) -> None:
    server.drops.append(drop)
    async with wire(server) as by_wire:
        if drop in (Drop.AFTER_IDENTIFY, Drop.AFTER_READY):
            await by_wire.identify()
        assert await by_wire.code() == 1006
    await server.until(lambda: not server.gateway.connections)
    sent = [frame.event or frame.op for frame in server.gateway.frames if frame.is_sent]
    told: dict[Drop, list[str | int]] = {Drop.BEFORE_HELLO: [], Drop.AFTER_READY: [10, "READY"]}
    assert sent == told.get(drop, [10])
    assert bool(server.gateway.sessions) == (drop is Drop.AFTER_READY)


async def test_a_gateway_that_says_nothing(server: DiscordStandIn) -> None:
    server.drops.append(Drop.SILENT, Drop.ACKS_WITHHELD)
    async with wire(server) as silent, wire(server) as zombie:
        await zombie.read()
        await zombie.send(1)
        await zombie.identify()
        assert (await zombie.read())["t"] == "READY"  # and no acknowledgement before it
        with pytest.raises(TimeoutError):
            await silent.socket.receive(timeout=0.01)
