"""`retinue setup`: ask for what is needed, check it, and write the config."""

from pathlib import Path

import click

from bot.cli.options import config_option
from bot.core.exit_status import ExitStatus


@click.command()
@config_option
def command(file: Path | None) -> ExitStatus:
    """Ask for what is needed, check it, and write the config."""
    from bot.cli.setup_wizard.interview import run_setup
    from bot.ops import logs  # here: pydantic is slow to import

    logs.silence_logs()
    return run_setup(file)
