"""Three tenants as an operator makes them, each with stand-ins of its own: on Telegram, on Discord, and on both."""

import asyncio
import json
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bot.tenants.targets.compose import project
from bot.tenants.tenant import Tenant, read
from tests.containers.engine import Engine
from tests.containers.relay import relayed
from tests.servers.claude import ClaudeStandIn
from tests.servers.discord import DiscordStandIn
from tests.servers.telegram import TelegramStandIn

OWNER = 7  # on Telegram
KINDS = {"acorn": ("telegram",), "birch": ("discord",), "cedar": ("telegram", "discord")}
START_SECONDS = 60.0


@dataclass
class Deployed:
    """A tenant that runs in a container, and whom it speaks with."""

    engine: Engine
    tenant: Tenant
    claude: ClaudeStandIn
    telegram: TelegramStandIn | None = None
    discord: DiscordStandIn | None = None
    asked: int = 0
    canaries: list[str] = field(default_factory=list)  # what nobody else may ever read

    @property
    def container(self) -> str:
        return f"{project(self.tenant)}-bot-1"

    async def compose(self, *words: str) -> str:
        folder = self.tenant.folder
        command = ["docker-compose", "--project-directory", str(folder), "-f", str(folder / "compose.yaml"), *words]
        return await asyncio.to_thread(self.engine.done, command)

    async def inside(self, *words: str, stdin: str = "") -> str:
        """What a command prints that runs beside the bot."""
        command = ["podman", "--url", self.engine.variables["DOCKER_HOST"], "exec", "-i", self.container, *words]
        return await asyncio.to_thread(partial(self.engine.done, command, stdin=stdin))

    async def inspected(self) -> dict[str, Any]:
        command = ["podman", "--url", self.engine.variables["DOCKER_HOST"], "inspect", self.container]
        found: dict[str, Any] = json.loads(await asyncio.to_thread(self.engine.done, command))[0]
        return found

    async def answers(self, on: str, *, within: float = START_SECONDS) -> float:
        """Its owner writes, and is answered; in how many seconds."""
        self.asked += 1
        began, text = time.monotonic(), f"{self.tenant.name} asks {self.asked}"
        said = self.on_telegram(text) if on == "telegram" else self.on_discord(text)
        try:
            async with asyncio.timeout(within):
                while not any(text in each for each in said()):  # noqa: ASYNC110 -- a platform wakes nobody
                    await asyncio.sleep(0.01)
        except TimeoutError:
            log = await self.compose("logs", "--tail", "20")
            raise AssertionError(f"{self.tenant.name} has not answered {text!r}: {said()}, {log}") from None
        return time.monotonic() - began

    def on_telegram(self, text: str) -> Callable[[], Sequence[str]]:
        assert self.telegram
        owner = self.telegram.person(OWNER, "Owner")
        room = self.telegram.private(owner)
        room.say(owner, text)
        return lambda: [message.text for message in room.answers()]

    def on_discord(self, text: str) -> Callable[[], Sequence[str]]:
        assert self.discord
        discord, private = self.discord, self.discord.owner.private()
        discord.owner.say(private, text)
        return lambda: [message.text for message in discord.said(private)]


@asynccontextmanager
async def deployed(engine: Engine, image: str, root: Path, name: str) -> AsyncIterator[Deployed]:
    """The tenant, made by scripts/add-tenant and not yet started; taken down when left."""
    number = 1_000_000 + list(KINDS).index(name)
    secrets = {"model__api_key": f"sk-ant-key-of-{name}"}
    values: dict[str, Any] = {"channels": {}}
    async with AsyncExitStack() as stack:
        ports = list[int]()
        claude = await stack.enter_async_context(ClaudeStandIn(api_key=secrets["model__api_key"]))
        ports.append(claude.port)
        values["model"] = {"base_url": address(claude.base_url, engine)}
        telegram = discord = None
        if "telegram" in KINDS[name]:
            token = secrets["channels__telegram__token"] = f"{number}:token-of-{name}"
            telegram = await stack.enter_async_context(TelegramStandIn(token=token))
            ports.append(telegram.port)
            settings = {"enabled": True, "owner": OWNER, "base_url": address(telegram.base_url, engine)}
            values["channels"]["telegram"] = settings
        if "discord" in KINDS[name]:
            first = urlsafe_b64encode(str(number).encode()).decode().rstrip("=")
            token = secrets["channels__discord__token"] = f"{first}.token-of.{name}-discord"
            discord = await stack.enter_async_context(DiscordStandIn(token=token))
            discord.limits.off()
            discord.guild("Home", discord.owner)
            ports.append(discord.port)
            values["channels"]["discord"] = {
                "enabled": True,
                "owner": discord.owner.id,
                "base_url": address(discord.base_url, engine),
                "gateway_url": address(discord.gateway_url, engine),
            }
        for port in ports:
            await stack.enter_async_context(relayed(engine.cell.address, port))
        await add(engine, image, root, name, values, secrets)
        there = Deployed(engine, read(root / name), claude, telegram, discord, canaries=list(secrets.values()))
        note = f"note-of-{name}-for-itself-alone"
        there.canaries.append(note)
        (there.tenant.folder / "workspace" / "note.txt").write_text(note)
        try:
            yield there
        finally:
            await there.compose("down", "--timeout", "1")


def address(url: str, engine: Engine) -> str:
    return url.replace("127.0.0.1", engine.cell.address)


async def add(
    engine: Engine, image: str, root: Path, name: str, values: dict[str, Any], secrets: dict[str, str]
) -> None:
    config = root.parent / f"{name}.json"
    config.write_text(json.dumps(values))
    command = [sys.executable, "-m", "bot.cli.tenants", "add-tenant", name, "--root", str(root), "--image", image]
    command += ["--config", str(config), "--secrets", "-"]
    await asyncio.to_thread(partial(engine.done, command, stdin=json.dumps(secrets)))


@asynccontextmanager
async def three(engine: Engine, image: str, root: Path) -> AsyncIterator[dict[str, Deployed]]:
    async with AsyncExitStack() as stack:
        yield {name: await stack.enter_async_context(deployed(engine, image, root, name)) for name in KINDS}


