"""The stand-in for Telegram without its limits, and a private chat there."""

from collections.abc import AsyncIterator

import pytest

from tests.stand_ins.telegram import Person, Room, Standing, TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.support.places.telegram import ANN
from tests.support.telegram_bot import BEN, EVE
from tests.support.telegram_channel import Ear


@pytest.fixture
async def server() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn(limits=Limits.none()) as running:
        yield running


@pytest.fixture
def room(server: TelegramStandIn) -> Room:
    return server.private(server.person(ANN, "Ann"))


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def friends(server: TelegramStandIn) -> Room:
    """A group of Ann, Ben and Eve whose messages all reach the bot."""
    server.world.reads_all = True
    people = (server.person(ANN, "Ann"), server.person(BEN, "Ben"), server.person(EVE, "Eve", "eve"))
    return server.supergroup("Friends", *people)


@pytest.fixture
def ann(server: TelegramStandIn) -> Person:
    return server.person(ANN, "Ann")


@pytest.fixture
def ben(server: TelegramStandIn) -> Person:
    return server.person(BEN, "Ben")


@pytest.fixture
def team(server: TelegramStandIn, ben: Person) -> Room:
    """A group that the bot is not in yet."""
    room = server.supergroup("Team", ben, server.person(EVE, "Eve"), server.person(ANN, "Ann"))
    room.chat.standings[server.world.bot.id] = Standing.LEFT
    return room
