"""`retinue sessions`: list the conversations, show, export or delete one, show what the model was asked, and try a
turn again.

It reads the rows directly, whether or not a bot runs. If a bot runs, that bot deletes. Only a running bot tries again.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bot.cli.options import config_option, inherit_option_value, print_lines
from bot.cli.order_client import print_order_answer_and_get_status
from bot.cli.sessions import request_reader, session_reader, texts
from bot.config import load
from bot.config.paths import DEMO_FOLDER_NAME
from bot.core.exit_status import ExitStatus
from bot.ops.folder_holder import os_error_as_config_error

demo_option = click.option(
    "--demo", "is_demo", is_flag=True, callback=inherit_option_value, help="Of the conversations with the demo."
)


def session_id_command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for a subcommand that takes an id. The id may look like an option, as -1001234#4 does."""
    make = sessions.command(name, context_settings={"ignore_unknown_options": True})
    return lambda function: make(config_option(demo_option(click.argument("id")(function))))


@click.group(invoke_without_command=True)
@config_option
@demo_option
@click.pass_context
def sessions(context: click.Context, file: Path | None, is_demo: bool) -> None:
    """List the conversations; show, export or delete one."""
    if context.invoked_subcommand is None:
        context.forward(list_conversations)


@sessions.command("list")
@config_option
@demo_option
@click.option("--limit", metavar="N", type=click.IntRange(min=0), default=20, help="How many (20); 0 is all.")
def list_conversations(file: Path | None, is_demo: bool, limit: int) -> None:
    """List the conversations, those last spoken in first."""
    print_lines(session_reader.session_list_lines(choose_database_folder(file, is_demo=is_demo), limit))


@session_id_command("show")
@click.option("--transcript", "is_whole", is_flag=True, help="Show every word of it too.")
def show_session_or_turn(file: Path | None, is_demo: bool, id: str, is_whole: bool) -> None:
    """Show who worked for a conversation or a turn, how long, at what cost.

    ID is the id of a conversation, or of a turn as this command shows it: t7, or t7/2/0 for a delegation. A part is
    enough if no other id has it: 3 for terminal:local#3.
    """
    where = choose_database_folder(file, is_demo=is_demo)
    click.echo("\n".join(session_reader.session_or_turn_lines(where, id, is_whole=is_whole)))


@session_id_command("export")
@click.option("--json", "is_json", is_flag=True, help="As JSON, nothing left out; else as Markdown, for people.")
def export_session(file: Path | None, is_demo: bool, id: str, is_json: bool) -> None:
    """Print a whole conversation with all its delegations."""
    as_text = session_reader.session_as_json_text if is_json else session_reader.session_as_markdown
    click.echo(as_text(choose_database_folder(file, is_demo=is_demo), id))


@session_id_command("requests")
@click.option("--json", "is_json", is_flag=True, help="As JSON, each with all that was sent.")
def show_requests(file: Path | None, is_demo: bool, id: str, is_json: bool) -> None:
    """Build what the model was asked in a turn again, and say whether that is what was sent.

    ID is the id of a turn: t7, or t7/2/0 for a delegation.
    """
    where = choose_database_folder(file, is_demo=is_demo)
    if is_json:
        click.echo(request_reader.requests_as_json_text(where, id))
    else:
        print_lines(request_reader.request_list_lines(where, id))


@session_id_command("again")
@click.option("--model", metavar="MODEL", default="", help="The model; else the one that the lead has now.")
@click.option("--words", metavar="TEXT", default="", help="What to ask; else what was asked then.")
def try_again(file: Path | None, is_demo: bool, id: str, model: str, words: str) -> None:
    """Try a turn of the lead again, in a conversation of your own.

    It begins with what the lead had read before that turn. The bot must be running.
    """
    where = choose_database_folder(file, is_demo=is_demo)
    click.echo(request_reader.try_turn_again(where, id, model=model, words=words))


@session_id_command("delete")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def delete_session(file: Path | None, is_demo: bool, id: str, is_sure: bool) -> ExitStatus:
    """Delete a conversation with all its delegations, for good."""
    where = choose_database_folder(file, is_demo=is_demo)
    session, line = session_reader.find_and_describe_session(where, id)
    if not is_sure:
        if not sys.stdin.isatty():
            raise click.UsageError(texts.NOBODY_TO_ASK)
        if not click.confirm(texts.DELETE_FOR_GOOD(conversation=line)):
            click.echo(texts.NOTHING_DELETED, err=True)
            return ExitStatus.NOT_DONE
    return print_order_answer_and_get_status(session_reader.send_or_run_delete_order(where, session))


def choose_database_folder(file: Path | None, *, is_demo: bool) -> Path:
    """Return the rows' folder: the demo's if `is_demo`, or if only it has rows. Raise ConfigError if none is usable."""
    data = load(file).config.data_dir
    with os_error_as_config_error(data):
        has_only_demo = (data / DEMO_FOLDER_NAME / "bot.db").exists() and not (data / "bot.db").exists()
    if has_only_demo and not is_demo:
        click.echo(texts.THOSE_WITH_THE_DEMO, err=True)
    return data / DEMO_FOLDER_NAME if has_only_demo or is_demo else data
