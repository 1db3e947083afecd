"""Find where a Discord channel is: its server, the channel of a thread, the person of a private chat."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import discord

from bot.core.errors import DeliveryError
from bot.core.messages import Address
from channels.discord import operator_texts
from channels.discord.api import DiscordApi, extract_answer_id
from channels.discord.gateway import DiscordClient
from channels.discord.ids import CHANNEL_NAME
from channels.discord.platform import PRIVATE_CHAT_PREFIX

# Discord's numbers for kinds of channels: threads, and those where a message can open one
THREAD_CHANNEL_TYPES, PRIVATE_THREAD_TYPE = (10, 11, 12), 12
TEXT_CHANNEL_TYPES, FORUM_CHANNEL_TYPES = (0, 5), (15, 16)
MAX_UPLOAD_BYTES = 10 * 1024 * 1024  # of a file, where a server has no higher limit

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLocation:
    """Where a channel is. `guild_id` is None in private, `parent_channel_id` is None unless the channel is a thread."""

    channel_id: str
    guild_id: str | None = None
    parent_channel_id: str | None = None
    owner_id: str | None = None  # who opened the thread
    is_text_channel: bool = False  # a server channel where a message can open a thread
    is_forum_post: bool = False  # a thread of a forum; its first message has the thread's id
    is_private_thread: bool = False  # only those who were added to it read it

    def address_for_person(self, person: str) -> Address:
        """Return the address of a person's messages there. The answer goes to the same address."""
        if self.guild_id is None:
            return Address(channel=CHANNEL_NAME, chat=PRIVATE_CHAT_PREFIX + person)
        if self.parent_channel_id is None:
            return Address(channel=CHANNEL_NAME, chat=self.channel_id)
        chat = self.channel_id if self.is_private_thread else self.parent_channel_id  # what is said there stays there
        return Address(channel=CHANNEL_NAME, chat=chat, thread=self.channel_id)


def is_private_chat(address: Address) -> bool:
    return address.chat.startswith(PRIVATE_CHAT_PREFIX)


