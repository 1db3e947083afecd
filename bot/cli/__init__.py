"""What a terminal sees of a command's errors and interruptions. The commands of `retinue` are one module each."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from bot.core.printable import escape_unprintable

if TYPE_CHECKING:
    from types import CodeType

    import click

    from bot.core.errors import BotError

NOT_DONE = 1  # no answer, or nowhere to write it
WRONG_CONFIG = 2
DAMAGED = 3
IN_USE = 5  # after 4, which is the watchdog's
INTERRUPTED = 130  # 128 and SIGINT's number, as shells have it


QuickAnswer = Callable[[Sequence[str] | None], int | None]  # gives the exit status, or None where it is not for it


def no_quick_answer(arguments: Sequence[str] | None) -> None:
    """All that the command line asks for is for the command."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command of `retinue` and leave with its exit status."""
    from bot.core.program_names import program_name

    run_and_exit(arguments, load_retinue_command, program_name(), quickly=quick_health_status)


def load_retinue_command() -> "click.Command":
    from bot.cli.commands import retinue  # not before an interruption is provided for

    return retinue


def quick_health_status(arguments: Sequence[str] | None) -> int | None:
    """The exit status of `retinue health`, where a running bot has answered it; None for all else."""
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
    """Run that command, which help calls `name`, and leave with its exit status; unless it is done `quickly`."""
    try:
        open_streams()
        status = run_quick_answer(arguments, quickly)
        if status is None:
            status = run_click_command(arguments, command, name)
        sys.exit(status if flush_output() else status or NOT_DONE)
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


def run_quick_answer(arguments: Sequence[str] | None, quickly: QuickAnswer) -> int | None:
    try:
        return quickly(arguments)
    except OSError as error:
        from bot.cli import texts  # here, since `retinue health` is called often

        print_error(texts.CANNOT_WRITE_TO_STDOUT(reason=error.strerror))
        return NOT_DONE


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
        return INTERRUPTED
    except click.ClickException as error:  # a word that the command line does not know
        with suppress(OSError):
            error.show()
        return error.exit_code
    except OSError as error:
        if innermost_code(error) is not click.echo.__code__:
            raise  # no word of ours was being printed: it is a bug
        print_error(texts.CANNOT_WRITE_TO_STDOUT(reason=error.strerror))
        return NOT_DONE
    return status if isinstance(status, int) else 0


def exit_status_of(error: "BotError") -> int:
    """The exit status of a command that such an error has ended."""
    from bot.core.errors import FolderInUse, StoreDamaged

    if isinstance(error, StoreDamaged):
        return DAMAGED
    return IN_USE if isinstance(error, FolderInUse) else WRONG_CONFIG


def innermost_code(error: BaseException) -> "CodeType":
    """The function that it was raised in."""
    from traceback import walk_tb  # here, since `retinue health` is called often

    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_code


def flush_output() -> bool:
    """Whether all that was printed is written. What is not is dropped, or the interpreter would trip over it."""
    is_written = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            is_written = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return is_written


def print_error(text: str) -> None:
    """One line on stderr; where that takes nothing either, the exit status must do."""
    with suppress(OSError):
        sys.stderr.write(f"retinue: {escape_unprintable(text)}\n")
        sys.stderr.flush()
