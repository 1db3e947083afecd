"""`scripts/tenant-logs`: show the log of a tenant's bot, and follow it on request."""

from pathlib import Path

import click

from bot.cli import print_error
from bot.tenants import upgrade_record
from bot.tenants.commands.deployments import deployment_of_tenant, echo_escaped
from bot.tenants.commands.options import HELP_OPTIONS, name_argument, root_option
from bot.tenants.long_commands import follow_log
from bot.tenants.root import TenantsRoot


@click.command(context_settings=HELP_OPTIONS)
@name_argument
@root_option
@click.option("-f", "--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option(
    "-n", "--lines", type=click.IntRange(min=0), default=100, show_default=True, help="How many to begin with."
)
def command(name: str, root: Path, follow: bool, lines: int) -> int:
    """Show what a tenant's bot logs."""
    this = deployment_of_tenant(TenantsRoot(root).read_tenant(name))
    if said := upgrade_record.describe_upgrade(this.tenant):
        print_error(said)
    return follow_log(this.target.logs_command(this.tenant, follow=follow, lines=lines), echo_escaped)
