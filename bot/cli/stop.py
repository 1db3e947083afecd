"""`retinue stop`: the operator's /stop, for everything that is at work in a running bot."""

import time
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.cli.options import DEMO, config_file
from bot.errors import ConfigError

PATIENCE_SECONDS = 10.0
LOOK_SECONDS = 0.2


@click.command()
@config_file
def command(file: Path | None) -> None:
    """Stop every turn at work in a running bot."""
    from bot.config import load  # here, since pydantic takes its time
    from bot.store import orders
    from bot.store.lock import holder

    data = load(file).config.data_dir
    try:
        folder = next((each for each in (data, data / DEMO) if holder(each)), None)
    except OSError as error:
        raise ConfigError(f"data_dir: cannot use {error.filename}: {error.strerror}") from None
    if folder is None:
        raise ConfigError(f"{data}: no bot is running there")
    path = folder / "bot.db"
    order = orders.give(path, "stop", datetime.now(UTC))
    until = time.monotonic() + PATIENCE_SECONDS
    while (answer := orders.answer(path, order)) is None and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    click.echo(answer or "the bot has not answered yet; it will stop everything when it does")
