"""Ask Discord about a bot, for setup and for checks. This changes nothing at Discord."""

import logging
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp
import discord
from discord.http import Route

from bot.core.errors import ConfigError
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from channels.discord import operator_texts
from channels.discord.platform import DEVELOPER_PORTAL_URL

INVITE_PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,  # to reply, and to read what people wrote while the bot was down
)
THREAD_PERMISSIONS = discord.Permissions(create_public_threads=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordBotFacts:
    application_id: int
    name: str
    owner_id: int | None
    owner_name: str
    has_message_content: bool  # whether the Message Content Intent is switched on
    server_count: int  # how many servers the bot is in
    opens_threads: bool = False  # whether requests open threads

    @property
    def invite_url(self) -> str:
        """Return the URL to add the bot to a server. It works for people who may manage that server."""
        permissions = INVITE_PERMISSIONS.value | (THREAD_PERMISSIONS.value if self.opens_threads else 0)
        scope = "bot applications.commands"
        asked = {"client_id": self.application_id, "permissions": permissions, "scope": scope}
        return f"https://discord.com/oauth2/authorize?{urlencode(asked)}"


async def fetch_discord_profile(
    token: str, base_url: str, network: NetworkAccess = DEFAULT_NETWORK_ACCESS
) -> DiscordBotFacts:
    """Return what Discord says about the bot. Raise ConfigError if it refuses the token, OSError if it cannot be asked.
    This sets Discord's address for the whole process, because the library keeps it in a class."""
    if not (token.isascii() and token.isprintable() and token.strip() and " " not in token):
        raise ConfigError(operator_texts.TOKEN_MALFORMED)
    Route.BASE = base_url.rstrip("/")
    logging.getLogger("discord").setLevel(logging.CRITICAL)
    try:
        connector = aiohttp.TCPConnector(limit=0, ssl=network.ssl_context())
        intents = discord.Intents.none()
        async with discord.Client(intents=intents, connector=connector, proxy=network.proxy) as client:
            await client.login(token)
            servers = [guild async for guild in client.fetch_guilds(limit=None, with_counts=False)]
            application = client.application
            assert application, "the library asks for it when it logs in"
            owner = application.team.owner if application.team else application.owner
            flags = application.flags
            return DiscordBotFacts(
                application_id=application.id,
                name=application.name,
                owner_id=owner.id if owner else None,
                owner_name=owner.name if owner else "",
                has_message_content=flags.gateway_message_content or flags.gateway_message_content_limited,
                server_count=len(servers),
            )
    except discord.LoginFailure:
        raise ConfigError(operator_texts.TOKEN_NOT_TAKEN(portal=DEVELOPER_PORTAL_URL)) from None
    except discord.HTTPException as error:
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED_STATUS(status=error.status)) from None
    except (discord.DiscordException, aiohttp.ClientError) as error:
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED(cause=type(error).__name__)) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConnectionError(operator_texts.UNREADABLE_ANSWER) from None
