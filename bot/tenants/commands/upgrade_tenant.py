"""`scripts/upgrade-tenant`: bring tenants to another release, and roll back if the bot is not well with it."""

from pathlib import Path
from typing import Any

import click

from bot.cli.roles import load_delegation_rules
from bot.core.exit_status import ExitStatus
from bot.tenants.commands import options, texts
from bot.tenants.commands.options import echo_escaped
from bot.tenants.deployment import Deployment
from bot.tenants.root import TenantsRoot
from bot.tenants.upgrade import start_resume_or_undo_upgrade
from bot.tenants.upgrade_record import describe_unfinished_upgrade, read_upgrade_record


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.optional_name_argument
@options.all_option
@options.root_option
@click.option("--image", metavar="IMAGE", help="Run this image; else one is built of this checkout (compose).")
@click.option(
    *("--release", "folder"),
    type=options.any_path,
    metavar="FOLDER",
    help="Run this checkout; else the one that this script is of (systemd).",
)
@click.option("--undo", "is_undo", is_flag=True, help="Go back from an upgrade that was interrupted.")
@options.wait_option
def command(
    name: str | None, is_all: bool, root: TenantsRoot, is_undo: bool, wait_seconds: float, **named: Any
) -> ExitStatus:
    """Stop a tenant, back it up, have the new release migrate, start it, and go back if it is not well.

    An interrupted upgrade is continued, to the release that it was begun for. The first failure ends --all.
    """
    chosen = [root.read_tenant(each) for each in options.select_tenant_names(root, name, is_all=is_all)]
    for tenant in chosen:
        if read_upgrade_record(tenant) is None and not is_undo:
            options.check_named_release(tenant, **named)
    for number, tenant in enumerate(chosen, 1):
        if is_all:
            echo_escaped(texts.ONE_OF_ALL(name=tenant.name, number=number, count=len(chosen)))
        if not upgrade_resume_or_undo(options.deployment_of_tenant(tenant, wait_seconds), is_undo=is_undo, **named):
            return ExitStatus.NOT_DONE
    return ExitStatus.DONE


def upgrade_resume_or_undo(this: Deployment, *, is_undo: bool, image: str | None, folder: Path | None) -> bool:
    """Upgrade a tenant, or finish or undo its interrupted upgrade. Return True if it has the wanted release."""
    tenant = this.tenant
    begun = read_upgrade_record(tenant)
    is_named = image is not None or folder is not None
    release = None if is_undo or (begun and not is_named) else options.choose_or_build_release(tenant, image, folder)
    if not begun and release == tenant.release:
        echo_escaped(texts.RUNS_IT_ALREADY(name=tenant.name, release=release))
        return True
    try:
        is_done = start_resume_or_undo_upgrade(this, release, load_delegation_rules, is_undo=is_undo)
    except KeyboardInterrupt:
        echo_escaped(describe_unfinished_upgrade(tenant) or texts.NOTHING_CHANGED(name=tenant.name))
        raise
    now = this.root.read_tenant(tenant.name)
    echo_escaped(texts.HAS_RELEASE(name=tenant.name, release=now.release, version=now.version))
    return now.release == begun.former if begun and is_undo else is_done
