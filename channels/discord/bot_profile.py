"""What Discord says of a bot, for who sets it up or asks what is wrong. It is only asked: nothing changes there."""

import logging
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp
import discord
from discord.http import Route

from bot.core.errors import ConfigError
from bot.core.network import DIRECT_NETWORK, Network
from channels.discord import operator_texts

DEVELOPER_PORTAL = "https://discord.com/developers/applications"
PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,  # to reply, and to read up on what was written while the bot was down
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordBotProfile:
    id: int  # of the application
    name: str
    owner: int | None
    owner_name: str
    has_message_content: bool  # whether the Message Content Intent is switched on
    servers: int  # in which it is

    @property
    def invite(self) -> str:
        """Where somebody who may do so adds the bot to a server."""
        asked = {"client_id": self.id, "permissions": PERMISSIONS.value, "scope": "bot applications.commands"}
        return f"https://discord.com/oauth2/authorize?{urlencode(asked)}"


async def fetch_discord_profile(token: str, base_url: str, network: Network = DIRECT_NETWORK) -> DiscordBotProfile:
    """Raises ConfigError where the token is refused, OSError where Discord cannot be asked.

    The library keeps the address in a class: it is set for the whole process.
    """
    if not (token.isascii() and token.isprintable() and token.strip() and " " not in token):
        raise ConfigError(operator_texts.TOKEN_MALFORMED)
    Route.BASE = base_url.rstrip("/")
    logging.getLogger("discord").setLevel(logging.CRITICAL)
    try:
        connector = aiohttp.TCPConnector(limit=0, ssl=network.ssl_context() or True)
        intents = discord.Intents.none()
        async with discord.Client(intents=intents, connector=connector, proxy=network.proxy) as client:
            await client.login(token)
            servers = [guild async for guild in client.fetch_guilds(limit=None, with_counts=False)]
            return profile_of_application(client.application, len(servers))
    except discord.LoginFailure:
        raise ConfigError(operator_texts.TOKEN_NOT_TAKEN(portal=DEVELOPER_PORTAL)) from None
    except discord.HTTPException as error:
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED_STATUS(status=error.status)) from None
    except (discord.DiscordException, aiohttp.ClientError) as error:
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED(cause=type(error).__name__)) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConnectionError(operator_texts.UNREADABLE_ANSWER) from None


def profile_of_application(application: discord.AppInfo | None, servers: int) -> DiscordBotProfile:
    assert application, "the library asks for it when it logs in"
    owner = application.team.owner if application.team else application.owner
    flags = application.flags
    return DiscordBotProfile(
        id=application.id,
        name=application.name,
        owner=owner.id if owner else None,
        owner_name=owner.name if owner else "",
        has_message_content=flags.gateway_message_content or flags.gateway_message_content_limited,
        servers=servers,
    )
