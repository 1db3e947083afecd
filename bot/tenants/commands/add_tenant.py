"""`scripts/add-tenant`: make a tenant, or bring the files of an existing one up to date."""

from pathlib import Path

import click

from bot.core.exit_status import ExitStatus
from bot.tenants.commands.options import name_argument, root_option

TARGETS = ("compose", "systemd", "kubernetes")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@name_argument
@click.option("--target", type=click.Choice(TARGETS), default="compose", show_default=True, help="What it runs on.")
@root_option
@click.option("--config", "file", type=click.Path(path_type=Path), metavar="FILE", help="Its settings, prepared.")
@click.option(
    "--secrets",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FOLDER|-",
    help="Its secrets: a folder with a file for each (model__api_key …), or - for a JSON object on stdin.",
)
@click.option("--ask", is_flag=True, help="Ask for what is needed although --config is given.")
@click.option("--roles", type=click.Path(path_type=Path), metavar="FOLDER", help="Role files of its own.")
@click.option("--groups", type=click.Path(path_type=Path), metavar="FOLDER", help="Its groups, a folder for each.")
@click.option("--budget", type=float, metavar="USD", help="What it may spend in a day.")
@click.option("--time-zone", metavar="ZONE", help="Where its days begin, as Europe/Berlin.")
@click.option("--public", is_flag=True, help="Let everybody talk to it, at your cost.")
@click.option("--image", metavar="IMAGE", help="Run this image; else one is built of this checkout (compose).")
@click.option("--disk", metavar="SIZE", help="What its files may hold, as 2G.")
@click.option("--anyway", is_flag=True, help="Make it although a check finds fault.")
@click.option("--dry-run", is_flag=True, help="Show all that would be written, and write nothing.")
def command(**wishes: object) -> ExitStatus:
    """Make a tenant: a deployment of its own.

    Without --config it asks. Of a tenant that is there, the files that run it are written anew where its config or its
    secrets have changed, and what you have put among these is made readable for it.
    """
    from bot.ops import logs  # here: importing pydantic is slow
    from bot.tenants.commands.adding import AddTenantOptions, add_tenant

    logs.silence_logs()
    return add_tenant(AddTenantOptions(**wishes))  # type: ignore[arg-type] # the options above, by their names
