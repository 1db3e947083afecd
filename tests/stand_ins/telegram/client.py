"""The real library against the stand-in: a plain Bot with its own requests, as the channel has."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from telegram import Bot
from telegram.request import HTTPXRequest

from tests.stand_ins.telegram.server import TelegramStandIn


@asynccontextmanager
async def client(server: TelegramStandIn, *, read_seconds: float = 5.0) -> AsyncIterator[Bot]:
    """Yield a Bot that has not called getMe. Its connections close with the block."""
    async with (
        HTTPXRequest(connection_pool_size=8, read_timeout=read_seconds) as calls,
        HTTPXRequest(connection_pool_size=1, read_timeout=read_seconds) as polls,
    ):
        yield Bot(
            server.token,
            base_url=server.base_url,
            base_file_url=server.base_file_url,
            request=calls,
            get_updates_request=polls,
        )
