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
        bots = {}
        for name, platform in platforms().items():
            with suppress(OSError, UnicodeDecodeError, ConfigError):
                path = folder / SECRETS / platform.token_file
                bots[name] = platform.bot_id(path.read_text(encoding="utf-8-sig").strip())
        return bots
