"""Clients of the Discord stand-in: the real library's, and both protocols by hand."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import aiohttp
import discord

from tests.stand_ins.discord import DiscordStandIn, Intent, pointed_at
from tests.stand_ins.discord.pointing import Somewhere
from tests.support.patience import PATIENCE

INTENTS = Intent.GUILDS | Intent.GUILD_MESSAGES | Intent.DIRECT_MESSAGES | Intent.MESSAGE_CONTENT


class Bot(discord.Client):
    """discord.py's client. It records what it hears, and does not wait five seconds to identify again."""

    def __init__(self, **options: Any) -> None:
        intents = discord.Intents.none()
        intents.value = options.pop("intents", int(INTENTS))
        super().__init__(intents=intents, guild_ready_timeout=0.02, **options)
        self.heard: list[discord.Message] = []
        self.interactions: list[discord.Interaction] = []
        self.events: list[str] = []
        self._changed = asyncio.Event()

    async def close(self) -> None:
        """Close the client and its connection. After an error, the library leaves the connection and its thread
        open."""
        if self.ws:
            await self.ws.close()
        await super().close()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Do not sleep, as the library would. The stand-in counts sign-ins all the same."""

    def dispatch(self, event: str, /, *args: Any, **named: Any) -> None:
        super().dispatch(event, *args, **named)
        self.events.append(event)
        if event == "message":
            self.heard.append(args[0])
        if event == "interaction":
            self.interactions.append(args[0])
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await self._changed.wait()

    @property
    def texts(self) -> list[str]:
        return [message.content for message in self.heard]


class Tokened(Somewhere, Protocol):
    @property
    def token(self) -> str: ...


@asynccontextmanager
async def bot_of(server: Tokened, **options: Any) -> AsyncIterator[Bot]:
    """Yield a client that is logged in, connected and ready."""
    with pointed_at(server):
        async with Bot(**options) as bot:
            running = asyncio.create_task(bot.start(server.token), name="bot")
            await bot.until(lambda: running.done() or "ready" in bot.events)
            assert not running.done() or running.result()
            yield bot
        assert not running.done() or running.result() is None
        running.cancel()  # it may be waiting to connect again
        await asyncio.gather(running, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Told:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> int:
        return int(self.json["code"])


class Asking:
    """REST requests by hand."""

    def __init__(self, server: DiscordStandIn, session: aiohttp.ClientSession) -> None:
        self.server = server
        self.session = session

    async def ask(self, method: str, path: str, body: Any = None, *, token: str | None = None) -> Told:
        """Send one request. Bytes are sent as they are. An empty token sends none."""
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        token = f"Bot {self.server.token}" if token is None else token
        headers = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
        url = f"{self.server.base_url}{path}"
        async with self.session.request(method, url, data=raw, headers=headers) as answer:
            return Told(answer.status, dict(answer.headers), await answer.read())


@asynccontextmanager
async def asking(server: DiscordStandIn) -> AsyncIterator[Asking]:
    async with aiohttp.ClientSession() as session:
        yield Asking(server, session)


class Wire:
    """The gateway by hand."""

    def __init__(self, token: str, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.token = token
        self.socket = socket

    async def read(self) -> Any:
        """Return the next payload."""
        return json.loads(await self.socket.receive_str(timeout=5))

    async def event(self, name: str) -> Any:
        """Return the body of the next event with this name."""
        while (payload := await self.read())["t"] != name:
            pass
        return payload["d"]

    async def send(self, op: Any, body: Any = None) -> None:
        await self.socket.send_str(json.dumps({"op": op, "d": body}))

    async def identify(self, **changes: Any) -> None:
        body = {"token": self.token, "intents": int(INTENTS), "properties": {}, **changes}
        await self.send(2, {name: value for name, value in body.items() if value is not ...})

    async def code(self) -> int | None:
        """Return the code with which the connection is closed."""
        async with asyncio.timeout(PATIENCE):
            async for _ in self.socket:
                pass
        return self.socket.close_code


@asynccontextmanager
async def wire(server: DiscordStandIn, query: str = "v=10&encoding=json") -> AsyncIterator[Wire]:
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{server.gateway_url}?{query}") as socket:
        yield Wire(server.token, socket)
