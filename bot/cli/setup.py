"""`retinue setup`: ask for what is needed, check it, and write the config."""

from pathlib import Path

import click

from bot.cli.options import config_file


@click.command()
@config_file
def command(file: Path | None) -> int:
    """Ask for what is needed, check it, and write the config."""
    from bot.cli import logs  # here, since pydantic takes its time
    from bot.cli.installing.course import install

    logs.to_nobody()
    return install(file)
