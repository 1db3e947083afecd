"""The work of `scripts/upgrade-tenant`: upgrade one tenant, or several in turn."""

from bot.tenants import upgrade_record
from bot.tenants.commands import texts
from bot.tenants.commands.adding import check_tenant_roles
from bot.tenants.commands.deployments import deployment_of_tenant, echo_escaped, select_tenant_names
from bot.tenants.commands.releases import ReleaseChoice
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import Tenant
from bot.tenants.upgrade import run_upgrade


def upgrade_tenants(
    root: TenantsRoot, name: str | None, releases: ReleaseChoice, patience: float, *, is_all: bool, is_undo: bool
) -> bool:
    """Upgrade the chosen tenants, and stop at the first failure. Return True if all reached the wanted release."""
    chosen = [root.read_tenant(each) for each in select_tenant_names(root, name, is_all=is_all)]
    for tenant in chosen:
        if upgrade_record.read_upgrade(tenant) is None and not is_undo:
            releases.check_for_target(tenant)
    for number, tenant in enumerate(chosen, 1):
        if is_all:
            echo_escaped(texts.ONE_OF_ALL(name=tenant.name, number=number, count=len(chosen)))
        if not upgrade_or_resume(root, tenant, releases, patience, is_undo=is_undo):
            return False
    return True


def upgrade_or_resume(
    root: TenantsRoot, tenant: Tenant, releases: ReleaseChoice, patience: float, *, is_undo: bool
) -> bool:
    begun = upgrade_record.read_upgrade(tenant)
    release = None if is_undo or (begun and not releases.is_named) else releases.resolve_for(tenant)
    if not begun and release == tenant.release:
        echo_escaped(texts.RUNS_IT_ALREADY(name=tenant.name, release=release))
        return True
    try:
        is_done = run_upgrade(
            root, deployment_of_tenant(tenant, patience), release, check_tenant_roles, is_undo=is_undo
        )
    except KeyboardInterrupt:
        echo_escaped(upgrade_record.describe_upgrade(tenant) or texts.NOTHING_CHANGED(name=tenant.name))
        raise
    now = root.read_tenant(tenant.name)
    echo_escaped(texts.HAS_RELEASE(name=tenant.name, release=now.release, version=now.version))
    return now.release == begun.former if begun and is_undo else is_done
