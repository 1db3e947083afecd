"""The stand-in itself: a port, REST and the gateway behind it, the people, and its memory."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.stand_ins.discord import cdn
from tests.stand_ins.discord.accounts import Account, Webhook
from tests.stand_ins.discord.calls import Portal
from tests.stand_ins.discord.cdn import Cdn
from tests.stand_ins.discord.errors import plain
from tests.stand_ins.discord.events import Event
from tests.stand_ins.discord.gateway import Gateway
from tests.stand_ins.discord.limits import Limits
from tests.stand_ins.discord.messages import Message
from tests.stand_ins.discord.people import Person
from tests.stand_ins.discord.places import Channel, Guild, Kind
from tests.stand_ins.discord.records import Request
from tests.stand_ins.discord.rest import PREFIX, Rest
from tests.stand_ins.discord.snowflakes import Json, Now
from tests.stand_ins.discord.transport import reset
from tests.stand_ins.discord.webhooks import MOST_IN_CHANNEL
from tests.stand_ins.discord.world import World
from tests.stand_ins.port import Listener
from tests.support.patience import PATIENCE

TOKEN = "stand-in.discord.token"
LONG_AGO = 30 * 24 * 3600.0  # when the bot has joined the servers that it knows
BIGGEST_REQUEST = 32 * 1024 * 1024


class DiscordStandIn:
    """The server. Use `async with DiscordStandIn() as server:` and connect discord.py with `pointed_at(server)`.

    `now` returns seconds since 1970. Sleeping and heartbeats use the real clock.
    """

    def __init__(self, *, port: int = 0, token: str = TOKEN, now: Now = time.time) -> None:
        self.port = port
        self.now = now
        self.cdn = Cdn(now, lambda: f"http://127.0.0.1:{self.port}")
        self.world = World(now, self.publish, self.cdn)
        self.limits = Limits(now)
        self.owner = self.person("Owner")
        self.portal = Portal(token=token, owner=self.owner)
        self.gateway = Gateway(now, self.limits, self.portal, self.tell_watchers, self.ready, self.guild_bodies)
        self.rest = Rest(self.world, self.limits, self.portal, self.tell_watchers, self.leave)
        self.faults, self.drops = self.rest.faults, self.gateway.drops
        self._changed = asyncio.Event()
        self._port = Listener(self.take)

    async def __aenter__(self) -> DiscordStandIn:
        application = web.Application(client_max_size=BIGGEST_REQUEST)
        application.router.add_route("*", "/{path:.*}", self.serve)
        self._runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.01)
        await self._runner.setup()
        await self.come_back()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
        await self._runner.cleanup()

    @property
    def token(self) -> str:
        return self.portal.token

    @property
    def bot(self) -> Account:
        return self.world.bot

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}{PREFIX}"

    @property
    def gateway_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/"

    @property
    def resume_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/resume/"

    @property
    def is_listening(self) -> bool:
        return self._port.listening is not None

    @property
    def requests(self) -> list[Request]:
        return self.rest.requests

    @property
    def refused(self) -> list[Request]:
        """Return the requests that were wrong. Rate limits and faults do not count."""
        return [one for one in self.requests if 400 <= one.status < 500 and one.status != 429 and not one.fault]

    @property
    def slowed(self) -> list[Request]:
        """Return the requests that passed a limit. Those of the fault menu do not count."""
        return [one for one in self.requests if one.status == 429 and not one.fault]

    def to(self, route: str) -> list[Request]:
        """Return the requests of one route, in order."""
        return [one for one in self.requests if one.route == route]

    def verify(self) -> None:
        assert not self.refused, f"refused: {list(map(str, self.refused))}"

    # People and places.

    def person(self, name: str) -> Person:
        return self._add(name)

    def other_bot(self, name: str) -> Person:
        return self._add(name, is_bot=True)

    def webhook(self, name: str) -> Person:
        return self._add(name, is_bot=True, is_webhook=True)

    def webhooks(self, channel: Channel) -> list[Webhook]:
        """Return a channel's webhooks that have a token, oldest first."""
        return [one for one in self.world.webhooks.values() if one.channel is channel]

    def use_up_webhooks(self, channel: Channel, but: int = 0) -> None:
        """Let people make webhooks there, until only `but` more are possible."""
        for number in range(MOST_IN_CHANNEL - but - len(self.webhooks(channel))):
            self.world.add_webhook(channel, f"Feed {number}", application=None)

    def remove_webhook(self, hook: Webhook) -> None:
        del self.world.webhooks[hook.id]

    def guild(self, name: str, *people: Person) -> Guild:
        """Make a server with these people and the bot. The last of them owns it."""
        return self.world.add_guild(name, people, joined_seconds_ago=LONG_AGO)

    def invite(self, name: str, *people: Person) -> Guild:
        """Make a server to which the bot is added now."""
        return self.world.add_guild(name, people)

    def role(self, guild: Guild, name: str, *people: Person) -> int:
        """Make a role in a server, and give it to these people. Return its id."""
        role = self.world.add_role(guild, name)
        for person in people:
            guild.roles_of.setdefault(person, []).append(role)
        return role

    def take_role(self, guild: Guild, person: Person, role: int) -> None:
        """Take a role away. The bot is not told: for that it would need the intent for members."""
        guild.roles_of[person].remove(role)

    def forum(self, guild: Guild, name: str) -> Channel:
        return self.world.add_channel(guild, name, kind=Kind.FORUM)

    def channel(self, guild: Guild, name: str) -> Channel:
        return self.world.add_channel(guild, name)

    def thread(self, channel: Channel, name: str, *, is_private: bool = False) -> Channel:
        """Open a thread. Where it is private, somebody has added the bot."""
        assert channel.guild, "only a server's channels have threads"
        kind = Kind.PRIVATE_THREAD if is_private else Kind.THREAD
        return self.world.add_channel(channel.guild, name, channel, kind)

    def remove(self, channel: Channel) -> None:
        self.world.remove_channel(channel)

    def throw_out(self, guild: Guild) -> None:
        """Remove the bot from the guild."""
        guild.has_bot = False
        self.publish(Event("GUILD_DELETE", {"id": str(guild.id)}, 1))

    def said(self, channel: Channel) -> list[Message]:
        """Return the bot's messages that still exist, with ephemeral ones."""
        return [one for one in channel.messages if one.author is self.bot and not one.is_deleted]

    def heard_voices(self, channel: Channel) -> list[tuple[str, str]]:
        """Return name and text of the messages of the bot and of its webhooks that still exist."""
        ours = [one for one in channel.messages if not one.is_deleted and self.is_own(one.author)]
        return [(one.author_name, one.text) for one in ours]

    def is_own(self, author: Account) -> bool:
        return author is self.bot or (isinstance(author, Webhook) and author.application == self.bot.id)

    def _add(self, name: str, **kind: Any) -> Person:
        made = Person(id=self.world.ids.make(), name=name, world=self.world, **kind)
        self.world.add(made)
        return made

    # The port.

    async def come_back(self) -> None:
        """Listen again on the same port."""
        self.port = self._port.open(self.port)
        self.rest.gateway_url = self.gateway_url

    def leave(self) -> None:
        """Refuse every new connection, and cut the existing ones."""
        self._port.close()
        assert self._runner.server
        for connection in self._runner.server.connections:
            reset(connection.transport)

    async def take(self, taken: socket.socket) -> None:
        assert self._runner.server
        await asyncio.get_running_loop().connect_accepted_socket(self._runner.server, taken)

    @asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        self.leave()
        try:
            yield
        finally:
            await self.come_back()

    async def serve(self, http: web.Request) -> web.StreamResponse:
        if http.path.startswith("/api/"):
            return await self.rest.serve(http)
        if http.path.startswith(cdn.PREFIX):
            return await self.cdn.serve(http)
        if http.path in ("/", "/resume/"):
            return await self.gateway.serve(http)
        refused = plain(404, "Not Found")
        return web.json_response(refused.body(), status=refused.status)

    # Waiting.

    async def until(self, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until the stand-in is in a state. Raise TimeoutError if it takes too long."""
        async with asyncio.timeout(seconds):
            while not holds():
                await self._changed.wait()

    async def changes(self) -> None:
        """Wait until the next thing happens."""
        await self._changed.wait()

    def tell_watchers(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def publish(self, event: Event) -> None:
        self.gateway.publish(event)
        self.tell_watchers()

    def ready(self, session_id: str) -> Json:
        there = [guild for guild in self.world.guilds.values() if guild.has_bot]
        return {
            "v": 10,
            "user": self.bot.as_json(),
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in there],
            "session_id": session_id,
            "session_type": "normal",
            "resume_gateway_url": self.resume_url,
            "shard": [0, 1],
            "application": {"id": str(self.bot.id), "flags": self.portal.flags},
            "private_channels": [],
        }

    def guild_bodies(self) -> list[Json]:
        return [guild.as_json() for guild in self.world.guilds.values() if guild.has_bot]
