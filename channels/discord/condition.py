"""How the channel is doing: when Discord last showed that it is there, and what is wrong. Each change is logged."""

import asyncio
import logging

from bot.channel import Health

log = logging.getLogger(__name__)

AWAY = "connection"
TOKEN = "token"
LIMIT = "sign-ins"
COMMANDS = "commands"

NEW_TOKEN = (
    "Discord refuses the bot's token (channels.discord.token): open https://discord.com/developers/applications, "
    "choose the application, then Bot, Reset Token, and put the new token in its place"
)
NO_INTENT = (
    "Discord does not let the bot read messages: open https://discord.com/developers/applications, choose the "
    "application, then Bot, and switch on Message Content Intent under Privileged Gateway Intents"
)


class Condition:
    """`away_seconds`: without a connection for less than that is no fault, since it is mended without a hand."""

    def __init__(self, away_seconds: float) -> None:
        self.away_seconds = away_seconds
        self._acknowledged_at: float | None = None  # by the loop's clock
        self._away_since = 0.0  # by the loop's clock
        self._faults: dict[str, str] = {}

    def acknowledged(self) -> None:
        """A heartbeat was answered."""
        self._acknowledged_at = asyncio.get_running_loop().time()

    def fault(self, name: str, text: str) -> None:
        """Something is wrong; the text says how to mend it."""
        if self._faults.get(name) is None:
            log.warning("%s", text)
            if name == AWAY:
                self._away_since = asyncio.get_running_loop().time()
        self._faults[name] = text

    def mended(self, *names: str) -> None:
        for name in names:
            if self._faults.pop(name, None):
                log.info("Discord: the trouble with the %s is over", name)

    def health(self) -> Health:
        now = asyncio.get_running_loop().time()
        silent = None if self._acknowledged_at is None else now - self._acknowledged_at
        is_brief = now - self._away_since < self.away_seconds
        faults = (text for name, text in self._faults.items() if not (name == AWAY and is_brief))
        return Health(silent_seconds=silent, fault="; ".join(faults))
