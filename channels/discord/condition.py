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
    def __init__(self) -> None:
        self._acknowledged_at: float | None = None  # by the loop's clock
        self._faults: dict[str, str] = {}

    def acknowledged(self) -> None:
        """A heartbeat was answered."""
        self._acknowledged_at = asyncio.get_running_loop().time()

    def fault(self, name: str, text: str) -> None:
        """Something is wrong; the text says how to mend it."""
        if self._faults.get(name) is None:
            log.warning("%s", text)
        self._faults[name] = text

    def mended(self, *names: str) -> None:
        for name in names:
            if self._faults.pop(name, None):
                log.info("Discord: the trouble with the %s is over", name)

    def health(self) -> Health:
        silent = None
        if self._acknowledged_at is not None:
            silent = asyncio.get_running_loop().time() - self._acknowledged_at
        return Health(silent_seconds=silent, fault="; ".join(self._faults.values()))
