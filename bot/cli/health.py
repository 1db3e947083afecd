"""`retinue health`: how a bot is doing, for monitors and containers; another process asks its rows."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from bot.cli.options import config_file

UNHEALTHY = 1


@click.command()
@config_file
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON.")
def command(file: Path | None, is_json: bool) -> int:
    """Say how the bot is doing; exit status 1 if it is not well."""
    from bot.cli.condition import condition, in_words  # here, since pydantic takes its time
    from bot.config import load

    found = condition(load(file).config)
    click.echo(json.dumps(asdict(found)) if is_json else in_words(found))
    return 0 if found.healthy else UNHEALTHY
