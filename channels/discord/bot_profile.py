"""Ask Discord about a bot, for setup and for checks. This changes nothing at Discord."""

import logging
from dataclasses import dataclass
from typing import Any
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
    read_message_history=True,  # to reply, and to read what people said before and while the bot was down
    add_reactions=True,
    attach_files=True,
    embed_links=True,
    create_public_threads=True,
    manage_webhooks=True,  # for roles that speak under their own names
)
SERVERS_PER_PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordBotFacts:
    application_id: int
    name: str
    owner_id: int | None
    owner_name: str
    has_message_content: bool  # whether the Message Content Intent is switched on
    server_count: int  # how many servers the bot is in
    roles_by_id: dict[str, tuple[str, str]]  # of all servers, as (name, server), if they were asked for
    missing_permissions: dict[str, list[str]]  # by a server's name: those of the invite that the bot lacks there

    @property
    def invite_url(self) -> str:
        """Return the URL to add the bot to a server. It works for people who may manage that server."""
        scope, permissions = "bot applications.commands", INVITE_PERMISSIONS.value
        asked = {"client_id": self.application_id, "permissions": permissions, "scope": scope}
        return f"https://discord.com/oauth2/authorize?{urlencode(asked)}"


async def fetch_discord_profile(
    token: str, base_url: str, network: NetworkAccess = DEFAULT_NETWORK_ACCESS, *, with_roles: bool = False
) -> DiscordBotFacts:
    """Return what Discord says about the bot; `with_roles` also the roles of its servers. Raise ConfigError if it
    refuses the token, OSError if it cannot be asked. This sets Discord's address for the whole process, because the
    library keeps it in a class."""
    if not (token.isascii() and token.isprintable() and token.strip() and " " not in token):
        raise ConfigError(operator_texts.TOKEN_MALFORMED)
    Route.BASE = base_url.rstrip("/")
    logging.getLogger("discord").setLevel(logging.CRITICAL)
    try:
        connector = aiohttp.TCPConnector(limit=0, ssl=network.ssl_context())
        intents = discord.Intents.none()
        async with discord.Client(intents=intents, connector=connector, proxy=network.proxy) as client:
            await client.login(token)
            servers = await fetch_servers(client)
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
                roles_by_id=await fetch_roles(client, servers) if with_roles else {},
                missing_permissions={
                    str(each["name"]): missing for each in servers if (missing := list_missing_permissions(each))
                },
            )
    except discord.LoginFailure:
        raise ConfigError(operator_texts.TOKEN_NOT_TAKEN(portal=DEVELOPER_PORTAL_URL)) from None
    except discord.HTTPException as error:
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED_STATUS(status=error.status)) from None
    except (discord.DiscordException, aiohttp.ClientError) as error:
        raise ConnectionError(operator_texts.CANNOT_BE_ASKED(cause=type(error).__name__)) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConnectionError(operator_texts.UNREADABLE_ANSWER) from None


async def fetch_servers(client: discord.Client) -> list[Any]:
    """Return the servers that the bot is in, as Discord describes them, with the bot's permissions."""
    found: list[Any] = []
    after: int | None = None
    while True:
        page: list[Any] = await client.http.get_guilds(SERVERS_PER_PAGE, None, after, with_counts=False)
        found += page
        if len(page) < SERVERS_PER_PAGE:
            return found
        after = int(page[-1]["id"])


async def fetch_roles(client: discord.Client, servers: list[Any]) -> dict[str, tuple[str, str]]:
    """Return the roles of all servers by their ids, as (name, server). The role that everybody has is left out: it has
    the server's id."""
    found = {}
    for server in servers:
        for role in await client.http.get_roles(int(server["id"])):
            if role["id"] != server["id"]:
                found[str(role["id"])] = (str(role["name"]), str(server["name"]))
    return found


def list_missing_permissions(server: Any) -> list[str]:
    """Return the names of the permissions that the invite asks for and that the bot does not have in the whole server.
    A channel may still take others away."""
    has = discord.Permissions(int(server.get("permissions") or 0))
    if has.administrator:
        return []
    missing = discord.Permissions(INVITE_PERMISSIONS.value & ~has.value)
    return [name.replace("_", " ").title() for name, is_set in missing if is_set]
