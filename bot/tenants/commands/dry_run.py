"""Show what `add-tenant --dry-run` prints: all files to be made, the image to be built, and the next steps."""

from collections.abc import Mapping

import click

from bot.core.printable import escape_unprintable
from bot.tenants import creation
from bot.tenants.blueprint import Blueprint
from bot.tenants.commands import texts
from bot.tenants.release import CHECKOUT
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import Target, disk
from bot.tenants.tenant import DISK, WRITABLE

UNBUILT_IMAGE_ID = "sha256:" + "0" * 64  # in a dry run there is no image


def show_dry_run(root: TenantsRoot, blueprint: Blueprint, target: Target) -> None:
    """Print the plan without writing anything.

    For secrets and the tenant's own files, only the file names are shown.
    """
    blueprint.release = blueprint.release or (str(CHECKOUT) if blueprint.target == "systemd" else UNBUILT_IMAGE_ID)
    config = blueprint.build_config(root.tenant_folder(blueprint.name))
    tenant = creation.plan_tenant(root, blueprint, root.next_uid())
    is_shared = creation.is_user_of_host(blueprint.target)
    artefacts = target.artefacts(tenant, config, sorted(blueprint.secrets), creation.operator_file_paths(blueprint))
    click.echo(f"{texts.WOULD_BE_MADE(folder=tenant.folder, uid=tenant.uid)}\n")
    entries = list(creation.list_tenant_entries(blueprint, tenant, artefacts))
    for entry in entries:
        owner = "" if not is_shared else f"{tenant.uid if entry.is_own else 0}:{tenant.uid} "
        click.echo(f"  {entry.mode(is_shared=is_shared):o} {owner}{entry.path}{'/' * (entry.text is None)}")
    if tenant.disk and is_shared:
        folders = ", ".join(WRITABLE)
        click.echo()
        click.echo(texts.WOULD_BE_MOUNTED(image=disk.IMAGE, size=tenant.disk, folder=DISK, folders=folders))
    if tenant.release == UNBUILT_IMAGE_ID:
        click.echo()
        click.echo(texts.IMAGE_WOULD_BE_BUILT(checkout=CHECKOUT, id=UNBUILT_IMAGE_ID[:11]))
    print_files({entry.path: entry.text for entry in entries if entry.text is not None and not entry.is_own})
    click.echo(f"\n{texts.NEXT_WOULD_BE}")
    for step in target.next_steps(tenant):
        click.echo(f"  {step}")


def print_files(files: Mapping[str, str]) -> None:
    for path, text in files.items():
        click.echo(f"\n--- {path}")
        for line in text.splitlines():
            click.echo(escape_unprintable(line))
