"""Point discord.py at the stand-in, and back again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Somewhere(Protocol):
    """A stand-in, in this process or in another."""

    @property
    def base_url(self) -> str: ...

    @property
    def gateway_url(self) -> str: ...


@contextmanager
def pointed_at(server: Somewhere) -> Iterator[None]:
    """Every client of this process speaks to the stand-in: the addresses are attributes of discord.py's classes."""
    import yarl  # only whoever has discord.py can point it anywhere
    from discord.gateway import DiscordWebSocket
    from discord.http import Route

    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = server.base_url, yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
