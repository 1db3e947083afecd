"""`scripts/backup-tenant`: save all data of a tenant in one file, whether it runs or not."""

import sys
from pathlib import Path

import click

from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.ops import logs
from bot.tenants import upgrade_record
from bot.tenants.backups import has_rows, next_backup_path, prune_backups, save_backup, stream_backup
from bot.tenants.commands import texts
from bot.tenants.commands.deployments import (
    deployment_of_tenant,
    echo_escaped,
    echo_escaped_on_stderr,
    select_tenant_names,
)
from bot.tenants.commands.options import HELP_OPTIONS, all_option, optional_name_argument, root_option
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import Tenant

STDOUT = Path("-")


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
    logs.silence_logs()
    if to and (is_all or keep):
        raise ConfigError(texts.TO_ALONE)
    if to == STDOUT and sys.stdout.isatty():
        raise ConfigError(texts.TO_A_TERMINAL)
    is_done = back_up_tenants(TenantsRoot(root), name, is_all=is_all, to=to, keep=keep, with_secrets=with_secrets)
    return None if is_done else ExitStatus.NOT_DONE


def back_up_tenants(
    root: TenantsRoot, name: str | None, *, is_all: bool, to: Path | None, keep: int | None, with_secrets: bool
) -> bool:
    """Back up one tenant, or all in turn; a failure does not stop the rest.

    Return True if each tenant that has data was backed up.
    """
    failed = []
    for each in select_tenant_names(root, name, is_all=is_all):
        try:
            back_up_tenant(root, root.read_tenant(each), to, with_secrets=with_secrets)
            for gone in prune_backups(root, each, keep) if keep else []:
                echo_escaped(texts.OLD_BACKUP_DELETED(path=gone))
        except ConfigError as error:
            if not is_all:
                raise
            echo_escaped(texts.NOT_BACKED_UP(name=each, error=error))
            failed.append(each)
    if failed:
        echo_escaped(texts.ALL_NOT_BACKED_UP(names=", ".join(failed)))
    return not failed


def back_up_tenant(root: TenantsRoot, tenant: Tenant, to: Path | None, *, with_secrets: bool) -> None:
    """Back up a tenant that has data. Raise ConfigError if that fails."""
    this = deployment_of_tenant(tenant)
    tell = echo_escaped_on_stderr if to == STDOUT else echo_escaped
    if said := upgrade_record.describe_upgrade(tenant):
        tell(said)
    if not has_rows(this):
        tell(texts.NEVER_RAN(name=tenant.name))
        return
    if to == STDOUT:
        stream_backup(this, sys.stdout.buffer, tell, with_secrets=with_secrets)
        return
    save_backup(this, to.absolute() if to else next_backup_path(root, tenant.name), with_secrets=with_secrets)
