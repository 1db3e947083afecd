"""Options that several commands share."""

from pathlib import Path

import click

config_file = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The config file; else $RETINUE_CONFIG, ./config.json, the user's config folder, or defaults.",
)
