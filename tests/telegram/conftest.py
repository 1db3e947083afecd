"""The stand-in for Telegram without its limits, and a private chat there."""

from collections.abc import AsyncIterator

import pytest

from tests.listening import Ear
from tests.places.telegram import ANN
from tests.servers.telegram import Room, TelegramStandIn
from tests.servers.telegram.rates import Limits


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
