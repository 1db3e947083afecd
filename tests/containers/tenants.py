"""Three tenants as an operator makes them, each with stand-ins of its own: on Telegram, on Discord, and on both."""

import asyncio
import json
import re
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.tenants.targets.compose import compose_project_name
from bot.tenants.tenant import Tenant, read_tenant_record
from tests.containers.engine import TRIES, Engine
from tests.containers.relay import relayed
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.discord import DiscordStandIn, Person
from tests.stand_ins.telegram import TelegramStandIn

OWNER = 7  # on Telegram
KINDS = {"acorn": ("telegram",), "birch": ("discord",), "cedar": ("telegram", "discord")}
CROWD = 20  # people who may talk to each, its owner the first: each platform has a pace for every chat
START_SECONDS = 60.0
LOOK_SECONDS = 0.005
AT_END = "all-was-printed"
LAST = 5  # messages of a chat, among which an answer is looked for


@dataclass
class Deployed:
    """A tenant that runs in a container, and the people that it speaks with."""

    engine: Engine
    tenant: Tenant
    claude: ClaudeStandIn
    telegram: TelegramStandIn | None = None
    discord: DiscordStandIn | None = None
    people: list[Person] = field(default_factory=list)  # on Discord, the owner first; on Telegram their place counts
    asked: int = 0
    canaries: list[str] = field(default_factory=list)  # what nobody else may ever read

    @property
    def container(self) -> str:
        return f"{compose_project_name(self.tenant)}-bot-1"

    async def start(self, *words: str) -> None:
        """It runs, and would hear of a first message ever, which Discord tells only to a bot that is signed in."""
        await self.compose(*(words or ("up", "--detach")))
        if self.discord:
            gateway = self.discord.gateway
            await self.discord.until(lambda: any(each.session for each in gateway.connections), START_SECONDS)

    async def compose(self, *words: str) -> str:
        folder = self.tenant.folder
        command = ["docker-compose", "--project-directory", str(folder), "-f", str(folder / "compose.yaml"), *words]
        return await asyncio.to_thread(self.engine.done, command)

    async def inside(self, *words: str) -> str:
        """What a command prints that runs beside the bot. Over a socket, a busy podman sometimes loses all of it; then
        the command, which must bear that, runs again."""
        url = ["--url", self.engine.variables["DOCKER_HOST"]]
        command = ["podman", *url, "exec", self.container, "sh", "-c", f'"$@" && echo {AT_END}', "sh", *words]
        for _ in range(TRIES):
            printed, end, _ = (await asyncio.to_thread(self.engine.done, command)).rpartition(AT_END)
            if end:
                return printed
        raise AssertionError(f"podman lost what {words} printed, {TRIES} times")

    async def inspected(self) -> dict[str, Any]:
        command = ["podman", "--url", self.engine.variables["DOCKER_HOST"], "inspect", self.container]
        found: dict[str, Any] = json.loads(await asyncio.to_thread(self.engine.done, command))[0]
        return found

    async def answers(self, on: str, person: int = 0, *, within: float = START_SECONDS) -> float:
        """Somebody writes, its owner or another, and is answered; in how many seconds."""
        self.asked += 1
        began, text = time.monotonic(), f"{self.tenant.name} asks {self.asked}."
        said = self.on_telegram(text, person) if on == "telegram" else self.on_discord(text, person)
        try:
            async with asyncio.timeout(within):
                while not any(text in each for each in said()):  # noqa: ASYNC110 -- a platform wakes nobody
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            log = await self.compose("logs", "--tail", "20")
            raise AssertionError(f"{self.tenant.name} has not answered {text!r}: {said()}, {log}") from None
        return time.monotonic() - began

    def on_telegram(self, text: str, person: int) -> Callable[[], Sequence[str]]:
        assert self.telegram
        somebody = self.telegram.person(OWNER + person, f"Person {person}")
        room = self.telegram.private(somebody)
        room.say(somebody, text)
        return lambda: [message.text for message in room.answers()[-LAST:]]

    def on_discord(self, text: str, person: int) -> Callable[[], Sequence[str]]:
        assert self.discord
        discord, somebody = self.discord, self.people[person]
        private = somebody.private()
        somebody.say(private, text)
        return lambda: [message.text for message in discord.said(private)[-LAST:]]


