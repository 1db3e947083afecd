"""`retinue health`: tell monitors how a bot is doing. Ask the running bot; if none answers, read its database."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from bot.cli.options import config_option
from bot.cli.quick_health import ask_running_bot_for_health, print_health_and_get_status
from bot.config import load
from bot.core.exit_status import ExitStatus
from bot.ops.health import assess_health, format_health


@click.command()
@config_option
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON.")
def health(file: Path | None, is_json: bool) -> ExitStatus:
    """Say how the bot is doing; exit status 1 if it is not well."""
    config = load(file).config
    if answer := ask_running_bot_for_health(config.data_dir):
        return print_health_and_get_status(answer, is_json=is_json)
    found = assess_health(config)
    click.echo(json.dumps(asdict(found)) if is_json else format_health(found))
    return ExitStatus.DONE if found.healthy else ExitStatus.NOT_DONE
