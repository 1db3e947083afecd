"""`retinue schedules`: the reminders and schedules of everybody, and what came of each. An operator can stop them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option, print_lines
from bot.cli.order_client import OrderAction, print_order_answer_and_get_status, send_or_run_order
from bot.config import Config, load
from bot.config.channel_access import accesses_of_channels
from bot.config.time_zone import resolve_time_zone
from bot.core.content_blocks import sanitize_name
from bot.core.exit_status import ExitStatus
from bot.core.phrases import first_words
from bot.core.time_zones import find_zone
from bot.journal import schedule_oversight
from bot.journal.schedule_runs import FAILURES_BEFORE_PAUSE, IS_FALSE, NOT_SEEN
from bot.store.chat_reader import query_database_file
from bot.store.schedules import Schedule, list_schedules_with_last_outcome

MAX_SHOWN_TEXT_CHARACTERS = 60
Found = Sequence[tuple[Schedule, datetime | None, str]]


@click.group(invoke_without_command=True)
@config_option
@click.pass_context
def schedules(context: click.Context, file: Path | None) -> None:
    """List the schedules of everybody; pause or delete one."""
    if context.invoked_subcommand is None:
        print_schedules(file)


@schedules.command("list")
@config_option
def list_schedules(file: Path | None) -> None:
    """List the schedules of everybody, with what came of each the last time."""
    print_schedules(file)


@schedules.command("pause")
@config_option
@click.argument("number")
def pause_schedule(file: Path | None, number: str) -> ExitStatus:
    """Pause the schedule with this NUMBER. Its person is told, and can let it go on."""
    pause = schedule_oversight.pause_for_operator
    return order_change(load(file).config, "pause schedule", number, lambda db, terms: pause(db, number, terms))


@schedules.command("delete")
@config_option
@click.argument("number")
def delete_schedule(file: Path | None, number: str) -> ExitStatus:
    """Delete the schedule with this NUMBER. Its person is told."""
    delete = schedule_oversight.delete_for_operator
    return order_change(load(file).config, "delete schedule", number, lambda db, terms: delete(db, number, terms))


def order_change(config: Config, order: str, number: str, here: OrderAction) -> ExitStatus:
    said = send_or_run_order(config.data_dir, order, here, accesses_of_channels(config), number=number)
    return print_order_answer_and_get_status(said)


def print_schedules(file: Path | None) -> None:
    config, nothing = load(file).config, list[tuple[Schedule, datetime | None, str]]()
    found = query_database_file(config.data_dir / "bot.db", list_schedules_with_last_outcome, nothing)
    print_lines(schedule_lines(found, resolve_time_zone(config.time_zone)))


def schedule_lines(found: Found, operator_zone: tzinfo) -> Iterator[str]:
    if not found:
        yield texts.NO_SCHEDULES
    for schedule, done_at, outcome in found:
        yield texts.SCHEDULE(
            number=schedule.number,
            address=schedule.address,
            name=sanitize_name(schedule.name),
            person=schedule.person,
            state=state_text(schedule, find_zone(schedule.zone) or operator_zone),
            outcome=last_outcome(schedule, done_at, outcome),
            kind=texts.SCHEDULE_KINDS["reminder" if schedule.is_reminder else "task"],
            text=first_words(schedule.text, MAX_SHOWN_TEXT_CHARACTERS),
        )


def state_text(schedule: Schedule, zone: tzinfo) -> str:
    if schedule.is_active and schedule.next_at:
        return texts.SCHEDULE_NEXT(time=schedule.next_at.astimezone(zone), zone=zone)
    return texts.SCHEDULE_FAILED if schedule.failures >= FAILURES_BEFORE_PAUSE else texts.SCHEDULE_PAUSED


def last_outcome(schedule: Schedule, done_at: datetime | None, outcome: str) -> str:
    """Return what came of the last time of a schedule. If its condition did not hold, only its own row knows."""
    if schedule.condition and schedule.last_at and (done_at is None or schedule.last_at > done_at):
        return NOT_SEEN if schedule.failed_checks else IS_FALSE
    return outcome or texts.SCHEDULE_NEVER_DUE
