"""`retinue run` as a service manager runs it: in its own process, with platforms and model over sockets."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli import texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.discord import DiscordStandIn
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.patience import PATIENCE
from tests.support.shell import Shell

OWNER = 7  # on Telegram
UP = texts.ANSWERING(channels="telegram and discord")


@dataclass
class Service:
    """A tenant on both platforms, and all services that it uses."""

    shell: Shell
    claude: ClaudeStandIn
    telegram: TelegramStandIn
    discord: DiscordStandIn

    @asynccontextmanager
    async def run(self, *words: str, up: str = UP) -> AsyncIterator[asyncio.subprocess.Process]:
        """Run the bot, and wait until it says in one line, `up`, that it is up."""
        async with self.shell.begun("run", *words) as process, asyncio.timeout(2 * PATIENCE):
            assert process.stderr
            assert (await process.stderr.readline()).startswith(b"config: ")
            assert (await process.stderr.readline()).decode() == f"{up}\n"
            yield process

    async def stopped(self, process: asyncio.subprocess.Process, *signals: signal.Signals) -> tuple[int | None, str]:
        """Send the signals. Return the exit status, and what the process still said on stderr."""
        for number in signals:
            process.send_signal(number)
        _, errors = await process.communicate()
        return process.returncode, errors.decode()


@asynccontextmanager
async def served(
    folder: Path, *, discord_settings: dict[str, Any] | None = None, **settings: Any
) -> AsyncIterator[Service]:
    """Yield a tenant in this folder. Its config.json also has these settings, and some for Discord."""
    async with AsyncExitStack() as stack:
        claude = await stack.enter_async_context(ClaudeStandIn())
        telegram = await stack.enter_async_context(TelegramStandIn())
        discord = await stack.enter_async_context(DiscordStandIn())
        discord.limits.off()
        discord.guild("Home", discord.owner)
        secrets = {
            "ANTHROPIC_API_KEY": claude.api_key,
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "DISCORD_BOT_TOKEN": discord.token,
        }
        shell = Shell(folder, secrets)
        shell.config(
            **settings,
            model={"base_url": claude.base_url},
            channels={
                "telegram": {"enabled": True, "base_url": telegram.base_url, "owner": OWNER},
                "discord": {
                    "enabled": True,
                    "base_url": discord.base_url,
                    "gateway_url": discord.gateway_url,
                    "owner": discord.owner.id,
                    **(discord_settings or {}),
                },
            },
        )
        yield Service(shell, claude, telegram, discord)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with served(tmp_path) as there:
        yield there
