"""`retinue sessions`: list the conversations, and show, export or delete one."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bot.cli.options import config_option
from bot.cli.sessions import texts
from bot.core.exit_status import ExitStatus
from bot.core.printable import escape_unprintable

ID_CONTEXT = {"ignore_unknown_options": True}  # the id of a chat may begin like an option: -1001234#4


def rows_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --config and --demo, which say where the rows are. They may stand before or after the subcommand."""
    demo = click.option("--demo", "is_demo", is_flag=True, help="Of the conversations with the demo.")
    return config_option(demo(click.pass_context(function)))


@click.group(invoke_without_command=True)
@rows_options
def command(context: click.Context, file: Path | None, is_demo: bool) -> int | None:
    """List the conversations; show, export or delete one."""
    context.obj = (file, is_demo)
    return context.invoke(list_conversations, limit=20) if context.invoked_subcommand is None else None


@command.command("list")
@rows_options
@click.option("--limit", metavar="N", type=click.IntRange(min=0), default=20, help="How many (20); 0 is all.")
def list_conversations(context: click.Context, file: Path | None, is_demo: bool, limit: int) -> None:
    """List the conversations, those last spoken in first."""
    from bot.cli.sessions import session_store  # here: the store is slow to import

    print_session_lines(session_store.list_sessions(choose_rows_folder(context, file, is_demo), limit))


@command.command(context_settings=ID_CONTEXT)
@rows_options
@click.argument("id")
@click.option("--transcript", "is_whole", is_flag=True, help="Show every word of it too.")
def show(context: click.Context, file: Path | None, is_demo: bool, id: str, is_whole: bool) -> None:
    """Show who worked for a conversation or a turn, how long, at what cost.

    ID is a conversation's, or a turn's as this command shows it (t7, or a delegation's t7/2/0). A part will do that no
    other has, as 3 for terminal:local#3.
    """
    from bot.cli.sessions import session_store

    print_session_lines(session_store.show_session(choose_rows_folder(context, file, is_demo), id, is_whole=is_whole))


@command.command(context_settings=ID_CONTEXT)
@rows_options
@click.argument("id")
@click.option("--json", "is_json", is_flag=True, help="As JSON, nothing left out; else as Markdown, for people.")
def export(context: click.Context, file: Path | None, is_demo: bool, id: str, is_json: bool) -> None:
    """Print a whole conversation with all its delegations."""
    from bot.cli.sessions import session_store

    where = choose_rows_folder(context, file, is_demo)
    click.echo(
        session_store.export_session_json(where, id) if is_json else session_store.session_as_markdown(where, id)
    )


@command.command(context_settings=ID_CONTEXT)
@rows_options
@click.argument("id")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def delete(context: click.Context, file: Path | None, is_demo: bool, id: str, is_sure: bool) -> ExitStatus:
    """Delete a conversation with all its delegations, for good."""
    from bot.cli.sessions import session_store

    where = choose_rows_folder(context, file, is_demo)
    session, line = session_store.describe_session(where, id)
    if not is_sure:
        if not sys.stdin.isatty():
            raise click.UsageError(texts.NOBODY_TO_ASK)
        if not click.confirm(texts.DELETE_FOR_GOOD(conversation=line)):
            click.echo(texts.NOTHING_DELETED, err=True)
            return ExitStatus.NOT_DONE
    said = session_store.delete_session(where, session)
    click.echo(escape_unprintable(said.text), err=not said.is_done)
    return ExitStatus.DONE if said.is_done else ExitStatus.NOT_DONE


def print_session_lines(lines: list[str]) -> None:
    click.echo("\n".join(lines))


def choose_rows_folder(context: click.Context, file: Path | None, is_demo: bool) -> Path:
    """The folder of the rows. Where there are none but the demo's, those."""
    from bot.cli.sessions import session_store
    from bot.config import load

    given, was_demo = context.obj or (None, False)
    folder, is_of_demo = session_store.rows_folder(load(file or given).config.data_dir, is_demo=is_demo or was_demo)
    if is_of_demo and not (is_demo or was_demo):
        click.echo(texts.THOSE_WITH_THE_DEMO, err=True)
    return folder
