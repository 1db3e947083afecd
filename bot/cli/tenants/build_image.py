"""`scripts/build-image`: the image of this checkout, for the engine that answers here."""

import click

from bot.cli import one_line
from bot.cli.tenants.options import HELP
from bot.tenants.image import build
from bot.tenants.release import CHECKOUT


@click.command(context_settings=HELP)
@click.option("--base", metavar="IMAGE", default="", help="Build on this image, instead of the Containerfile's own.")
def command(base: str) -> None:
    """Build the image that tenants run, and print its id; what goes on is shown on stderr."""
    click.echo(build(CHECKOUT, lambda line: click.echo(one_line(line), err=True), base=base))
