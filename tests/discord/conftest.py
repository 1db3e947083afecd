"""People on the stand-in for Discord, where the bot has been before."""

from collections.abc import AsyncIterator

import pytest

from tests.discords import Town, settled


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with settled() as found:
        yield found
