"""What commands share: the option --config, and how they show a time."""

from datetime import datetime
from pathlib import Path

import click

config_option = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, readable=False),  # our own error reports an unreadable file
    metavar="FILE",
    help="The config file; else $RETINUE_CONFIG, config.json in the user's config folder or here, or defaults.",
)


def format_local_minute(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
