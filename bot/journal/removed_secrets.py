"""Tell the operator that a secret of the settings was about to be sent, and was kept back."""

import logging
from collections.abc import Callable

from bot.core.texts import logs

MAX_REMEMBERED_PLACES = 1_000

log = logging.getLogger(__name__)


def count_nothing() -> None:
    """Do nothing: nobody counts."""


class RemovedSecretReporter:
    """Report each message or file once, even if its transaction is repeated or its text is revised."""

    def __init__(self, count: Callable[[], None] = count_nothing) -> None:
        self.count = count
        self._reported: dict[str, None] = {}  # the newest messages and files

    def report(self, place: str, names: frozenset[str]) -> None:
        """Log whose secrets were kept back, by the names of the settings. The secrets themselves are not logged.
        `place` is the id of the message."""
        if place in self._reported:
            return
        if len(self._reported) >= MAX_REMEMBERED_PLACES:
            self._reported.pop(next(iter(self._reported)), None)
        self._reported[place] = None
        log.warning(logs.SECRET_KEPT_BACK, ", ".join(sorted(names)), place)
        self.count()
