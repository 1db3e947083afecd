"""What Discord declares of itself. Nothing here imports its library before it is needed."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.core.errors import ConfigError
from bot.core.platform import AddressForm, BotAccount, ChannelSettings, Command, Interview, Platform
from bot.core.setting_types import SocketAddress, WebAddress
from channels.discord import operator_texts

if TYPE_CHECKING:
    from bot.core.channel import Channel
    from bot.core.findings import CheckFinding
    from channels.discord.setup import DiscordSetup

DEVELOPER_PORTAL = "https://discord.com/developers/applications"
TOKEN = re.compile(r"([A-Za-z0-9_-]{8,})\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
PRIVATE_PREFIX = "@"  # a private address is "@" and the person: each person has one private chat


class DiscordSettings(ChannelSettings):
    base_url: WebAddress = "https://discord.com/api/v10"
    gateway_url: SocketAddress | None = None


def bot_id_of_token(token: str) -> str:
    """Return the bot's id. The first part of a Discord token is the id in base64."""
    found = TOKEN.fullmatch(token)
    try:
        number = urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4)).decode("ascii") if found else ""
    except (NotBase64, UnicodeDecodeError):
        number = ""
    if not (number.isascii() and number.isdigit()):
        raise ConfigError(operator_texts.TOKEN_NAMES_NO_BOT)
    return number


def is_private_chat(chat: str) -> bool:
    return chat.startswith(PRIVATE_PREFIX)


def id_to_allow(chat: str) -> int | None:
    """Return a person's own id. A channel does not name its server, whose id it would be."""
    return int(chat.removeprefix(PRIVATE_PREFIX)) if is_private_chat(chat) else None


def make_channel(account: BotAccount[DiscordSettings], commands: Sequence[Command]) -> Channel:
    from channels.discord.channel import Discord

    settings = account.settings
    return Discord(account.token, settings.base_url, settings.gateway_url, commands, network=account.network)


async def check(account: BotAccount[DiscordSettings]) -> list[CheckFinding]:
    from channels.discord.checks import check_bot

    return await check_bot(account)


def make_setup(interview: Interview) -> DiscordSetup:
    from channels.discord.setup import DiscordSetup

    return DiscordSetup(interview)


PLATFORM = Platform(
    name="discord",
    title="Discord",
    settings=DiscordSettings,
    token_variable="DISCORD_BOT_TOKEN",
    address=AddressForm(
        chat_pattern=r"@?[1-9]\d{0,19}",
        example=operator_texts.ADDRESS_EXAMPLE,
        has_threads=lambda chat: not is_private_chat(chat),
    ),
    bot_id=bot_id_of_token,
    make_channel=make_channel,
    check=check,
    make_setup=make_setup,
    owner_chat=lambda owner: f"{PRIVATE_PREFIX}{owner}",
    id_to_allow=id_to_allow,
    libraries=("discord",),
    official_names=("discord",),
)
