"""Give orders to a running bot. If none runs, carry them out here, under the folder's lock (except `retinue stop`)."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option, run_in_event_loop
from bot.config import load
from bot.core.access import AccessByChannel
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.limits import DecisionTerms
from bot.core.settings import Settings
from bot.core.texts import escape_unprintable
from bot.ops.folder_holder import find_folder_of_running_bot, os_error_as_config_error
from bot.store import Store, folder_lock, orders
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer

ORDER_TIMEOUT_SECONDS = 10.0
POLL_SECONDS = 0.1
NO_ACCESS: AccessByChannel = {}

OrderAction = Callable[[Connection, DecisionTerms], OrderAnswer]


@click.command()
@config_option
def stop(file: Path | None) -> None:
    """Stop every turn at work. The bot itself keeps running."""
    data = load(file).config.data_dir
    with os_error_as_config_error(data):
        folder = find_folder_of_running_bot(data)
    if folder is None:
        raise ConfigError(texts.NO_BOT_RUNS(folder=data))
    answer = write_order_and_wait(folder / "bot.db", "stop")
    click.echo(answer.text if answer else texts.NOT_YET_STOPPED)
    click.echo(texts.BOT_KEEPS_RUNNING, err=True)  # not on stdout, which scripts read


def write_order_and_wait(path: Path, name: str, **arguments: str) -> OrderAnswer | None:
    """Write an order for the bot that holds this database. Return the bot's answer. Return None if the bot has not
    answered within ORDER_TIMEOUT_SECONDS: it may still carry out the order later."""
    order = orders.write_order(path, name, datetime.now(UTC), **arguments)
    until = time.monotonic() + ORDER_TIMEOUT_SECONDS
    while (answer := orders.read_order_answer(path, order)) is None and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    return answer


def send_or_run_order(
    data: Path, order: str, here: OrderAction, accesses: AccessByChannel = NO_ACCESS, **arguments: str
) -> OrderAnswer:
    """Return the running bot's answer to an order, or NOT_YET if it has not answered. If no bot runs, return what
    `here` returns; `accesses` say then who the owner is and who may speak. Raise ConfigError if the data folder cannot
    be used."""
    path = data / "bot.db"
    with os_error_as_config_error(data):
        if folder_lock.find_lock_holder(data):
            return write_order_and_wait(path, order, **arguments) or OrderAnswer(texts.NOT_YET, is_done=False)
        with folder_lock.lock_data_folder_without_trace(data):
            return run_in_event_loop(run_order_in_transaction(path, here, accesses))


async def run_order_in_transaction(path: Path, work: OrderAction, accesses: AccessByChannel) -> OrderAnswer:
    """Do the work in one transaction. Messages that it causes wait in the outbox until the bot starts."""
    async with Store.open(path) as store:
        answer = await store.write(lambda db: work(db, terms_with_default_settings(accesses)))
        with suppress(OSError):  # the bot tries again when it starts
            await store.rewrite_file_if_needed()
        return answer


def terms_with_default_settings(accesses: AccessByChannel = NO_ACCESS) -> DecisionTerms:
    return DecisionTerms(settings=Settings(), now=datetime.now(UTC), access_by_channel=accesses)


def print_order_answer_and_get_status(answer: OrderAnswer) -> ExitStatus:
    click.echo(escape_unprintable(answer.text), err=not answer.is_done)
    return ExitStatus.DONE if answer.is_done else ExitStatus.NOT_DONE
