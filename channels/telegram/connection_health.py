"""The health of the connection to Telegram. Each change is logged once, and `health` reports the current state."""

import logging
import time
from collections.abc import Callable

from bot.core.channel import HealthReport
from channels.telegram import operator_texts

MOST_CONFLICTS = 3

log = logging.getLogger(__name__)


class TelegramHealth:
    """Health of one connection. Three conflicts with another poller within `memory` seconds are a fault. A single
    conflict is not: after a restart the bot may meet the last poll of its previous run."""

    def __init__(self, memory: float, now: Callable[[], float] = time.monotonic) -> None:
        self.memory = memory
        self.now = now
        self._answered_at: float | None = None
        self._fault = ""
        self._conflicts: list[float] = []
        self._is_out_of_contact = False

    def health(self) -> HealthReport:
        silent = None if self._answered_at is None else self.now() - self._answered_at
        return HealthReport(silent_seconds=silent, fault=self._fault)

    def on_answer(self) -> None:
        """Note that Telegram has answered a poll."""
        self._answered_at = self.now()
        if self._is_out_of_contact:
            log.warning(operator_texts.LOG_CONTACT_AGAIN)
        self._is_out_of_contact = False
        if not self.recent_conflicts():
            self.set_fault("")

    def on_contact_lost(self, why: str) -> None:
        if not self._is_out_of_contact:
            log.warning(operator_texts.LOG_CONTACT_LOST, why)
        self._is_out_of_contact = True

    def on_rival(self, words: str) -> None:
        """Note that another program receives the bot's messages."""
        if "webhook" in words.lower():
            self.set_fault(operator_texts.WEBHOOK)
            return
        self._conflicts.append(self.now())
        if len(self.recent_conflicts()) >= MOST_CONFLICTS:
            self.set_fault(operator_texts.SECOND_POLLER)

    def recent_conflicts(self) -> list[float]:
        self._conflicts = [at for at in self._conflicts if self.now() - at < self.memory]
        return self._conflicts

    def set_fault(self, fault: str) -> None:
        if fault and fault != self._fault:
            log.error(operator_texts.LOG_FAULT, fault)
        elif self._fault and not fault:
            log.warning(operator_texts.LOG_FAULT_REPAIRED)
        self._fault = fault
