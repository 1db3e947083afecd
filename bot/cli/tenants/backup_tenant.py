"""`scripts/backup-tenant`: all that a tenant has, in one file, while it runs or not."""

from pathlib import Path

import click

from bot.cli.tenants.options import HELP, a_name_or_all, all_of_them, root_folder


@click.command(context_settings=HELP)
@a_name_or_all
@all_of_them
@root_folder
@click.option("--to", type=click.Path(path_type=Path), metavar="FILE", help="Where; else in .backups of the root.")
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens in.")
@click.option(
    "--keep", type=click.IntRange(min=1), metavar="N", help="Keep this many in .backups, and delete older ones."
)
def command(name: str | None, is_all: bool, root: Path, to: Path | None, with_secrets: bool, keep: int | None) -> None:
    """Back a tenant up into one file, for the operator alone."""
    from bot.cli import logs  # here, since pydantic takes its time
    from bot.cli.tenants.chosen import of, say, several
    from bot.errors import ConfigError
    from bot.tenants import unfinished
    from bot.tenants.backing_up import place, prune, save
    from bot.tenants.root import Root

    logs.to_nobody()
    machine = Root(root)
    if to and (is_all or keep):
        raise ConfigError("--to is for one tenant, and for a file of your own: leave out --all and --keep")
    for tenant in several(machine, name, is_all=is_all):
        if said := unfinished.says(tenant):
            say(said)
        save(of(tenant), to.absolute() if to else place(machine, tenant.name), with_secrets=with_secrets)
        for gone in prune(machine, tenant.name, keep) if keep else []:
            say(f"deleted: {gone}")
