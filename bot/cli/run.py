"""`retinue run`: the bot, in all configured channels."""

from pathlib import Path

import click

from bot.cli.options import config_file
from bot.errors import ConfigError


@click.command()
@config_file
def command(file: Path | None) -> None:
    """Answer in all configured channels."""
    from bot.config import load  # here, since pydantic takes its time

    loaded = load(file)
    channels = loaded.config.channels
    enabled = [name for name in type(channels).model_fields if getattr(channels, name).enabled]
    if not enabled:
        names = " or ".join(f"channels.{name}.enabled" for name in type(channels).model_fields)
        raise ConfigError(f"{loaded.origin}: no channel is enabled; set {names} to true")
    model = loaded.config.model
    if not model.api_key and not model.base_url:
        raise ConfigError(
            f"{loaded.origin}: there is no model; set model.api_key (ANTHROPIC_API_KEY) or model.base_url"
        )
    raise ConfigError(f"{loaded.origin}: channels.{enabled[0]}.enabled is true, but this version has no channels yet")
