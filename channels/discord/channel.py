"""The Discord channel: implements the bot's channel interface and connects the parts of this folder."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Collection, Sequence
from datetime import datetime

from bot.core.channel import HealthReport, InboundBus, MessagePart
from bot.core.errors import ConfigError, DeliveryError, NotDelivered
from bot.core.messages import Address, Draft, OutboundKind, OutboundMessage, PlatformId
from bot.core.network import DIRECT_NETWORK, Network
from channels.buttons import ACKNOWLEDGEMENT_PREFIX
from channels.discord import operator_texts
from channels.discord.api import BOT_SCOPE, DiscordApi
from channels.discord.backfill import Backfill
from channels.discord.client import prepare_library
from channels.discord.commands import register_commands
from channels.discord.connection_health import COMMANDS, DiscordHealth
from channels.discord.event_queue import EventQueue, parse_payload
from channels.discord.gateway import GatewayConnection
from channels.discord.ids import CHANNEL
from channels.discord.interactions import Interactions
from channels.discord.locations import ChannelDirectory, is_private
from channels.discord.message_reader import DiscordReader
from channels.discord.rendering import render_texts
from channels.discord.sending import DiscordSender
from channels.discord.times import DEFAULT_TIMES, Times
from channels.pacing import CallPacing, PacingScope

HEARTBEAT_ANSWERED, EVENT = 11, 0  # the gateway's op codes

log = logging.getLogger(__name__)


class Discord:
    """One Discord bot. It offers `commands` as slash commands: each is (name, help).

    Raise ConfigError if the token is malformed. `base_url` and `gateway_url` apply to the whole process: the library
    keeps them in its classes.
    """

    name = CHANNEL
    nonce_seconds = 120.0
    has_history = True
    board_seconds = 3.0
    keeps_seconds: float | None = None

    def __init__(
        self,
        token: str,
        base_url: str = "https://discord.com/api/v10",
        gateway_url: str | None = None,
        commands: Sequence[tuple[str, str]] = (),
        times: Times = DEFAULT_TIMES,
        network: Network = DIRECT_NETWORK,
    ) -> None:
        if not re.fullmatch(r"[!-~]+", token):
            raise ConfigError(operator_texts.TOKEN_FORM)
        self.urls = base_url, gateway_url
        self.commands = commands
        self.times = times
        self.condition = DiscordHealth()
        self.gateway = GatewayConnection(token, self.condition, times, self.on_sign_in, network)
        self.pacing = CallPacing()
        self.rest = DiscordApi(lambda: self.gateway.client, self.condition, self.pacing, times.request)
        self.places = ChannelDirectory(lambda: self.gateway.client, self.rest)
        self.sender = DiscordSender(self.rest, self.places)
        self.interactions = Interactions(self.rest, times)
        self.backfill = Backfill(
            self.rest, self.places, lambda item, place: self.events.read_item(item, place), times, lambda: self._bot
        )
        self.events = EventQueue(self.places, self.interactions, self.backfill, self.make_reader)
        self._bot = ""  # the bot's id, after the first sign-in
        self._is_new = asyncio.Event()

    async def run(self, door: InboundBus) -> None:
        prepare_library(*self.urls)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.events.run(door), name="discord events")
                tasks.create_task(self.backfill.run(door), name="discord backfill")
                tasks.create_task(self.offer_commands(), name="discord commands")
                await self.gateway.run(self)
        except BaseExceptionGroup as group:
            if isinstance(error := group.exceptions[0], ConfigError):
                raise error from None
            raise

    def health(self) -> HealthReport:
        return self.condition.health()

    # Calls from the connection.

    def on_payload(self, payload: str) -> None:
        """Take a payload of the gateway. Its event is in the queue when this returns."""
        self.gateway.payloads += 1
        kind, name, raw = parse_payload(payload)
        if kind == HEARTBEAT_ANSWERED:
            self.condition.on_heartbeat_answer()
        elif name in ("READY", "RESUMED"):
            self.gateway.on_session()
        if kind in (EVENT, None):
            self.events.enqueue(name, raw)

    def on_disconnect(self) -> None:
        self.gateway.on_disconnect()

    def on_sign_in(self) -> None:
        client = self.gateway.client
        assert client is not None
        assert client.user is not None
        self._bot = str(client.user.id)
        log.info(operator_texts.LOG_SIGNED_IN, client.user.name)
        self._is_new.set()

    async def offer_commands(self) -> None:
        """Register our commands with Discord at each sign-in, and try again until that works."""
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            is_offered = False
            while not is_offered:
                try:
                    await register_commands(self.rest, self._bot, self.commands)
                    is_offered = True
                    self.condition.clear_faults(COMMANDS)
                except (DeliveryError, OSError) as error:
                    self.condition.report_fault(COMMANDS, operator_texts.COMMANDS_NOT_OFFERED(why=error))
                    await asyncio.sleep(self.times.longest_wait)

    def make_reader(self) -> DiscordReader:
        names = frozenset(f"/{name.removeprefix('/')}" for name, _ in self.commands)
        return DiscordReader(bot=self._bot, commands=names, names=self.places)

    # Calls from the courier.

    def lane(self, address: Address) -> str:
        return address.thread or address.chat

    async def pace(self, address: Address) -> None:
        await self.pacing.pace(self.lane(address), self.rate_scopes("messages", address))

    def has_room(self, address: Address, *, is_edit: bool) -> bool:
        return self.pacing.has_room(self.rate_scopes("edits" if is_edit else "messages", address))

    def parts(self, message: OutboundMessage) -> Sequence[str]:
        return render_texts(message)

    def has_draft_messages(self, address: Address) -> bool:
        return is_private(address)

    def rate_scopes(self, what: str, address: Address) -> list[PacingScope]:
        """Return the scopes of a call: its channel's messages, edits or typing, and all the bot's calls."""
        windows = {"messages": self.times.messages, "edits": self.times.edits, "typing": self.times.typing}
        return [PacingScope((what, self.lane(address)), windows[what]), PacingScope(BOT_SCOPE, self.times.bot)]

    async def send(self, part: MessagePart) -> PlatformId:
        message = part.message
        await self.pacing.begin_call(self.lane(message.address), self.rate_scopes("messages", message.address))
        if message.kind is OutboundKind.NOTICE and message.reply_to:
            answered = await self.interactions.answer(message.reply_to, part.text)
            if answered:
                return PlatformId(f"{ACKNOWLEDGEMENT_PREFIX}{answered}")
        return await self.sender.send(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if id.startswith(ACKNOWLEDGEMENT_PREFIX):
            return
        address = part.message.address
        if part.message.is_cosmetic:
            await self.pacing.begin_call(("edits", self.lane(address)), self.rate_scopes("edits", address))
        else:  # the courier has waited for this slot
            await self.pacing.begin_call(self.lane(address), self.rate_scopes("messages", address))
        await self.sender.edit(id, part)

    async def delete(self, address: Address, id: PlatformId) -> None:
        if not id.startswith(ACKNOWLEDGEMENT_PREFIX):
            await self.sender.delete(address, id)

    async def find(self, part: MessagePart, since: datetime, known: Collection[PlatformId]) -> PlatformId | None:
        if not self._bot:
            raise NotDelivered(operator_texts.NOT_SIGNED_IN)
        return await self.sender.find(part, since, self._bot, known)

    async def show(self, draft: Draft) -> None:
        counted = self.rate_scopes("typing", draft.address)
        if not self.pacing.has_room(counted):
            return
        await self.pacing.begin_call(counted[0].name, counted)
        try:
            await self.sender.show_typing(draft.address)
        except (DeliveryError, OSError) as error:
            log.debug(operator_texts.LOG_TYPING_NOT_SHOWN, draft.address, error)
