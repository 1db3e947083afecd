"""`scripts/tenant-logs`: what a tenant's bot has logged, and logs."""

from pathlib import Path

import click

from bot.cli.tenants.options import HELP, root_folder, the_name


@click.command(context_settings=HELP)
@the_name
@root_folder
@click.option("-f", "--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option(
    "-n", "--lines", type=click.IntRange(min=0), default=100, show_default=True, help="How many to begin with."
)
def command(name: str, root: Path, follow: bool, lines: int) -> int:
    """Show what a tenant's bot logs."""
    from bot.cli import complain  # here, since pydantic takes its time
    from bot.cli.tenants.chosen import deployment, say
    from bot.tenants import following, unfinished
    from bot.tenants.root import Root

    this = deployment(Root(root), name)
    if said := unfinished.says(this.tenant):
        complain(said)
    return following.follow(this.target.logs(this.tenant, follow=follow, lines=lines), say)
