"""`retinue health`: how a bot is doing, for monitors and containers. It says so itself; else its rows do."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from bot.cli.options import config_file
from bot.cli.quick import SECONDS, UNHEALTHY, tell
from bot.control.asking import ask


@click.command()
@config_file
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON.")
def command(file: Path | None, is_json: bool) -> int:
    """Say how the bot is doing; exit status 1 if it is not well."""
    from bot.cli.condition import condition, in_words  # here, since pydantic takes its time
    from bot.config import load

    config = load(file).config
    if answer := ask(config.data_dir, SECONDS, ask="health"):
        return tell(answer, is_json=is_json)
    found = condition(config)
    click.echo(json.dumps(asdict(found)) if is_json else in_words(found))
    return 0 if found.healthy else UNHEALTHY
