"""What the commands for tenants share."""

from pathlib import Path

import click

ROOT = Path("/srv/retinue")
HELP = {"help_option_names": ["-h", "--help"]}
NOT_DONE = 1

root_folder = click.option(
    "--root",
    type=click.Path(path_type=Path, readable=False),
    default=ROOT,
    show_default=True,
    metavar="FOLDER",
    help="Where this machine's tenants lie.",
)
the_name = click.argument("name")
a_name_or_all = click.argument("name", required=False)
all_of_them = click.option("--all", "is_all", is_flag=True, help="All tenants, one after the other.")
patience = click.option(
    "--wait",
    "patience",
    type=click.FloatRange(min=1, max=3600),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot that was started may take until it is well.",
)
