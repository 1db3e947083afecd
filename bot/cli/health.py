"""`retinue health`: tell monitors how a bot is doing. A running bot answers itself; otherwise its database is read."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from bot.cli.options import config_option
from bot.cli.quick_health import ANSWER_SECONDS, print_health
from bot.core.exit_status import ExitStatus
from bot.ops.control.client import ask_running_bot


@click.command()
@config_option
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON.")
def command(file: Path | None, is_json: bool) -> ExitStatus:
    """Say how the bot is doing; exit status 1 if it is not well."""
    from bot.config import load
    from bot.ops.health import assess_health, format_health  # here: pydantic is slow to import

    config = load(file).config
    if answer := ask_running_bot(config.data_dir, ANSWER_SECONDS, ask="health"):
        return print_health(answer, is_json=is_json)
    found = assess_health(config)
    click.echo(json.dumps(asdict(found)) if is_json else format_health(found))
    return ExitStatus.DONE if found.healthy else ExitStatus.NOT_DONE
