"""Ask whoever sits at the terminal, or take the answers from a pipe, a line each."""

import getpass
import sys
import termios

import click

from bot.errors import ConfigError

YES, NO = ("y", "yes"), ("n", "no")


def say(text: str = "") -> None:
    click.echo(text)


def line(question: str) -> str:
    """One answer; raises ConfigError where there are no more."""
    click.echo(f"{question} ", nl=False)
    return next_line()


def secret(question: str) -> str:
    """One answer that is not shown."""
    if not sys.stdin.isatty():
        return line(question)
    try:
        return getpass.getpass(f"{question} ").strip()
    except (EOFError, termios.error):
        raise ended() from None


def yes(question: str, *, usual: bool) -> bool:
    """Ask until it is yes or no; nothing is the usual answer."""
    while True:
        said = line(f"{question} [{'Y/n' if usual else 'y/N'}]").casefold()
        if not said or said in YES or said in NO:
            return said in YES if said else usual
        say("  yes or no?")


def next_line() -> str:
    sys.stdout.flush()
    try:
        read = sys.stdin.readline()
    except UnicodeDecodeError:
        raise ConfigError("an answer is not UTF-8 text; nothing was written") from None
    if not sys.stdin.isatty():
        say()  # the answer's own end of line is not seen
    if not read:
        raise ended()
    return read.strip()


def ended() -> ConfigError:
    return ConfigError("the answers ended before all was asked; nothing was written")
