"""Find out which bot a token belongs to: two tenants with one bot would take each other's messages."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bot.config import Config, load
from bot.core.errors import ConfigError
from bot.tenants.tenant import CONFIG, SECRETS
from channels.registry import platforms


def list_bots(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the platform and the id of each bot in these settings. Raise ConfigError if a token is malformed."""
    for name, settings in config.channels.by_name().items():
        if settings.token:
            yield name, platforms()[name].bot_id(settings.token.get_secret_value().strip())


def read_bots_of_tenant(folder: Path) -> dict[str, str]:
    """Return the bot ids of the tenant in `folder`, by platform.

    If its config is broken, read its tokens from the secret files: a broken config must not stop other tenants.
    """
    try:
        return dict(list_bots(load(folder / CONFIG, variables={}).config))
    except ConfigError:
        return dict(read_bots_from_secrets(folder / SECRETS))


def read_bots_from_secrets(secrets: Path) -> Iterator[tuple[str, str]]:
    for name, platform in platforms().items():
        with suppress(OSError, UnicodeDecodeError, ConfigError):
            yield name, platform.bot_id((secrets / platform.token_file).read_text(encoding="utf-8-sig").strip())
