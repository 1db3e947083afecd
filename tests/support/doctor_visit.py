"""A tenant without faults, and the doctor that checks it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.discord import DiscordStandIn
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.shell import Said, Shell

KEY = "sk-ant-very-secret"


@dataclass
class Outside:
    """All services that a tenant asks over the network."""

    claude: ClaudeStandIn
    telegram: TelegramStandIn
    discord: DiscordStandIn

    def settings(self) -> dict[str, Any]:
        """Return the settings of a tenant without faults."""
        telegram = {"enabled": True, "base_url": self.telegram.base_url, "owner": 7}
        discord = {"enabled": True, "base_url": self.discord.base_url, "owner": self.discord.owner.id}
        return {"model": {"base_url": self.claude.base_url}, "channels": {"telegram": telegram, "discord": discord}}


@pytest.fixture
async def outside() -> AsyncIterator[Outside]:
    async with AsyncExitStack() as stack:
        claude = await stack.enter_async_context(ClaudeStandIn())
        telegram = await stack.enter_async_context(TelegramStandIn())
        discord = await stack.enter_async_context(DiscordStandIn())
        discord.guild("Home", discord.person("Ann"))
        yield Outside(claude, telegram, discord)


@pytest.fixture
def shell(tmp_path: Path, outside: Outside) -> Shell:
    (tmp_path / "data").mkdir(mode=0o700)
    secrets = {
        "ANTHROPIC_API_KEY": outside.claude.api_key,
        "TELEGRAM_BOT_TOKEN": outside.telegram.token,
        "DISCORD_BOT_TOKEN": outside.discord.token,
    }
    shell = Shell(tmp_path, secrets)
    shell.config(**outside.settings())
    return shell


async def doctor(shell: Shell) -> Said:
    said = await shell.retinue("doctor")
    assert said.err == ""
    assert not any(secret in said.out for secret in shell.settings.values())
    return said


def lines(said: Said, state: str) -> list[str]:
    return [line.removeprefix(state).strip() for line in said.out.splitlines() if line.startswith(state)]
