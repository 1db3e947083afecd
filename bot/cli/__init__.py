"""Run a `retinue` command, print its errors on stderr and choose its exit status. The commands are modules here."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from bot.core.exit_status import ExitStatus
from bot.ops.garbage_collector import rare_collection

if TYPE_CHECKING:
    import click

    from bot.core.errors import BotError

QuickCommandHandler = Callable[[Sequence[str] | None], int | None]  # returns the status, or None: run the command


def main(arguments: Sequence[str] | None = None) -> None:
    from bot.core.program_names import retinue_program_to_call

    run_and_exit(arguments, load_retinue_command, retinue_program_to_call(), quickly=try_quick_health)


def load_retinue_command() -> "click.Command":
    from bot.cli.commands import retinue  # here: only `run_and_exit` handles Ctrl-C during the import

    return retinue


def try_quick_health(arguments: Sequence[str] | None) -> int | None:
    """Return the exit status of `retinue health` if a running bot answered it, else None."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] != ["health"]:
        return None
    from bot.cli import quick_health

    return quick_health.print_health_if_bot_answers(words[1:])


def run_and_exit(
    arguments: Sequence[str] | None,
    command: "Callable[[], click.Command]",
    name: str,
    quickly: QuickCommandHandler = lambda arguments: None,
) -> NoReturn:
    """Run the command and exit with its status. The help text calls the command `name`. If `quickly` returns an exit
    status, exit with that one and do not load the command."""
    try:
        with rare_collection():
            replace_closed_std_streams()
            status = quickly(arguments)
            if status is None:
                status = run_click_command(arguments, command, name)
        sys.exit(status if try_flush_output() else status or ExitStatus.NOT_DONE)
    except KeyboardInterrupt:  # may also come while a module is being imported
        sys.exit(ExitStatus.INTERRUPTED)


def replace_closed_std_streams() -> None:
    """Connect stdin, stdout and stderr to the null device if they were closed. Otherwise a file that we open could get
    the number of a closed stream, and printed text would be written into that file."""
    for number, (name, mode) in enumerate([("stdin", "r"), ("stdout", "w"), ("stderr", "w")]):
        if getattr(sys, name) is None:
            while os.open(os.devnull, os.O_RDWR) < number:
                pass
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def run_click_command(arguments: Sequence[str] | None, command: "Callable[[], click.Command]", name: str) -> int:
    from traceback import walk_tb

    import click

    from bot.core.errors import ConfigError, StoreDamaged

    try:
        status = command().main(arguments, prog_name=name, standalone_mode=False)
    except (ConfigError, StoreDamaged) as error:
        for line in error_lines(error):
            print_error(line)
        return exit_status_of(error)
    except click.Abort:
        return ExitStatus.INTERRUPTED
    except click.ClickException as error:  # a wrong command line, or a CommandError
        with suppress(OSError):
            error.show()
        return error.exit_code
    except OSError as error:
        *_, (frame, _) = walk_tb(error.__traceback__)
        if frame.f_code is not click.echo.__code__:
            raise  # we were not printing, so this is a bug
        return print_stdout_error_and_get_status(error)
    return status if isinstance(status, int) else ExitStatus.DONE


def error_lines(error: "BotError") -> Sequence[str]:
    from bot.core.errors import ConfigError

    return error.lines if isinstance(error, ConfigError) else [str(error)]


def exit_status_of(error: "BotError") -> ExitStatus:
    from bot.core.errors import FolderInUse, StoreDamaged

    if isinstance(error, StoreDamaged):
        return ExitStatus.DAMAGED
    return ExitStatus.IN_USE if isinstance(error, FolderInUse) else ExitStatus.WRONG_CONFIG


def print_stdout_error_and_get_status(error: OSError) -> ExitStatus:
    from bot.cli import texts  # here: `retinue health` runs often and must start fast

    print_error(texts.CANNOT_WRITE_TO_STDOUT(reason=error.strerror))
    return ExitStatus.NOT_DONE


def try_flush_output() -> bool:
    """Return True if everything printed was written to stdout and stderr. If a stream fails, drop its unwritten text.
    Otherwise the interpreter would fail on it at exit."""
    is_written = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            is_written = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return is_written


def print_error(text: str) -> None:
    """Print one line on stderr. If that fails, do nothing: the exit status still reports the error."""
    from bot.core.texts import escape_unprintable  # here: `health` from a running bot has few imports

    with suppress(OSError):
        sys.stderr.write(f"retinue: {escape_unprintable(text)}\n")
        sys.stderr.flush()
