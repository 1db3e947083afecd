"""What `add-tenant --dry-run` shows: all that would be made and built, what would stand in it, and the next steps."""

from collections.abc import Mapping

import click

from bot.cli import one_line
from bot.cli.tenants import texts
from bot.tenants import making
from bot.tenants.blueprint import Blueprint
from bot.tenants.release import CHECKOUT
from bot.tenants.root import Root
from bot.tenants.targets import Target, disk
from bot.tenants.tenant import DISK, WRITABLE

NOT_BUILT = "sha256:" + "0" * 64  # in a dry run there is no image


def show(root: Root, blueprint: Blueprint, target: Target) -> None:
    """Nothing is written; of secrets, and of what is the tenant's own, only the names of files are shown."""
    blueprint.release = blueprint.release or (str(CHECKOUT) if blueprint.target == "systemd" else NOT_BUILT)
    config = blueprint.config(root.folder(blueprint.name))
    tenant = making.planned(root, blueprint, root.next_uid())
    is_shared = making.is_shared(blueprint.target)
    artefacts = target.artefacts(tenant, config, sorted(blueprint.secrets), making.operators_files(blueprint))
    click.echo(f"{texts.WOULD_BE_MADE(folder=tenant.folder, uid=tenant.uid)}\n")
    entries = list(making.entries(blueprint, tenant, artefacts))
    for entry in entries:
        owner = "" if not is_shared else f"{tenant.uid if entry.is_own else 0}:{tenant.uid} "
        click.echo(f"  {entry.mode(is_shared=is_shared):o} {owner}{entry.path}{'/' * (entry.text is None)}")
    if tenant.disk and is_shared:
        folders = ", ".join(WRITABLE)
        click.echo()
        click.echo(texts.WOULD_BE_MOUNTED(image=disk.IMAGE, size=tenant.disk, folder=DISK, folders=folders))
    if tenant.release == NOT_BUILT:
        click.echo()
        click.echo(texts.IMAGE_WOULD_BE_BUILT(checkout=CHECKOUT, id=NOT_BUILT[:11]))
    show_files({entry.path: entry.text for entry in entries if entry.text is not None and not entry.is_own})
    click.echo(f"\n{texts.NEXT_WOULD_BE}")
    for step in target.next_steps(tenant):
        click.echo(f"  {step}")


def show_files(files: Mapping[str, str]) -> None:
    for path, text in files.items():
        click.echo(f"\n--- {path}")
        for line in text.splitlines():
            click.echo(one_line(line))
