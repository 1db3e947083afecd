"""The stand-in for Telegram with the real library's bot, and a clock that the test moves."""

from collections.abc import AsyncIterator

import pytest
from telegram import Bot

from tests.stand_ins.telegram import Clock, Limits, Person, Room, TelegramStandIn
from tests.stand_ins.telegram.client import client


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limits() -> Limits:
    return Limits()


@pytest.fixture
async def server(clock: Clock, limits: Limits) -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn(now=clock, limits=limits) as running:
        yield running


@pytest.fixture
async def bot(server: TelegramStandIn) -> AsyncIterator[Bot]:
    async with client(server) as made:
        yield made


@pytest.fixture
def ann(server: TelegramStandIn) -> Person:
    return server.person(7, "Ann")


@pytest.fixture
def room(server: TelegramStandIn, ann: Person) -> Room:
    return server.private(ann)
