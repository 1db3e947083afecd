"""`scripts/tenant-logs`: show the log of a tenant's bot, and follow it on request."""

import click

from bot.cli import print_error
from bot.tenants.commands import options
from bot.tenants.programs import run_and_report_lines
from bot.tenants.root import TenantsRoot
from bot.tenants.upgrade_record import describe_unfinished_upgrade


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.name_argument
@options.root_option
@click.option("-f", "--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option("-n", "--lines", type=click.IntRange(0), default=100, help="How many to begin with.")
def command(name: str, root: TenantsRoot, follow: bool, lines: int) -> int:
    """Show what a tenant's bot logs."""
    this = options.deployment_of_tenant(root.read_tenant(name))
    if said := describe_unfinished_upgrade(this.tenant):
        print_error(said)
    return run_and_report_lines(this.target.logs_command(this.tenant, follow=follow, lines=lines), this.tell)
