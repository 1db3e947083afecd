"""`scripts/upgrade-tenant`: bring tenants to another release, and back if they are not well with it."""

from pathlib import Path

import click

from bot.cli.tenants.options import HELP, NOT_DONE, a_name_or_all, all_of_them, patience, root_folder


@click.command(context_settings=HELP)
@a_name_or_all
@all_of_them
@root_folder
@click.option("--image", metavar="IMAGE", help="Run this image; else one is built of this checkout (compose).")
@click.option(
    "--release",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Run this checkout; else the one that this script is of (systemd).",
)
@click.option("--undo", is_flag=True, help="Go back from an upgrade that was interrupted.")
@patience
def command(
    name: str | None,
    is_all: bool,
    root: Path,
    image: str | None,
    folder: Path | None,
    undo: bool,
    patience: float,
) -> int | None:
    """Stop a tenant, back it up, have the new release migrate, start it, and go back if it is not well.

    An upgrade that was interrupted is gone on with, whatever it was to. The first that fails ends --all.
    """
    from bot.cli import logs  # here, since pydantic takes its time
    from bot.cli.tenants.releases import Releases
    from bot.cli.tenants.upgrades import upgraded
    from bot.tenants.root import Root

    logs.to_nobody()
    releases = Releases(image=image, folder=folder)
    return None if upgraded(Root(root), name, releases, patience, is_all=is_all, is_undo=undo) else NOT_DONE
