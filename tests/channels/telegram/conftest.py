"""The stand-in for Telegram without its limits, and a private chat there."""

from collections.abc import AsyncIterator

import pytest

from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.support.places.telegram import ANN
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
