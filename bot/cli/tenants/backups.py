"""What `scripts/backup-tenant` does: one tenant, or one after the other, and one that fails is not the end."""

import sys
from pathlib import Path

from bot.cli.tenants import texts
from bot.cli.tenants.chosen import of, say, say_beside, several
from bot.errors import ConfigError
from bot.tenants import unfinished
from bot.tenants.backing_up import has_rows, place, prune, save, stream
from bot.tenants.root import Root
from bot.tenants.tenant import Tenant

STREAM = Path("-")


def backed_up(
    root: Root, name: str | None, *, is_all: bool, to: Path | None, keep: int | None, with_secrets: bool
) -> bool:
    """Whether there is a back-up of each that has something to back up."""
    failed = []
    for each in several(root, name, is_all=is_all):
        try:
            one(root, root.tenant(each), to, with_secrets=with_secrets)
            for gone in prune(root, each, keep) if keep else []:
                say(texts.OLD_BACKUP_DELETED(path=gone))
        except ConfigError as error:
            if not is_all:
                raise
            say(texts.NOT_BACKED_UP(name=each, error=error))
            failed.append(each)
    if failed:
        say(texts.ALL_NOT_BACKED_UP(names=", ".join(failed)))
    return not failed


def one(root: Root, tenant: Tenant, to: Path | None, *, with_secrets: bool) -> None:
    this = of(tenant)
    tell = say_beside if to == STREAM else say
    if said := unfinished.says(tenant):
        tell(said)
    if not has_rows(this):
        tell(texts.NEVER_RAN(name=tenant.name))
        return
    if to == STREAM:
        stream(this, sys.stdout.buffer, tell, with_secrets=with_secrets)
        return
    save(this, to.absolute() if to else place(root, tenant.name), with_secrets=with_secrets)
