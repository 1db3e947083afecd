"""Ask something of a running bot, and wait for what it says."""

import time
from datetime import UTC, datetime
from pathlib import Path

from bot.store import orders

PATIENCE_SECONDS = 10.0
LOOK_SECONDS = 0.1


def ask(path: Path, name: str, **arguments: str) -> str | None:
    """What the bot that holds this file says to an order; None if it has not said anything yet: it will obey later."""
    order = orders.give(path, name, datetime.now(UTC), **arguments)
    until = time.monotonic() + PATIENCE_SECONDS
    while (answer := orders.answer(path, order)) is None and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    return answer
