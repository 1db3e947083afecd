"""`retinue stop`: stop every turn in a running bot. It is the operator's /stop."""

from pathlib import Path

import click

from bot.cli.options import config_option
from bot.config.paths import DEMO
from bot.core.errors import ConfigError


@click.command()
@config_option
def command(file: Path | None) -> None:
    """Stop every turn at work in a running bot."""
    from bot.cli import texts
    from bot.cli.order_client import send_order
    from bot.config import load  # here: pydantic is slow to import
    from bot.core.texts import operators
    from bot.store.folder_lock import find_lock_holder

    data = load(file).config.data_dir
    try:
        folder = next((each for each in (data, data / DEMO) if find_lock_holder(each)), None)
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename, reason=error.strerror)) from None
    if folder is None:
        raise ConfigError(texts.NO_BOT_RUNS(folder=data))
    answer = send_order(folder / "bot.db", "stop")
    click.echo(answer.text if answer else texts.NOT_YET_STOPPED)
