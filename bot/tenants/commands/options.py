"""Options and defaults that the commands for tenants share."""

from pathlib import Path

import click

DEFAULT_ROOT = Path("/srv/retinue")
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}

root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, readable=False),
    default=DEFAULT_ROOT,
    show_default=True,
    metavar="FOLDER",
    help="Where this machine's tenants lie.",
)
name_argument = click.argument("name")
optional_name_argument = click.argument("name", required=False)
all_option = click.option("--all", "is_all", is_flag=True, help="All tenants, one after the other.")
wait_option = click.option(
    "--wait",
    "patience",
    type=click.FloatRange(min=1, max=3600),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot that was started may take until it is well.",
)
