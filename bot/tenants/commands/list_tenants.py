"""`scripts/list-tenants`: list every tenant with its state and its cost."""

from pathlib import Path

import click

from bot.tenants.commands.options import HELP_OPTIONS, root_option


@click.command(context_settings=HELP_OPTIONS)
@root_option
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON, an object per line.")
def command(root: Path, is_json: bool) -> None:
    """List the tenants: what they run on, how they are, when somebody last wrote, and what today has cost."""
    from bot.ops import logs  # here: importing pydantic is slow
    from bot.tenants.commands.table import print_tenants
    from bot.tenants.root import TenantsRoot

    logs.silence_logs()
    print_tenants(TenantsRoot(root), is_json=is_json)
