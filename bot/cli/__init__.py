"""Run a `retinue` command, print its errors on stderr and choose its exit status. Each command is a module here."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from bot.core.exit_status import ExitStatus
from bot.core.printable import escape_unprintable

if TYPE_CHECKING:
    from types import CodeType

    import click

    from bot.core.errors import BotError

QuickAnswer = Callable[[Sequence[str] | None], int | None]  # returns the exit status, or None if the command must run


def no_quick_answer(arguments: Sequence[str] | None) -> None:
    """Return None, so that the command itself always runs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command of `retinue` and leave with its exit status."""
    from bot.core.program_names import program_name

    run_and_exit(arguments, load_retinue_command, program_name(), quickly=quick_health_status)


def load_retinue_command() -> "click.Command":
    from bot.cli.commands import retinue  # not earlier: only `run_and_exit` handles Ctrl-C during the import

    return retinue


def quick_health_status(arguments: Sequence[str] | None) -> int | None:
    """Return the exit status of `retinue health` if a running bot answered it, else None."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] != ["health"]:
        return None
    from bot.cli import quick_health

    return quick_health.answer_health_quickly(words[1:])


def run_and_exit(
    arguments: Sequence[str] | None,
    command: "Callable[[], click.Command]",
    name: str,
    quickly: QuickAnswer = no_quick_answer,
) -> NoReturn:
    """Run the command and leave with its exit status. The help text calls the command `name`.

    If `quickly` returns an exit status, leave with that one and do not load the command.
    """
    try:
        open_streams()
        status = run_quick_answer(arguments, quickly)
        if status is None:
            status = run_click_command(arguments, command, name)
        sys.exit(status if flush_output() else status or ExitStatus.NOT_DONE)
    except KeyboardInterrupt:  # may also come while a module is being imported
        sys.exit(ExitStatus.INTERRUPTED)


def open_streams() -> None:
    """Connect stdin, stdout and stderr to the null device if they were closed.

    Otherwise a file that we open could get the number of a closed stream, and printed text would go into that file.
    """
    for number, (name, mode) in enumerate([("stdin", "r"), ("stdout", "w"), ("stderr", "w")]):
        if getattr(sys, name) is None:
            while os.open(os.devnull, os.O_RDWR) < number:
                pass
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def run_quick_answer(arguments: Sequence[str] | None, quickly: QuickAnswer) -> int | None:
    try:
        return quickly(arguments)
    except OSError as error:
        from bot.cli import texts  # here: `retinue health` runs often and must start fast

        print_error(texts.CANNOT_WRITE_TO_STDOUT(reason=error.strerror))
        return ExitStatus.NOT_DONE


def run_click_command(arguments: Sequence[str] | None, command: "Callable[[], click.Command]", name: str) -> int:
    import click

    from bot.cli import texts
    from bot.core.errors import ConfigError, StoreDamaged

    try:
        status = command().main(arguments, prog_name=name, standalone_mode=False)
    except ConfigError as error:
        for line in error.lines:
            print_error(line)
        return exit_status_of(error)
    except StoreDamaged as error:
        print_error(str(error))
        return exit_status_of(error)
    except click.Abort:
        return ExitStatus.INTERRUPTED
    except click.ClickException as error:  # the command line has an unknown word
        with suppress(OSError):
            error.show()
        return error.exit_code
    except OSError as error:
        if innermost_code(error) is not click.echo.__code__:
            raise  # we were not printing, so this is a bug
        print_error(texts.CANNOT_WRITE_TO_STDOUT(reason=error.strerror))
        return ExitStatus.NOT_DONE
    return status if isinstance(status, int) else ExitStatus.DONE


def exit_status_of(error: "BotError") -> ExitStatus:
    """Return the exit status of a command that ended with this error."""
    from bot.core.errors import FolderInUse, StoreDamaged

    if isinstance(error, StoreDamaged):
        return ExitStatus.DAMAGED
    return ExitStatus.IN_USE if isinstance(error, FolderInUse) else ExitStatus.WRONG_CONFIG


def innermost_code(error: BaseException) -> "CodeType":
    """Return the code object of the function that raised the error."""
    from traceback import walk_tb  # here: `retinue health` runs often and must start fast

    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_code


def flush_output() -> bool:
    """Return True if stdout and stderr took everything that was printed.

    If a stream fails, drop its rest. Otherwise the interpreter would fail on it at exit.
    """
    is_written = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            is_written = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return is_written


def print_error(text: str) -> None:
    """Print one line on stderr. If stderr fails too, print nothing: the caller still has the exit status."""
    with suppress(OSError):
        sys.stderr.write(f"retinue: {escape_unprintable(text)}\n")
        sys.stderr.flush()
