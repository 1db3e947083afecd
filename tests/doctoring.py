"""A tenant of which nothing is wrong, and the doctor that looks at it."""

from dataclasses import dataclass
from typing import Any

from tests.servers.claude import ClaudeStandIn
from tests.servers.discord import DiscordStandIn
from tests.servers.telegram import TelegramStandIn
from tests.shell import Said, Shell

KEY = "sk-ant-very-secret"


@dataclass
class Outside:
    """All that a tenant asks over the network."""

    claude: ClaudeStandIn
    telegram: TelegramStandIn
    discord: DiscordStandIn

    def settings(self) -> dict[str, Any]:
        """Of a tenant of which nothing is wrong."""
        telegram = {"enabled": True, "base_url": self.telegram.base_url, "owner": 7}
        discord = {"enabled": True, "base_url": self.discord.base_url, "owner": self.discord.owner.id}
        return {"model": {"base_url": self.claude.base_url}, "channels": {"telegram": telegram, "discord": discord}}


async def doctor(shell: Shell) -> Said:
    said = await shell.retinue("doctor")
    assert said.err == ""
    assert not any(secret in said.out for secret in shell.settings.values())
    return said


def lines(said: Said, state: str) -> list[str]:
    return [line.removeprefix(state).strip() for line in said.out.splitlines() if line.startswith(state)]
