"""`retinue run`: answer in all configured channels."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import exit_status_of, texts
from bot.cli.options import config_option
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command as command_named

if TYPE_CHECKING:
    from bot.config import LoadedConfig

log = logging.getLogger(__name__)


@click.command()
@config_option
@click.option("--demo", "is_demo", is_flag=True, help="A script answers, without a key for a model.")
def command(file: Path | None, is_demo: bool) -> ExitStatus:
    """Answer in all configured channels."""
    from bot.config import exposure, load
    from bot.ops import logs  # here: pydantic is slow to import

    loaded = load(file)
    is_json = loaded.config.logs == "json"
    logs.log_to_stderr(logs.secrets_to_redact(loaded.config), is_json=is_json)
    try:
        names = channels_to_answer(loaded, needs_model=not is_demo)
        for warning in exposure.exposure_warnings(loaded):
            log.warning("%s", warning)
        from bot.cli.service import serve  # here: the whole bot is slow to import

        return serve(loaded, names, is_demo=is_demo)
    except (ConfigError, StoreDamaged) as error:
        if not is_json:
            raise  # the caller prints it as plain lines
        for line in error.lines if isinstance(error, ConfigError) else [str(error)]:
            logs.log_statement(line, is_wrong=True)
        return exit_status_of(error)


def channels_to_answer(loaded: "LoadedConfig", *, needs_model: bool = True) -> list[str]:
    """Return the enabled channels. Raise ConfigError if there are none, or if a token or the model key is missing."""
    channels = loaded.config.channels
    enabled = [name for name in type(channels).model_fields if getattr(channels, name).enabled]
    if not enabled:
        names = " or ".join(f"channels.{name}.enabled" for name in type(channels).model_fields)
        raise ConfigError(texts.NO_CHANNEL(origin=loaded.origin, command=command_named("setup"), keys=names))
    for name in enabled:
        if getattr(channels, name).token is None:
            variable = f"{name.upper()}_BOT_TOKEN"
            raise ConfigError(texts.NO_TOKEN(origin=loaded.origin, channel=name, variable=variable))
    model = loaded.config.model
    if needs_model and not model.api_key and not model.base_url:
        raise ConfigError(texts.NO_MODEL(origin=loaded.origin))
    return enabled
