"""`python -m bot.cli.tenants add-tenant …`, as scripts/add-tenant calls it, and `retinue-tenants add-tenant …`."""

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from bot.cli import WRONG_CONFIG, complain, leave_with
from bot.cli.tenants import texts
from bot.program import script

if TYPE_CHECKING:
    import click

NAMES = (
    "add-tenant",
    "list-tenants",
    "backup-tenant",
    "restore-tenant",
    "rotate-secret",
    "upgrade-tenant",
    "tenant-logs",
    "remove-tenant",
    "build-image",
)


def command(name: str) -> "click.Command":
    found: click.Command = import_module(f"bot.cli.tenants.{name.replace('-', '_')}").command
    return found


def main() -> None:
    """Run the command that the first word names."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in NAMES:
        complain(texts.WHICH_COMMAND(commands=", ".join(NAMES)))
        sys.exit(WRONG_CONFIG)
    leave_with(sys.argv[2:], partial(command, name), script(name))


if __name__ == "__main__":
    main()
