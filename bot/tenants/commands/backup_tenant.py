"""`scripts/backup-tenant`: save all data of a tenant in one file, whether it runs or not."""

import sys
from pathlib import Path

import click

from bot.core.exit_status import ExitStatus
from bot.tenants.commands import texts
from bot.tenants.commands.options import HELP_OPTIONS, all_option, optional_name_argument, root_option


@click.command(context_settings=HELP_OPTIONS)
@optional_name_argument
@all_option
@root_option
@click.option(
    "--to",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Where, or - for stdout; else in .backups.",
)
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens in.")
@click.option(
    "--keep", type=click.IntRange(min=1), metavar="N", help="Keep this many in .backups, and delete older ones."
)
def command(
    name: str | None, is_all: bool, root: Path, to: Path | None, with_secrets: bool, keep: int | None
) -> ExitStatus | None:
    """Back a tenant up into one file, for the operator alone; with --all each that can be."""
    from bot.core.errors import ConfigError
    from bot.ops import logs  # here: importing pydantic is slow
    from bot.tenants.commands.backups import STDOUT, back_up_tenants
    from bot.tenants.root import TenantsRoot

    logs.silence_logs()
    if to and (is_all or keep):
        raise ConfigError(texts.TO_ALONE)
    if to == STDOUT and sys.stdout.isatty():
        raise ConfigError(texts.TO_A_TERMINAL)
    is_done = back_up_tenants(TenantsRoot(root), name, is_all=is_all, to=to, keep=keep, with_secrets=with_secrets)
    return None if is_done else ExitStatus.NOT_DONE
