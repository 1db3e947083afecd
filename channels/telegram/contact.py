"""How the connection to Telegram is doing: told to the log once per change, and to whoever asks."""

import logging
import time
from collections.abc import Callable

from bot.channel import Health
from channels.telegram.errors import TOKEN_REFUSED

MOST_CONFLICTS = 3
SECOND_POLLER = (
    "another program asks Telegram for this bot's messages: stop it, or give each a bot of its own"
    " (@BotFather, /newbot)"
)
WEBHOOK = (
    "Telegram sends this bot's messages to a webhook: take it away by opening"
    " https://api.telegram.org/bot<token>/deleteWebhook once"
)

log = logging.getLogger(__name__)


class Contact:
    """`memory`: three conflicts with another poller within so many seconds are a fault. A bot that was started again
    may meet the last poll of the one before it, and that is none."""

    def __init__(self, memory: float, now: Callable[[], float] = time.monotonic) -> None:
        self.memory = memory
        self.now = now
        self._answered: float | None = None
        self._fault = ""
        self._conflicts: list[float] = []
        self._is_lost = False

    def health(self) -> Health:
        silent = None if self._answered is None else self.now() - self._answered
        return Health(silent_seconds=silent, fault=self._fault)

    def is_good(self) -> None:
        """Telegram has answered a poll."""
        self._answered = self.now()
        if self._is_lost:
            log.warning("Telegram answers again")
        self._is_lost = False
        if not self.recent_conflicts():
            self.has_fault("")

    def is_lost(self, why: str) -> None:
        if not self._is_lost:
            log.warning("no contact with Telegram, trying again: %s", why)
        self._is_lost = True

    def has_refused_token(self) -> None:
        self.has_fault(TOKEN_REFUSED)

    def has_rival(self, words: str) -> None:
        """Somebody else gets the bot's messages."""
        if "webhook" in words.lower():
            self.has_fault(WEBHOOK)
            return
        self._conflicts.append(self.now())
        if len(self.recent_conflicts()) >= MOST_CONFLICTS:
            self.has_fault(SECOND_POLLER)

    def recent_conflicts(self) -> list[float]:
        self._conflicts = [at for at in self._conflicts if self.now() - at < self.memory]
        return self._conflicts

    def has_fault(self, fault: str) -> None:
        if fault != self._fault:
            log.log(logging.ERROR if fault else logging.WARNING, "Telegram: %s", fault or "the fault is mended")
        self._fault = fault
