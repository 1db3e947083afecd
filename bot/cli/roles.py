"""`retinue roles`: who the bot can be here."""

from pathlib import Path

import click

from bot.cli.options import config_file


@click.command()
@config_file
def command(file: Path | None) -> None:
    """List the roles with their models and tools; what is off, and why."""
    from bot.cli import one_line, roster  # here, since pydantic takes its time
    from bot.config import load

    for line in roster.lines(load(file)):
        click.echo(one_line(line))
