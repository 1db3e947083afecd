"""People on the stand-in for Discord, where the bot has been before."""

from collections.abc import AsyncIterator

import pytest

from tests.support.discord_channel import Town, settled


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with settled() as found:
        yield found