@dataclass
class ChannelDirectory:
    """Channels and their names. Most are in the library's cache. The directory asks Discord once for the others."""

    get_client: Callable[[], DiscordClient | None]
    api: DiscordApi
    _private_channel_ids: dict[str, str] = field(default_factory=dict)  # by person: the channel of the private chat
    _fetched_locations: dict[str, ChannelLocation] = field(default_factory=dict)
    _are_forums: dict[str, bool] = field(default_factory=dict)  # by channel

    def remember_private_channel(self, person: str, channel: str) -> None:
        self._private_channel_ids[person] = channel

    def cached_private_channel_id(self, address: Address) -> str | None:
        """Return the id of a private chat's channel; None if it is unknown. Do not open one: that takes a request."""
        if not is_private_chat(address):
            return None
        return self._private_channel_ids.get(address.chat.removeprefix(PRIVATE_CHAT_PREFIX))

    async def find_or_open_channel_id(self, address: Address) -> str:
        """Return the channel to write to. Open a private chat if its channel is not known. Raise like a request."""
        if not is_private_chat(address):
            return address.thread or address.chat
        person = address.chat.removeprefix(PRIVATE_CHAT_PREFIX)
        if person not in self._private_channel_ids:
            answer = await self.api.request("POST", "/users/@me/channels", body={"recipient_id": person})
            self._private_channel_ids[person] = extract_answer_id(answer)
        return self._private_channel_ids[person]

    async def fetch_location_or_assume_no_thread(self, channel: str, guild: str | None) -> ChannelLocation:
        """Return the location. If it cannot be found, assume that it is no thread: an answer still arrives."""
        if guild is None:
            return ChannelLocation(channel_id=channel)
        try:
            return await self.find_or_fetch_location(channel)
        except (DeliveryError, OSError) as error:
            log.warning(operator_texts.LOG_UNKNOWN_CHANNEL, channel, error)
            return ChannelLocation(channel_id=channel, guild_id=guild)

    async def find_or_fetch_location(self, channel: str) -> ChannelLocation:
        """Return the location of a channel. Raise like a request if the bot cannot see the channel."""
        cached = self.cached_channel(channel)
        if isinstance(cached, discord.Thread):
            parent_id = str(cached.parent_id)
            guild_id, owner_id = str(cached.guild.id), str(cached.owner_id)
            return ChannelLocation(
                channel_id=channel,
                guild_id=guild_id,
                parent_channel_id=parent_id,
                owner_id=owner_id,
                is_forum_post=await self.is_forum(parent_id),
                is_private_thread=cached.is_private(),
            )
        if isinstance(cached, discord.abc.GuildChannel):
            is_text = isinstance(cached, discord.TextChannel)
            return ChannelLocation(channel_id=channel, guild_id=str(cached.guild.id), is_text_channel=is_text)
        if channel not in self._fetched_locations:
            answer = await self.api.request("GET", "/channels/{channel_id}", channel_id=channel)
            id, guild = extract_answer_id(answer), answer.get("guild_id")
            parent = extract_answer_id(answer, "parent_id") if answer.get("type") in THREAD_CHANNEL_TYPES else None
            self._fetched_locations[channel] = ChannelLocation(
                channel_id=id,
                guild_id=guild,
                parent_channel_id=parent,
                owner_id=answer.get("owner_id") if parent else None,
                is_text_channel=answer.get("type") in TEXT_CHANNEL_TYPES,
                is_forum_post=parent is not None and await self.is_forum(parent),
                is_private_thread=answer.get("type") == PRIVATE_THREAD_TYPE,
            )
        return self._fetched_locations[channel]

    def person_of_private_channel(self, channel: str) -> str:
        """Return the person of a private chat by its channel; empty if it is unknown."""
        return next((person for person, known in self._private_channel_ids.items() if known == channel), "")

    async def is_forum(self, channel: str) -> bool:
        cached = self.cached_channel(channel)
        if cached is not None:
            return isinstance(cached, discord.ForumChannel)
        if channel not in self._are_forums:
            try:
                answer = await self.api.request("GET", "/channels/{channel_id}", channel_id=channel)
            except DeliveryError:
                answer = {}
            self._are_forums[channel] = isinstance(answer, dict) and answer.get("type") in FORUM_CHANNEL_TYPES
        return self._are_forums[channel]

    def cached_channel(self, channel: str) -> object:
        client = self.get_client()
        return client.get_channel(int(channel)) if client else None

    def may_manage_webhooks(self, channel: str) -> bool:
        """Return False if the bot is known not to have this permission in a channel."""
        cached = self.cached_channel(channel)
        if not isinstance(cached, discord.abc.GuildChannel) or not cached.guild.me:
            return True
        return cached.permissions_for(cached.guild.me).manage_webhooks

    def max_upload_bytes(self, address: Address) -> int:
        """Return the size of the largest file that a server takes; Discord's usual limit if it is not known."""
        cached = None if is_private_chat(address) else self.cached_channel(address.chat)
        if isinstance(cached, discord.abc.GuildChannel | discord.Thread):
            return cached.guild.filesize_limit
        return MAX_UPLOAD_BYTES

    async def find_webhook_channel_id(self, address: Address) -> str:
        """Return the channel whose webhooks speak at an address. Raise like a request if it cannot be found."""
        if address.thread != address.chat:
            return address.chat
        location = await self.find_or_fetch_location(address.chat)
        return location.parent_channel_id or address.chat  # a private thread has the webhooks of its channel

    def channel_name(self, channel: str) -> str | None:
        return getattr(self.cached_channel(channel), "name", None)

    def role_name(self, guild: str, role: str) -> str | None:
        found = self.cached_guild(guild)
        known = found.get_role(int(role)) if found else None
        return known.name if known else None

    def bot_role_id(self, guild: str) -> str | None:
        """Return the role that Discord made for the bot in a server. A mention of this role is a mention of the bot."""
        found = self.cached_guild(guild)
        return str(found.self_role.id) if found and found.self_role else None

    def cached_guild(self, guild: str) -> discord.Guild | None:
        client = self.get_client()
        return client.get_guild(int(guild)) if client else None
