"""What commands share: options, errors, and functions that print lines and findings."""

import asyncio
from collections.abc import Coroutine, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from bot.core.errors import first_bot_error
from bot.core.exit_status import ExitStatus
from bot.core.findings import CheckFinding, CheckState
from bot.core.texts import escape_unprintable

ReturnType = TypeVar("ReturnType")


class CommandError(click.ClickException):
    """A command could not do what it was asked to do. The exit status is 1."""

    def __init__(self, text: str) -> None:
        super().__init__(escape_unprintable(text))


def inherit_option_value(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Return the option's value. If it is not set here, return the value that is set before the subcommand."""
    return value or (context.parent and context.parent.params.get(option.name or "")) or value


config_option = click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, readable=False),  # our own error reports an unreadable file
    callback=inherit_option_value,
    metavar="FILE",
    help="The config file; else $RETINUE_CONFIG, config.json in the user's config folder or here, or defaults.",
)


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(escape_unprintable(line))


def print_findings_and_get_status(findings: Iterable[CheckFinding]) -> ExitStatus:
    """Print each finding as soon as it is found. Return the exit status: NOT_DONE if anything is wrong."""
    status = ExitStatus.DONE
    for finding in findings:
        click.echo(escape_unprintable(str(finding)))
        if finding.state is CheckState.WRONG:
            status = ExitStatus.NOT_DONE
    return status


def run_in_event_loop(work: Coroutine[Any, Any, ReturnType]) -> ReturnType:
    """Do as `asyncio.run` does, but raise the bot's own error instead of the exception group around it."""
    try:
        return asyncio.run(work)
    except BaseExceptionGroup as group:
        raise first_bot_error(group) or group from None


def format_local_minute(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
