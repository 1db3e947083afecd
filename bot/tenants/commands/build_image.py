"""`scripts/build-image`: build the image of this checkout with the engine that answers here."""

import click

from bot.tenants.commands.deployments import echo_escaped_on_stderr
from bot.tenants.commands.options import HELP_OPTIONS
from bot.tenants.image import build_image
from bot.tenants.release import CHECKOUT


@click.command(context_settings=HELP_OPTIONS)
@click.option("--base", metavar="IMAGE", default="", help="Build on this image, instead of the Containerfile's own.")
def command(base: str) -> None:
    """Build the image that tenants run, and print its id; what goes on is shown on stderr."""
    click.echo(build_image(CHECKOUT, echo_escaped_on_stderr, base=base))
