"""The channels as they are shipped, at a stand-in. Only their own libraries are imported, for memory is measured."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module

from bot.core.channel import Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What a channel has to know of its platform; Telegram has no gateway."""

    name: str
    token: str
    base_url: str
    gateway_url: str = ""


@asynccontextmanager
async def channel_at(where: Where) -> AsyncIterator[Channel]:
    """The channel of that name, with its own pacing."""
    module = import_module(f"channels.{where.name}.channel")
    if where.name == "discord":
        yield module.Discord(where.token, where.base_url, where.gateway_url)
        return
    async with module.Telegram(where.token, where.base_url) as telegram:
        yield telegram
