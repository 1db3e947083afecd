"""discord.py's client as the channel uses it: every event comes raw and in order, before the library reads it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import Route

from bot.core.network import Network

# The library would log every event, with people's words and the tokens of interactions, and each attempt to connect
# with its traceback. This channel itself logs what an operator must know.
LIBRARY_LOG_LEVELS = {
    "discord.client": logging.CRITICAL,
    "discord.gateway": logging.WARNING,
    "discord.http": logging.ERROR,
    "discord.state": logging.WARNING,
    "markdown_it": logging.WARNING,  # it logs each line that it parses
}
CLOSE_SECONDS = 1.0  # for the gateway to close its end
MAX_RATE_LIMIT_SECONDS = 30.0  # how long the library may wait out a rate limit; it accepts no shorter time


class GatewayListener(Protocol):
    """Receives the gateway's events. The calls await nothing, so that events keep their order."""

    def on_payload(self, payload: str) -> None:
        """Take a payload that the gateway sent."""
        ...

    def on_disconnect(self) -> None:
        """Note that the connection is gone, and that the library tries to reconnect."""
        ...


class Connector(aiohttp.TCPConnector):
    """A connector that closes the connections that the library has lost and forgotten to close."""

    def __init__(self, network: Network) -> None:
        super().__init__(limit=0, ssl=network.ssl_context() or True)
        self._made: list[aiohttp.connector.Connection] = []

    async def connect(self, *args: Any, **kwargs: Any) -> aiohttp.connector.Connection:
        self.close_connections(lost_only=True)
        self._made.append(made := await super().connect(*args, **kwargs))
        return made

    def close(self, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, None]:
        self.close_connections(lost_only=False)
        return super().close(*args, **kwargs)

    def close_connections(self, *, lost_only: bool) -> None:
        kept, self._made = self._made, []
        for each in kept:
            if lost_only and not each.closed:
                self._made.append(each)
            else:
                each.close()


class DiscordClient(discord.Client):
    """The client of one sign-in. The connection counts as lost if the gateway is silent for `silent_seconds`. The
    client awaits `may_identify` before it begins a session."""

    def __init__(
        self,
        listening: GatewayListener,
        may_identify: Callable[[], Awaitable[None]],
        silent_seconds: float,
        network: Network,
    ) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = intents.message_content = True
        super().__init__(
            intents=intents,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
            enable_debug_events=True,  # the raw events need this
            max_ratelimit_timeout=MAX_RATE_LIMIT_SECONDS,
            heartbeat_timeout=silent_seconds,
            connector=Connector(network),
            proxy=network.proxy,
        )
        self.listener = listening
        self.wait_to_identify = may_identify

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        match event:
            case "socket_raw_receive":
                self.listener.on_payload(args[0])
            case "socket_raw_send":  # it holds the token
                pass
            case "disconnect":
                self.listener.on_disconnect()
            case _:
                super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        await self.wait_to_identify()

    def is_open(self) -> bool:
        """Return True if there is a connection to the gateway."""
        return self.ws is not None and self.ws.open

    async def hang_up(self) -> None:
        """End the connection, if there is one, in a way that its session could be resumed."""
        if self.is_open():
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self.ws.close(code=4000)
        stop_heartbeats()

    async def close_everything(self) -> None:
        """Close the client within CLOSE_SECONDS. The library would wait half a minute for a silent gateway."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.close()
        except TimeoutError:
            await self.http.close()
        stop_heartbeats()


def stop_heartbeats() -> None:
    """Stop this loop's heartbeat threads. The library leaves one behind if a connection fails while it is made."""
    loop = asyncio.get_running_loop()
    for thread in threading.enumerate():
        if isinstance(thread, KeepAliveHandler) and thread.ws.loop is loop:
            thread.stop()


def prepare_library(base_url: str, gateway_url: str | None) -> None:
    """Set Discord's addresses for the whole process, because the library keeps them in its classes. Quiet its logs."""
    Route.BASE = base_url.rstrip("/")
    if gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url)
    for name, level in LIBRARY_LOG_LEVELS.items():
        logging.getLogger(name).setLevel(level)
