"""People on the stand-in for Discord, where the bot has been before."""

from collections.abc import AsyncIterator

import pytest

from tests.stand_ins.discord import pointed_at
from tests.support.bench import Bench
from tests.support.discord_channel import Town, settled
from tests.support.discord_talk import Talk


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with settled() as found:
        yield found


@pytest.fixture
async def talk(bench: Bench, town: Town) -> AsyncIterator[Talk]:
    with pointed_at(town.server):
        yield Talk(bench, town)
