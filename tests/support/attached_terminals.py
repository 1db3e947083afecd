"""Terminals attached to the test's bot, each in its own process."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.core.access import Access
from bot.models.demo import rules
from bot.ops.control.server import ControlServer
from bot.ops.health import retinue_version
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME, OWNER_ID
from tests.support.bench import ACCESS, Bench
from tests.support.patience import PATIENCE
from tests.support.terminals import RETINUE, Home

ALL = {**ACCESS, CHANNEL_NAME: Access(owner_id=OWNER_ID)}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.data.mkdir(parents=True)
    return home


@pytest.fixture
def bench(home: Home) -> Bench:
    return Bench(home.data)


@asynccontextmanager
async def running(bench: Bench, version: str = "", **options: Any) -> AsyncIterator[None]:
    """Run a bot as `retinue run` does: with a chat in memory, and with a control socket for terminals."""
    terminal = Terminal(title="scripted", version=version or retinue_version())
    control = ControlServer(bench.data, {"chat": terminal.serve_attached_terminal})
    async with bench.run(
        access=ALL, terminal_channel=terminal, serve_control_socket=lambda _: control.run(), **options
    ):
        yield


async def chat(home: Home, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return await asyncio.to_thread(home.chat, *words, stdin=stdin)


async def begun(home: Home, *words: str) -> asyncio.subprocess.Process:
    pipe, command = subprocess.PIPE, (str(RETINUE), "chat", *words)
    given = subprocess.DEVNULL if "-m" in words else pipe  # `-m` would add what comes from a pipe to the message
    return await asyncio.create_subprocess_exec(
        *command, cwd=home.folder, env=home.environment, stdin=given, stdout=pipe, stderr=pipe
    )


def addresses(bench: Bench) -> list[str]:
    return [address for (address,) in bench.rows("SELECT DISTINCT address FROM sessions ORDER BY rowid")]


def is_up(bot: "subprocess.Popen[str]") -> None:
    assert bot.stdin
    assert bot.stdout
    bot.stdin.write("help\n")
    assert bot.stdout.readline() == rules.ABOUT_DEMO_REPLY.splitlines(keepends=True)[0]


async def line_with(stream: asyncio.StreamReader | None, text: str) -> None:
    assert stream
    async with asyncio.timeout(PATIENCE):
        while text not in (line := (await stream.readline()).decode()):
            assert line, f"{text!r} did not come"
