"""Find out which bot a token belongs to: two tenants with one bot would take each other's messages."""

import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bot.config import Config, load
from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.tenant import CONFIG, SECRETS
from channels.telegram.ids import TOKEN_PATTERN

DISCORD_TOKEN = re.compile(r"([A-Za-z0-9_-]{8,})\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)


def list_bots(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the platform and the id of each bot in these settings. Raise ConfigError if a token is malformed."""
    if token := config.channels.telegram.token:
        yield "telegram", telegram_bot_id(token.get_secret_value().strip())
    if token := config.channels.discord.token:
        yield "discord", discord_bot_id(token.get_secret_value().strip())


def read_bots_of_tenant(folder: Path) -> dict[str, str]:
    """Return the bot ids of the tenant in `folder`, by platform.

    If its config is broken, read its tokens from the secret files: a broken config must not stop other tenants.
    """
    try:
        return dict(list_bots(load(folder / CONFIG, variables={}).config))
    except ConfigError:
        bots = {}
        for platform, bot_id in (("telegram", telegram_bot_id), ("discord", discord_bot_id)):
            with suppress(OSError, UnicodeDecodeError, ConfigError):
                path = folder / SECRETS / f"channels__{platform}__token"
                bots[platform] = bot_id(path.read_text(encoding="utf-8-sig").strip())
        return bots


def telegram_bot_id(token: str) -> str:
    """Return the bot's id, which its token begins with. Raise ConfigError if the token is malformed."""
    if not (found := TOKEN_PATTERN.fullmatch(token)):
        raise ConfigError(texts.TELEGRAM_TOKEN_FORM)
    return str(int(found[1]))


def discord_bot_id(token: str) -> str:
    """Return the bot's id: the first part of a Discord token is the id in base64.

    Raise ConfigError if the token is malformed.
    """
    found = DISCORD_TOKEN.fullmatch(token)
    try:
        number = urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4)).decode("ascii") if found else ""
    except (NotBase64, UnicodeDecodeError):
        number = ""
    if not (number.isascii() and number.isdigit()):
        raise ConfigError(texts.DISCORD_TOKEN_FORM)
    return number
