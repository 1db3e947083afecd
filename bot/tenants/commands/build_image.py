"""`scripts/build-image`: build the image of this checkout with the engine that answers here."""

import click

from bot.core.program_names import PROJECT_FOLDER
from bot.tenants.commands.options import CONTEXT_SETTINGS, echo_escaped_on_stderr
from bot.tenants.image import build_image


@click.command(context_settings=CONTEXT_SETTINGS)
@click.option("--base", metavar="IMAGE", help="Build on this image, instead of the Containerfile's own.")
def command(base: str | None) -> None:
    """Build the image that tenants run, and print its id; what goes on is shown on stderr."""
    click.echo(build_image(PROJECT_FOLDER, echo_escaped_on_stderr, base=base or ""))
