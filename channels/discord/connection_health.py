"""The channel's health: when Discord last answered a heartbeat, and which faults there are. Each change is logged."""

import asyncio
import logging

from bot.core.channel import HealthReport
from channels.discord import operator_texts

log = logging.getLogger(__name__)

AWAY = "connection"
TOKEN = "token"
LIMIT = "sign-ins"
COMMANDS = "commands"

REPAIR_LOGS = {
    AWAY: operator_texts.LOG_CONNECTION_REPAIRED,
    TOKEN: operator_texts.LOG_TOKEN_REPAIRED,
    LIMIT: operator_texts.LOG_SIGN_INS_REPAIRED,
    COMMANDS: operator_texts.LOG_COMMANDS_REPAIRED,
}


class DiscordHealth:
    def __init__(self) -> None:
        self._acknowledged_at: float | None = None  # by the loop's clock
        self._faults: dict[str, tuple[str, float]] = {}  # by name: what is wrong, and from when on it counts

    def on_heartbeat_answer(self) -> None:
        """Note that Discord answered a heartbeat."""
        self._acknowledged_at = asyncio.get_running_loop().time()

    def report_fault(self, name: str, text: str, *, after: float = 0.0) -> None:
        """Report a fault; `text` says how to fix it. It counts once it has lasted for `after` seconds. A fault that is
        there already keeps its first text, because each new text would be reported again."""
        if name not in self._faults:
            log.warning("%s", text)
            self._faults[name] = text, asyncio.get_running_loop().time() + after

    def clear_faults(self, *names: str) -> None:
        for name in names:
            if self._faults.pop(name, None):
                log.info(REPAIR_LOGS[name])

    def health(self) -> HealthReport:
        now = asyncio.get_running_loop().time()
        silent = None if self._acknowledged_at is None else now - self._acknowledged_at
        return HealthReport(
            silent_seconds=silent, fault="; ".join(text for text, at in self._faults.values() if at <= now)
        )
