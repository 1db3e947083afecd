"""Send an order to a running bot and wait for its answer. If no bot runs, do the work here under its lock."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bot.cli import texts
from bot.core.errors import ConfigError, first_bot_error
from bot.core.limits import Terms
from bot.core.settings import Settings
from bot.core.texts import operators
from bot.store import Store, folder_lock, orders
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer

PATIENCE_SECONDS = 10.0
POLL_SECONDS = 0.1


def send_order(path: Path, name: str, **arguments: str) -> OrderAnswer | None:
    """Write an order for the bot that holds this database. Return the bot's answer.

    Return None if the bot has not answered within PATIENCE_SECONDS. It will still carry out the order later.
    """
    order = orders.give_order(path, name, datetime.now(UTC), **arguments)
    until = time.monotonic() + PATIENCE_SECONDS
    while (answer := orders.read_order_answer(path, order)) is None and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    return answer


def carry_out_order(data: Path, order: str, here: Callable[[Connection], OrderAnswer], **arguments: str) -> OrderAnswer:
    """Return the running bot's answer to an order, or NOT_YET. If no bot runs, return what `here` returns.

    Raise ConfigError if the data folder cannot be used.
    """
    path = data / "bot.db"
    try:
        if folder_lock.find_lock_holder(data):
            return send_order(path, order, **arguments) or OrderAnswer(texts.NOT_YET, is_done=False)
        with folder_lock.borrow_folder(data):
            return asyncio.run(write_under_lock(path, here))
    except BaseExceptionGroup as group:
        raise first_bot_error(group) or group from None
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None


async def write_under_lock(path: Path, work: Callable[[Connection], OrderAnswer]) -> OrderAnswer:
    """Do the work in one transaction. Messages that it causes wait in the outbox until the bot starts."""
    async with Store.open(path) as store:
        return await store.write(work)


def default_terms() -> Terms:
    return Terms(settings=Settings(), now=datetime.now(UTC))
