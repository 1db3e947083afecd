"""`retinue chat`: talk with the bot here, in the terminal."""

import os
import select
import shlex
import stat
import sys
from contextlib import suppress
from pathlib import Path

import click

from bot.cli import print_error, texts
from bot.cli.options import config_option
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command as name

HINT_SECONDS = 2.0


@click.command()
@config_option
@click.option("-m", "--message", "text", metavar="TEXT", help="Say this, print the answer, and leave; stdin joins it.")
@click.option("--lines", "by_lines", is_flag=True, help="From a pipe: each line is a message, answered in order.")
@click.option("--continue", "goes_on", is_flag=True, help="Go on with the newest conversation.")
@click.option(
    "--json", "is_json", is_flag=True, help="Of one message: print the answer as JSON, with who worked for it."
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long to wait for a model that is away or too busy; 60 for a message of -m or a pipe, else 900.",
)
@click.option("--plain", is_flag=True, help="Without a screen: nothing is drawn over, each line typed is a message.")
@click.argument("words", nargs=-1, metavar="")
def command(
    file: Path | None,
    text: str | None,
    by_lines: bool,
    goes_on: bool,
    is_json: bool,
    wait: float | None,
    plain: bool,
    words: tuple[str, ...],
) -> ExitStatus:
    """Talk here, in the terminal; what comes from a pipe is one message."""
    if words:
        raise click.UsageError(texts.TO_SAY_AT_ONCE(command=name(f"chat -m {shlex.quote(' '.join(words))}")))
    if text is not None and not text.strip():
        raise click.UsageError(texts.MESSAGE_IS_EMPTY)
    if by_lines and (is_json or text is not None):
        raise click.UsageError(texts.LINES_ARE_FOR_MANY)
    text = None if by_lines else join_with_stdin(text)
    if is_json and text is None:
        raise click.UsageError(texts.JSON_NEEDS_A_MESSAGE)
    from bot.cli.conversation import hold_conversation  # here: the whole bot is slow to import

    return hold_conversation(file, text, goes_on=goes_on, wait=wait, is_json=is_json, is_plain=plain)


def join_with_stdin(text: str | None) -> str | None:
    """Return the message, followed by the text from a pipe or a file on stdin. Return None if there is neither."""
    given = read_piped_stdin().strip()
    return "\n\n".join(filter(None, [text, given])) or None


def read_piped_stdin() -> str:
    """Return all of stdin if it is a pipe, a socket or a file, else an empty string."""
    try:
        kind = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):  # stdin was closed
        return ""
    if not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)):
        return ""
    with suppress(OSError):
        if stat.S_ISFIFO(kind) and not select.select([sys.stdin], [], [], HINT_SECONDS)[0]:
            print_error(texts.WAITING_FOR_STDIN)
        return sys.stdin.buffer.read().decode(errors="replace")
    return ""
