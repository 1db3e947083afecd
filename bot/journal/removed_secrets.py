"""Tell the operator that a message has held a secret of the settings, which was taken out."""

import logging
from collections.abc import Callable

from bot.core.texts import logs

MAX_REMEMBERED_MESSAGES = 1_000

log = logging.getLogger(__name__)


def count_nothing() -> None:
    """Do nothing: nobody counts."""


class RemovedSecretReporter:
    """Report each message once, even if its transaction is repeated or its text is revised."""

    def __init__(self, count: Callable[[], None] = count_nothing) -> None:
        self.count = count
        self._reported: dict[str, None] = {}  # the newest messages

    def report(self, message: str, names: frozenset[str]) -> None:
        """Log whose secrets a message has held, by the names of the settings. The secrets themselves are not logged."""
        if message in self._reported:
            return
        if len(self._reported) >= MAX_REMEMBERED_MESSAGES:
            self._reported.pop(next(iter(self._reported)), None)
        self._reported[message] = None
        log.warning(logs.SECRET_REMOVED, message, ", ".join(sorted(names)))
        self.count()
