"""Find where a Discord channel is: its server, the channel of a thread, the person of a private chat."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import discord

from bot.core.errors import DeliveryError
from bot.core.messages import Address
from channels.discord import operator_texts
from channels.discord.api import DiscordApi, require_id
from channels.discord.gateway import DiscordClient
from channels.discord.ids import CHANNEL
from channels.discord.platform import PRIVATE_PREFIX

THREAD_TYPES = (10, 11, 12)  # Discord's numbers for the kinds of channels that are threads

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLocation:
    """Where a channel is. `guild` is None in private, `parent` is None unless the channel is a thread."""

    channel: str
    guild: str | None = None
    parent: str | None = None

    def address(self, person: str) -> Address:
        """Return the address of a person's messages there. The answer goes to the same address."""
        if self.guild is None:
            return Address(channel=CHANNEL, chat=PRIVATE_PREFIX + person)
        if self.parent is None:
            return Address(channel=CHANNEL, chat=self.channel)
        return Address(channel=CHANNEL, chat=self.parent, thread=self.channel)


def is_private(address: Address) -> bool:
    return address.chat.startswith(PRIVATE_PREFIX)


@dataclass
class ChannelDirectory:
    """Channels and their names. Most are in the library's cache. The directory asks Discord once for the others."""

    client: Callable[[], DiscordClient | None]
    rest: DiscordApi
    _private: dict[str, str] = field(default_factory=dict)  # by person: the channel of the private chat
    _asked: dict[str, ChannelLocation] = field(default_factory=dict)

    def remember_private_chat(self, person: str, channel: str) -> None:
        self._private[person] = channel

    def private_channel_of(self, address: Address) -> str | None:
        """Return the channel of a private chat, or None if it is not known. Do not open one: that takes a request."""
        return self._private.get(address.chat.removeprefix(PRIVATE_PREFIX)) if is_private(address) else None

    async def channel_of(self, address: Address) -> str:
        """Return the channel to write to. Open a private chat if its channel is not known. Raise like a request."""
        if not is_private(address):
            return address.thread or address.chat
        person = address.chat.removeprefix(PRIVATE_PREFIX)
        if person not in self._private:
            answer = await self.rest.request("POST", "/users/@me/channels", body={"recipient_id": person})
            self._private[person] = require_id(answer)
        return self._private[person]

    async def find_or_assume(self, channel: str, guild: str | None) -> ChannelLocation:
        """Return the location. If it cannot be found, assume that it is no thread: an answer still arrives."""
        if guild is None:
            return ChannelLocation(channel=channel)
        try:
            return await self.find(channel)
        except (DeliveryError, OSError) as error:
            log.warning(operator_texts.LOG_UNKNOWN_CHANNEL, channel, error)
            return ChannelLocation(channel=channel, guild=guild)

    async def find(self, channel: str) -> ChannelLocation:
        """Return the location of a channel. Raise like a request if the bot cannot see the channel."""
        cached = self.cached_channel(channel)
        if isinstance(cached, discord.Thread):
            return ChannelLocation(channel=channel, guild=str(cached.guild.id), parent=str(cached.parent_id))
        if isinstance(cached, discord.abc.GuildChannel):
            return ChannelLocation(channel=channel, guild=str(cached.guild.id))
        if channel not in self._asked:
            answer = await self.rest.request("GET", "/channels/{channel_id}", channel_id=channel)
            id, guild = require_id(answer), answer.get("guild_id")
            parent = require_id(answer, "parent_id") if answer.get("type") in THREAD_TYPES else None
            self._asked[channel] = ChannelLocation(channel=id, guild=guild, parent=parent)
        return self._asked[channel]

    def cached_channel(self, channel: str) -> object:
        client = self.client()
        return client.get_channel(int(channel)) if client else None

    def channel_name(self, channel: str) -> str | None:
        return getattr(self.cached_channel(channel), "name", None)

    def role_name(self, guild: str, role: str) -> str | None:
        found = self.find_guild(guild)
        known = found.get_role(int(role)) if found else None
        return known.name if known else None

    def bot_role_id(self, guild: str) -> str | None:
        """Return the role that Discord made for the bot in a server. A mention of this role is a mention of the bot."""
        found = self.find_guild(guild)
        return str(found.self_role.id) if found and found.self_role else None

    def find_guild(self, guild: str) -> discord.Guild | None:
        client = self.client()
        return client.get_guild(int(guild)) if client else None
