"""`scripts/backup-tenant`: save all data of a tenant in one file, whether it runs or not."""

import sys
from pathlib import Path

import click

from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.tenants.backups import may_have_data, prepare_backup_path, prune_backups, save_backup, stream_backup
from bot.tenants.commands import options, texts
from bot.tenants.commands.options import deployment_of_tenant, echo_escaped
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import Tenant
from bot.tenants.upgrade_record import describe_unfinished_upgrade

STDOUT_PATH = Path("-")


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.optional_name_argument
@options.all_option
@options.root_option
@click.option("--to", type=options.path_or_dash, metavar="FILE|-", help="Where, or - for stdout; else in .backups.")
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens in.")
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Keep this many in .backups, and delete older ones.")
def command(
    name: str | None, is_all: bool, root: TenantsRoot, to: Path | None, with_secrets: bool, keep: int | None
) -> ExitStatus:
    """Back a tenant up into one file, for the operator alone; with --all each that can be."""
    if to and (is_all or keep):
        raise ConfigError(texts.TO_ALONE)
    if to == STDOUT_PATH and sys.stdout.isatty():
        raise ConfigError(texts.TO_A_TERMINAL)
    failed = []
    for each in options.select_tenant_names(root, name, is_all=is_all):
        try:
            back_up_tenant(root.read_tenant(each), to, with_secrets=with_secrets)
            for gone in prune_backups(root, each, keep) if keep else []:
                echo_escaped(texts.OLD_BACKUP_DELETED(path=gone))
        except ConfigError as error:
            if not is_all:
                raise
            echo_escaped(texts.NOT_BACKED_UP(name=each, error=error))
            failed.append(each)
    if failed:
        echo_escaped(texts.ALL_NOT_BACKED_UP(names=", ".join(failed)))
    return ExitStatus.NOT_DONE if failed else ExitStatus.DONE


def back_up_tenant(tenant: Tenant, to: Path | None, *, with_secrets: bool) -> None:
    """Back up a tenant that has data. Raise ConfigError if that fails."""
    this = deployment_of_tenant(tenant, tell=options.echo_escaped_on_stderr if to == STDOUT_PATH else echo_escaped)
    if said := describe_unfinished_upgrade(tenant):
        this.tell(said)
    if not may_have_data(this):
        this.tell(texts.NEVER_RAN(name=tenant.name))
    elif to == STDOUT_PATH:
        stream_backup(this, sys.stdout.buffer, with_secrets=with_secrets)
    else:
        path = to.absolute() if to else prepare_backup_path(this.root, tenant.name)
        save_backup(this, path, with_secrets=with_secrets)
