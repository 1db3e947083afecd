"""The stand-in for Discord without limits, a server there, a client by hand, and a clock."""

from collections.abc import AsyncIterator

import pytest

from tests.stand_ins.bots import Asking, asking
from tests.stand_ins.clock import Clock
from tests.stand_ins.discord import Channel, DiscordStandIn, Person


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server() -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn() as running:
        running.limits.off()
        yield running


@pytest.fixture
async def by_hand(server: DiscordStandIn) -> AsyncIterator[Asking]:
    async with asking(server) as made:
        yield made


@pytest.fixture
def ann(server: DiscordStandIn) -> Person:
    return server.person("Ann")


@pytest.fixture
def general(server: DiscordStandIn, ann: Person) -> Channel:
    return server.channel(server.guild("Home", ann), "general")
