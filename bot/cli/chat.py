"""`retinue chat`: talk with the bot here, in the terminal."""

from pathlib import Path

import click

from bot.cli.options import config_file


@click.command()
@config_file
@click.option("-m", "--message", "text", metavar="TEXT", help="Say this, print the answer, and leave.")
@click.option("--continue", "goes_on", is_flag=True, help="Go on with the newest conversation.")
@click.option("--json", "is_json", is_flag=True, help="With -m: print the answer as JSON, with who worked for it.")
def command(file: Path | None, text: str | None, goes_on: bool, is_json: bool) -> int:
    """Talk here, in the terminal; from a pipe, each line is a message."""
    if is_json and text is None:
        raise click.UsageError("--json needs -m TEXT: it tells of one message")
    if text is not None and not text.strip():
        raise click.UsageError("-m needs a text that is not empty")
    from bot.cli.conversation import hold  # here, since the whole bot takes its time

    return hold(file, text, goes_on=goes_on, is_json=is_json)
