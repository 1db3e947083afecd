"""The bot's own place in servers: when it is added or removed, who may change how it behaves, and how it leaves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from bot.core.errors import ChatClosed
from bot.core.messages import Address, BotAddedEvent, BotRemovedEvent, MessageId
from channels.discord.api import DiscordApi
from channels.discord.fields import read_id_field, read_text_field
from channels.discord.ids import CHANNEL_NAME, JsonObject
from channels.discord.locations import ChannelDirectory

SERVER_ENTERED_EVENT, SERVER_LEFT_EVENT = "GUILD_CREATE", "GUILD_DELETE"
MEMBERSHIP_EVENTS = (SERVER_ENTERED_EVENT, SERVER_LEFT_EVENT)
# Each session names all servers. One is new if the bot has joined it within this time: a kill may hide the first event.
NEW_SERVER_PERIOD = timedelta(days=1)
ADMIN_PERMISSIONS = discord.Permissions(administrator=True, manage_channels=True, manage_guild=True).value
LEAVE_PATH = "/users/@me/guilds/{guild_id}"


def read_membership_change(
    name: str, raw: JsonObject, bot: str, directory: ChannelDirectory
) -> BotAddedEvent | BotRemovedEvent | None:
    """Return that the bot was added to a server or removed from it. Return None for a server that it knows, or that is
    only out of reach. Raise like `read_message`."""
    guild = read_id_field(raw, "id")
    if name == SERVER_LEFT_EVENT:
        if raw.get("unavailable"):
            return None
        id = MessageId(f"{CHANNEL_NAME}:{bot}:left:{guild}:{datetime.now(UTC):%Y-%m-%dT%H:%M}")
        return BotRemovedEvent(id=id, channel=CHANNEL_NAME, group_chat=guild)
    if raw.get("unavailable") or not raw.get("joined_at"):
        return None
    joined = datetime.fromisoformat(read_text_field(raw, "joined_at"))
    if datetime.now(UTC) - joined > NEW_SERVER_PERIOD:
        return None
    channel = find_channel_to_greet_in(directory.cached_guild(guild))
    return BotAddedEvent(
        id=MessageId(f"{CHANNEL_NAME}:{bot}:joined:{guild}:{joined.isoformat()}"),
        channel=CHANNEL_NAME,
        group_chat=guild,
        title=read_text_field(raw, "name"),
        address=Address(channel=CHANNEL_NAME, chat=channel) if channel else None,
        added_by=None,  # only a server's audit log says that
    )


def find_channel_to_greet_in(guild: discord.Guild | None) -> str | None:
    """Return the channel for system messages, or the first one where the bot may write; None if there is none."""
    if guild is None:
        return None
    for channel in [*filter(None, [guild.system_channel]), *guild.text_channels]:
        may = channel.permissions_for(guild.me) if guild.me else discord.Permissions.none()
        if may.view_channel and may.send_messages:
            return str(channel.id)
    return None


def is_admin_by_permissions(member: Any) -> bool:
    """Return True if the member of an interaction, who comes with permissions, administers the channel or server."""
    found = member.get("permissions") if isinstance(member, dict) else None
    return isinstance(found, str) and found.isdecimal() and bool(int(found) & ADMIN_PERMISSIONS)


def is_admin_by_roles(raw: JsonObject, guild_id: str | None, directory: ChannelDirectory) -> bool:
    """Return True if the writer of a message owns the server, or has a role that administers it."""
    guild = directory.cached_guild(guild_id) if guild_id else None
    if guild is None:
        return False
    if str(guild.owner_id) == raw["author"]["id"]:
        return True
    member = raw.get("member")
    named = member.get("roles") or [] if isinstance(member, dict) else []
    roles = [guild.get_role(int(each)) for each in named if str(each).isdecimal()]
    return any(role.permissions.value & ADMIN_PERMISSIONS for role in roles if role)


async def leave_server(api: DiscordApi, guild: str) -> None:
    """Leave a server. Do nothing if the bot is not in it. Raise like a request."""
    try:
        await api.request("DELETE", LEAVE_PATH, guild_id=guild)
    except ChatClosed:
        return
