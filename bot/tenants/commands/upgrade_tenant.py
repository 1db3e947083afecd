"""`scripts/upgrade-tenant`: bring tenants to another release, and roll back if the bot is not well with it."""

from pathlib import Path

import click

from bot.core.exit_status import ExitStatus
from bot.tenants.commands.options import (
    HELP_OPTIONS,
    all_option,
    optional_name_argument,
    root_option,
    wait_option,
)


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

    An upgrade that was interrupted is gone on with, whatever it was to. The first that fails ends --all.
    """
    from bot.ops import logs  # here: importing pydantic is slow
    from bot.tenants.commands.releases import ReleaseChoice
    from bot.tenants.commands.upgrades import upgrade_tenants
    from bot.tenants.root import TenantsRoot

    logs.silence_logs()
    releases = ReleaseChoice(image=image, folder=folder)
    is_done = upgrade_tenants(TenantsRoot(root), name, releases, patience, is_all=is_all, is_undo=undo)
    return None if is_done else ExitStatus.NOT_DONE
