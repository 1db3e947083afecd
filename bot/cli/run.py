"""`retinue run`: the bot, in all configured channels."""

from pathlib import Path

import click

from bot.cli.options import config_file
from bot.errors import ConfigError


@click.command()
@config_file
def command(file: Path | None) -> int:
    """Answer in all configured channels."""
    from bot.config import load  # here, since pydantic takes its time

    loaded = load(file)
    channels = loaded.config.channels
    enabled = [name for name in type(channels).model_fields if getattr(channels, name).enabled]
    if not enabled:
        names = " or ".join(f"channels.{name}.enabled" for name in type(channels).model_fields)
        raise ConfigError(f"{loaded.origin}: no channel is enabled; set {names} to true")
    for name in enabled:
        if getattr(channels, name).token is None:
            missing = f"channels.{name}.enabled is true, but there is no token"
            raise ConfigError(f"{loaded.origin}: {missing}; set channels.{name}.token ({name.upper()}_BOT_TOKEN)")
    model = loaded.config.model
    if not model.api_key and not model.base_url:
        raise ConfigError(
            f"{loaded.origin}: there is no model; set model.api_key (ANTHROPIC_API_KEY) or model.base_url"
        )
    from bot.cli.serving import serve  # here, since the whole bot takes its time

    return serve(loaded, enabled)
