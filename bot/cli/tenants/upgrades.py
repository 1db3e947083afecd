"""What `scripts/upgrade-tenant` does: one tenant, or one after the other."""

from bot.cli.tenants import texts
from bot.cli.tenants.adding import look
from bot.cli.tenants.chosen import of, say, several
from bot.cli.tenants.releases import Releases
from bot.tenants import unfinished
from bot.tenants.root import Root
from bot.tenants.tenant import Tenant
from bot.tenants.upgrading import upgrade


def upgraded(root: Root, name: str | None, releases: Releases, patience: float, *, is_all: bool, is_undo: bool) -> bool:
    """Whether all of them run what they were to run."""
    chosen = [root.tenant(each) for each in several(root, name, is_all=is_all)]
    for tenant in chosen:
        if unfinished.read(tenant) is None and not is_undo:
            releases.check(tenant)
    for number, tenant in enumerate(chosen, 1):
        if is_all:
            say(texts.ONE_OF_ALL(name=tenant.name, number=number, count=len(chosen)))
        if not one(root, tenant, releases, patience, is_undo=is_undo):
            return False
    return True


def one(root: Root, tenant: Tenant, releases: Releases, patience: float, *, is_undo: bool) -> bool:
    begun = unfinished.read(tenant)
    release = None if is_undo or (begun and not releases.is_named) else releases.of(tenant)
    if not begun and release == tenant.release:
        say(texts.RUNS_IT_ALREADY(name=tenant.name, release=release))
        return True
    try:
        is_done = upgrade(root, of(tenant, patience), release, look, is_undo=is_undo)
    except KeyboardInterrupt:
        say(unfinished.says(tenant) or texts.NOTHING_CHANGED(name=tenant.name))
        raise
    now = root.tenant(tenant.name)
    say(texts.HAS_RELEASE(name=tenant.name, release=now.release, version=now.version))
    return now.release == begun.former if begun and is_undo else is_done
