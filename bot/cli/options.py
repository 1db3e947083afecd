"""What several commands share: an option, and where the demo keeps its rows."""

from pathlib import Path

import click

config_option = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, readable=False),  # what cannot be read is told like any other wrong setting
    metavar="FILE",
    help="The config file; else $RETINUE_CONFIG, config.json in the user's config folder or here, or defaults.",
)
