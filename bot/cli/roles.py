"""`retinue roles`: list the roles of this bot."""

from pathlib import Path

import click

from bot.cli.options import config_option


@click.command()
@config_option
def command(file: Path | None) -> None:
    """List the roles with their models and tools; what is off, and why."""
    from bot.cli import roster  # here: pydantic is slow to import
    from bot.config import load
    from bot.core.printable import escape_unprintable

    for line in roster.format_roster(load(file)):
        click.echo(escape_unprintable(line))
