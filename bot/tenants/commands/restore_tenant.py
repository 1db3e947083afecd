"""`scripts/restore-tenant`: replace a tenant's data with a back-up, or make a new tenant from it."""

from pathlib import Path

import click

from bot.core.exit_status import ExitStatus
from bot.tenants.commands.add_tenant import TARGETS
from bot.tenants.commands.options import HELP_OPTIONS, name_argument, root_option, wait_option


@click.command(context_settings=HELP_OPTIONS)
@name_argument
@click.argument("file", type=click.Path(path_type=Path))
@root_option
@click.option("--config", "with_config", is_flag=True, help="Its config, roles and groups too; else it keeps its own.")
@click.option("--image", metavar="IMAGE", help="Run this image.")
@click.option(
    "--release", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Run this checkout (systemd)."
)
@click.option("--target", type=click.Choice(TARGETS), default="compose", show_default=True, help="Of a new one.")
@click.option(
    "--secrets",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FOLDER|-",
    help="Of a new one, where they are not in the back-up; else it asks.",
)
@click.option("--disk", metavar="SIZE", help="Of a new one: what its files may hold, as 2G.")
@click.option("--public", is_flag=True, help="Of a new one: let everybody talk to it, at your cost.")
@click.option("--anyway", is_flag=True, help="Make a new one although a check finds fault.")
@wait_option
def command(**wishes: object) -> ExitStatus | None:
    """Restore a tenant from a back-up.

    Of a tenant that is there, what it has now is backed up first. One that is not there is made, with the settings of
    the back-up.
    """
    from bot.ops import logs  # here: importing pydantic is slow
    from bot.tenants.commands.restores import RestoreTenantOptions, restore_tenant

    logs.silence_logs()
    return None if restore_tenant(RestoreTenantOptions(**wishes)) else ExitStatus.NOT_DONE  # type: ignore[arg-type] # the options above
