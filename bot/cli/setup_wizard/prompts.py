"""Ask the person at the terminal, or read the answers from a pipe, one on each line."""

import select
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bot.cli.setup_wizard import texts
from bot.core.errors import ConfigError
from bot.core.program_names import retinue_command

MAX_PASTE_GAP_SECONDS = 0.2  # between two lines of one paste
MAX_PERSON_ID = 2**63
YES_WORDS, NO_WORDS = ("y", "yes"), ("n", "no")


def ask_line(question: str) -> str:
    """Ask and return one answer. Raise ConfigError if the input has ended."""
    click.echo(f"{question} ", nl=False)
    return read_answer()


def ask_secret(question: str) -> str:
    """Ask for a secret, unseen in a terminal. Return all lines of a paste: people may paste lines around the secret."""
    if not sys.stdin.isatty():
        return ask_line(question)
    with hide_typing():
        click.echo(f"{question} ", nl=False)
        lines = [read_answer()]
        while select.select([sys.stdin], [], [], MAX_PASTE_GAP_SECONDS)[0] and (more := sys.stdin.readline()):
            lines.append(more.strip())
    click.echo()  # the terminal did not show the answer's line end
    return "\n".join(lines).strip()


@contextmanager
def print_checking_and_hide_typing() -> Iterator[None]:
    """Say that an answer is being checked, and hide what is typed until the block ends."""
    with hide_typing():
        click.echo(texts.CHECKING)
        yield


def print_answer_not_checked(error: OSError) -> None:
    doctor, why = retinue_command("doctor"), str(error)
    click.echo(texts.NOT_CHECKED(reason=why, command=doctor) if why else texts.NOT_CHECKED_NO_ANSWER(command=doctor))


@contextmanager
def hide_typing() -> Iterator[None]:
    """Hide what is typed or pasted until the block ends. Drop what was typed before, and what is unread at the end."""
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
    shown = texts.USUALLY_YES(question=question) if usual else texts.USUALLY_NO(question=question)
    while said := ask_line(shown).casefold():
        if said in YES_WORDS or said in NO_WORDS:
            return said in YES_WORDS
        click.echo(texts.YES_OR_NO)
    return usual


def ask_person_id(question: str) -> int | None:
    """Ask until the answer is a positive number, because platforms' ids are. Return None if the answer is empty."""
    while said := ask_line(question):
        if said.isascii() and said.isdigit() and 0 < int(said) < MAX_PERSON_ID:
            return int(said)
        click.echo(texts.NO_NUMERIC_ID)
    return None


def read_answer() -> str:
    sys.stdout.flush()
    try:
        read = sys.stdin.readline()
    except UnicodeDecodeError:
        raise ConfigError(texts.NOT_UTF8) from None
    if not sys.stdin.isatty():
        click.echo()  # an answer from a pipe shows no line end
    if not read:
        raise ConfigError(texts.ANSWERS_ENDED)
    return read.strip()