@asynccontextmanager
async def deployed(
    engine: Engine, image: str, root: Path, name: str, *options: str, disk: str = ""
) -> AsyncIterator[Deployed]:
    """The tenant, made by scripts/add-tenant and not yet started; taken down when left. Its disk is mounted."""
    number = 1_000_000 + list(KINDS).index(name)
    secrets = {"model__api_key": f"sk-ant-key-of-{name}"}
    values: dict[str, Any] = {"channels": {}}
    async with AsyncExitStack() as stack:
        ports = list[int]()
        claude = await stack.enter_async_context(ClaudeStandIn(api_key=secrets["model__api_key"]))
        ports.append(claude.port)
        values["model"] = {"base_url": address(claude.base_url, engine)}
        telegram = discord = None
        people = list[Person]()
        if "telegram" in KINDS[name]:
            token = secrets["channels__telegram__token"] = f"{number}:token-of-{name}"
            telegram = await stack.enter_async_context(TelegramStandIn(token=token))
            ports.append(telegram.port)
            values["channels"]["telegram"] = {
                "enabled": True,
                "owner": OWNER,
                "allow_from": list(range(OWNER, OWNER + CROWD)),
                "base_url": address(telegram.base_url, engine),
            }
        if "discord" in KINDS[name]:
            first = urlsafe_b64encode(str(number).encode()).decode().rstrip("=")
            token = secrets["channels__discord__token"] = f"{first}.token-of.{name}-discord"
            discord = await stack.enter_async_context(DiscordStandIn(token=token))
            discord.limits.off()
            discord.guild("Home", discord.owner)
            people = [discord.owner, *(discord.person(f"Person {each}") for each in range(1, CROWD))]
            ports.append(discord.port)
            values["channels"]["discord"] = {
                "enabled": True,
                "owner": discord.owner.id,
                "allow_from": [person.id for person in people],
                "base_url": address(discord.base_url, engine),
                "gateway_url": address(discord.gateway_url, engine),
            }
        for port in ports:
            await stack.enter_async_context(relayed(engine.cell.address, port))
        await add(engine, image, root, name, values, secrets, *options, *(["--disk", disk] if disk else []))
        if disk:
            stack.enter_context(mounted(engine, root / name))
        there = Deployed(
            engine, read_tenant_record(root / name), claude, telegram, discord, people, canaries=list(secrets.values())
        )
        note = f"note-of-{name}-for-itself-alone"
        there.canaries.append(note)
        engine.cell.seen(there.tenant.folder / "workspace" / "note.txt").write_text(note)
        try:
            yield there
        finally:
            await there.compose("down", "--timeout", "1")


@contextmanager
def mounted(engine: Engine, folder: Path) -> Iterator[None]:
    """Its disk, as its unit mounts it, and where containers are."""
    [unit] = (folder / "systemd").glob("*.mount")
    of = dict(line.split("=", 1) for line in unit.read_text().splitlines() if re.match("[A-Z][a-z]+=", line))
    command = ["mount", "-t", of["Type"], "-o", of["Options"], of["What"], of["Where"]]
    done = engine.run(engine.cell.enter(command))
    if done.returncode:
        pytest.skip(f"no loop device can be had here: {done.stderr.strip()}")
    try:
        yield
    finally:
        engine.done(engine.cell.enter(["umount", of["Where"]]))


def address(url: str, engine: Engine) -> str:
    return url.replace("127.0.0.1", engine.cell.address)


async def add(
    engine: Engine, image: str, root: Path, name: str, values: dict[str, Any], secrets: dict[str, str], *options: str
) -> None:
    config = root.parent / f"{name}.json"
    config.write_text(json.dumps(values))
    command = [sys.executable, "-m", "bot.tenants.commands", "add-tenant", name, "--root", str(root), "--image", image]
    command += ["--config", str(config), "--secrets", "-", *options]
    await asyncio.to_thread(partial(engine.done, command, stdin=json.dumps(secrets)))


@asynccontextmanager
async def three(engine: Engine, image: str, root: Path) -> AsyncIterator[dict[str, Deployed]]:
    async with AsyncExitStack() as stack:
        coming = [stack.enter_async_context(deployed(engine, image, root, name)) for name in KINDS]
        yield dict(zip(KINDS, [await each for each in coming], strict=True))
