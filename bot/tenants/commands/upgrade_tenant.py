"""`scripts/upgrade-tenant`: bring tenants to another release, and roll back if the bot is not well with it."""

from pathlib import Path

import click

from bot.cli.roles import load_rules
from bot.core.exit_status import ExitStatus
from bot.ops import logs
from bot.tenants import upgrade_record
from bot.tenants.commands import texts
from bot.tenants.commands.deployments import ReleaseChoice, deployment_of_tenant, echo_escaped, select_tenant_names
from bot.tenants.commands.options import (
    HELP_OPTIONS,
    all_option,
    optional_name_argument,
    root_option,
    wait_option,
)
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import Tenant
from bot.tenants.upgrade import run_upgrade


@click.command(context_settings=HELP_OPTIONS)
@optional_name_argument
@all_option
@root_option
@click.option("--image", metavar="IMAGE", help="Run this image; else one is built of this checkout (compose).")
@click.option(
    "--release",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Run this checkout; else the one that this script is of (systemd).",
)
@click.option("--undo", is_flag=True, help="Go back from an upgrade that was interrupted.")
@wait_option
def command(
    name: str | None,
    is_all: bool,
    root: Path,
    image: str | None,
    folder: Path | None,
    undo: bool,
    patience: float,
) -> ExitStatus | None:
    """Stop a tenant, back it up, have the new release migrate, start it, and go back if it is not well.

    An interrupted upgrade is continued, to the release that it was begun for. The first failure ends --all.
    """
    logs.silence_logs()
    machine, releases = TenantsRoot(root), ReleaseChoice(image=image, folder=folder)
    chosen = [machine.read_tenant(each) for each in select_tenant_names(machine, name, is_all=is_all)]
    for tenant in chosen:
        if upgrade_record.read_upgrade(tenant) is None and not undo:
            releases.check_for_target(tenant)
    for number, tenant in enumerate(chosen, 1):
        if is_all:
            echo_escaped(texts.ONE_OF_ALL(name=tenant.name, number=number, count=len(chosen)))
        if not upgrade_or_resume(machine, tenant, releases, patience, is_undo=undo):
            return ExitStatus.NOT_DONE
    return None


def upgrade_or_resume(
    root: TenantsRoot, tenant: Tenant, releases: ReleaseChoice, patience: float, *, is_undo: bool
) -> bool:
    """Upgrade a tenant, or finish or undo its interrupted upgrade. Return True if it has the wanted release."""
    begun = upgrade_record.read_upgrade(tenant)
    release = None if is_undo or (begun and not releases.is_named) else releases.resolve_for(tenant)
    if not begun and release == tenant.release:
        echo_escaped(texts.RUNS_IT_ALREADY(name=tenant.name, release=release))
        return True
    try:
        deployment = deployment_of_tenant(tenant, patience)
        is_done = run_upgrade(root, deployment, release, load_rules, is_undo=is_undo)
    except KeyboardInterrupt:
        echo_escaped(upgrade_record.describe_upgrade(tenant) or texts.NOTHING_CHANGED(name=tenant.name))
        raise
    now = root.read_tenant(tenant.name)
    echo_escaped(texts.HAS_RELEASE(name=tenant.name, release=now.release, version=now.version))
    return now.release == begun.former if begun and is_undo else is_done
