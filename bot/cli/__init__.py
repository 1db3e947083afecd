"""The `retinue` command: what a terminal sees of errors and interruptions. The commands are one module each."""

import os
import sys
from collections.abc import Sequence

WRONG_CONFIG = 2
DAMAGED = 3
INTERRUPTED = 130  # 128 and SIGINT's number, as shells have it


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status."""
    try:
        open_streams()
        sys.exit(obeyed(arguments))
    except KeyboardInterrupt:  # also while a module is still being imported
        sys.exit(INTERRUPTED)


def open_streams() -> None:
    """Where stdin, stdout or stderr was closed, nothing is read and nothing written; and no file of ours takes its
    number, for what is printed would end up in it."""
    for number, (name, mode) in enumerate([("stdin", "r"), ("stdout", "w"), ("stderr", "w")]):
        if getattr(sys, name) is None:
            while os.open(os.devnull, os.O_RDWR) < number:
                pass
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def obeyed(arguments: Sequence[str] | None) -> int:
    import click  # not before an interruption is provided for

    from bot.cli.commands import retinue
    from bot.errors import ConfigError, StoreDamaged

    try:
        status = retinue.main(arguments, prog_name="retinue", standalone_mode=False)
    except (ConfigError, StoreDamaged) as error:
        click.echo(f"retinue: {one_line(str(error))}", err=True)
        return DAMAGED if isinstance(error, StoreDamaged) else WRONG_CONFIG
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:  # a word that the command line does not know
        error.show()
        return error.exit_code
    return status if isinstance(status, int) else 0


def one_line(text: str) -> str:
    """A path or a key may hold anything; a terminal must not obey it."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
