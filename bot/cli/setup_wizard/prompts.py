"""Ask the person at the terminal, or read the answers from a pipe, one per line."""

import select
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bot.cli.setup_wizard import texts
from bot.core.errors import ConfigError
from bot.core.program_names import retinue_command

PASTE_SECONDS = 0.2  # between two lines of one paste
YES, NO = ("y", "yes"), ("n", "no")


def print_text(text: str = "") -> None:
    click.echo(text)


def ask_line(question: str) -> str:
    """Ask and return one answer. Raise ConfigError if the input has ended."""
    click.echo(f"{question} ", nl=False)
    return read_answer()


def ask_secret(question: str) -> str:
    """Ask for an answer and do not show it on a terminal.

    On a terminal people may paste the lines around the secret too. Return all of them.
    """
    if not sys.stdin.isatty():
        return ask_line(question)
    with hide_typing():
        click.echo(f"{question} ", nl=False)
        lines = [read_answer()]
        while select.select([sys.stdin], [], [], PASTE_SECONDS)[0] and (more := sys.stdin.readline()):
            lines.append(more.strip())
    print_text()  # the terminal did not show the answer's line end
    return "\n".join(lines).strip()


@contextmanager
def show_checking() -> Iterator[None]:
    """Say that an answer is being checked, and hide what is typed, while a server is asked."""
    with hide_typing():
        print_text(texts.CHECKING)
        yield


def print_could_not_check(error: OSError) -> None:
    """Say that an answer could not be checked, because the server could not be asked."""
    if str(error):
        print_text(texts.NOT_CHECKED(reason=error, command=retinue_command("doctor")))
    else:
        print_text(texts.NOT_CHECKED_NO_ANSWER(command=retinue_command("doctor")))


@contextmanager
def hide_typing() -> Iterator[None]:
    """Hide what is typed or pasted, also while an answer is checked. Drop what is typed before the question."""
    if not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    hidden = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(terminal, termios.TCSAFLUSH, hidden)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)


def ask_yes_or_no(question: str, *, usual: bool) -> bool:
    """Ask until the answer is yes or no. Return True for yes, and `usual` for an empty answer."""
    while True:
        shown = texts.USUALLY_YES(question=question) if usual else texts.USUALLY_NO(question=question)
        said = ask_line(shown).casefold()
        if not said or said in YES or said in NO:
            return said in YES if said else usual
        print_text(texts.YES_OR_NO)


def read_answer() -> str:
    sys.stdout.flush()
    try:
        read = sys.stdin.readline()
    except UnicodeDecodeError:
        raise ConfigError(texts.NOT_UTF8) from None
    if not sys.stdin.isatty():
        print_text()  # an answer from a pipe shows no line end
    if not read:
        raise ConfigError(texts.ANSWERS_ENDED)
    return read.strip()
