"""What `add-tenant --dry-run` shows: every file and folder that would be made, and what would stand in it."""

from collections.abc import Mapping

import click

from bot.cli import one_line
from bot.tenants import making
from bot.tenants.blueprint import Blueprint
from bot.tenants.root import Root
from bot.tenants.targets import Target

NOT_BUILT = "sha256:" + "0" * 64  # in a dry run there is no image


def show(root: Root, blueprint: Blueprint, target: Target) -> None:
    """Nothing is written; of secrets only the names of their files are shown."""
    blueprint.release = blueprint.release or NOT_BUILT
    config = blueprint.config(root.folder(blueprint.name))
    tenant = making.planned(root, blueprint, root.next_uid())
    is_shared = making.is_shared(blueprint.target)
    artefacts = target.artefacts(tenant, config, sorted(blueprint.secrets), making.role_files(blueprint))
    click.echo(f"{tenant.folder} would be made, for uid {tenant.uid}:\n")
    entries = list(making.entries(blueprint, tenant, artefacts))
    for entry in entries:
        owner = "" if not is_shared else f"{tenant.uid if entry.is_own else 0}:{tenant.uid} "
        click.echo(f"  {entry.mode(is_shared=is_shared):o} {owner}{entry.path}{'/' * (entry.text is None)}")
    show_texts({entry.path: entry.text for entry in entries if entry.text is not None and not entry.is_secret})


def show_texts(texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        click.echo(f"\n--- {path}")
        for line in text.splitlines():
            click.echo(one_line(line))
