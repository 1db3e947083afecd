"""`python -m bot.cli.tenants add-tenant …`, as scripts/add-tenant calls it: the first word is the script's own name."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from bot.cli import leave_with

if TYPE_CHECKING:
    import click


def command() -> "click.Command":
    found: click.Command = import_module(f"bot.cli.tenants.{name.replace('-', '_')}").command
    return found


name = sys.argv[1]
leave_with(sys.argv[2:], command, name)
