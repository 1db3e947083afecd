"""Connect discord.py to the stand-in, and back to Discord."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Somewhere(Protocol):
    """A stand-in in this process or in another."""

    @property
    def base_url(self) -> str: ...

    @property
    def gateway_url(self) -> str: ...


@contextmanager
def pointed_at(server: Somewhere) -> Iterator[None]:
    """Connect every client of this process to the stand-in, by the address attributes of discord.py's classes."""
    import yarl  # only a process with discord.py can do this
    from discord.gateway import DiscordWebSocket
    from discord.http import Route

    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = server.base_url, yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
