"""What the commands for tenants share."""

from pathlib import Path

import click

ROOT = Path("/srv/retinue")

root_folder = click.option(
    "--root",
    type=click.Path(path_type=Path, readable=False),
    default=ROOT,
    show_default=True,
    metavar="FOLDER",
    help="Where this machine's tenants lie.",
)
the_name = click.argument("name")
