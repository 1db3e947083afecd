"""A platform as the bench uses it: it and its people are in a process of their own."""

import json
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass

from tests.bench.processes import child, line_of, told
from tests.bench.shipped import Where
from tests.stand_ins.discord import pointed_at

PATIENCE = 120.0  # seconds: then it is no slow machine, but a message that nobody answers
PLATFORMS = ("telegram", "discord")


@dataclass(frozen=True, slots=True)
class Platform:
    where: Where
    process: Process

    async def connected(self) -> None:
        """Wait until the bot would hear of what is said; Telegram keeps it."""
        await told(self.process, "wait", self.where.name, PATIENCE)

    async def say(self, first: int, chats: int, each: int) -> None:
        """People write so many messages in each of these chats, all at once."""
        await told(self.process, f"say {first} {chats} {each}", self.where.name, PATIENCE)

    async def ask(self, first: int, chats: int = 1) -> float:
        """People write once in each of these chats, all at once. Return the seconds until each has its answer;
        RuntimeError if one never gets it."""
        return float(await told(self.process, f"ask {first} {chats}", self.where.name, PATIENCE))


@asynccontextmanager
async def platform(name: str) -> AsyncIterator[Platform]:
    async with child("tests.bench.standin", name) as process:
        where = Where(name=name, **json.loads(await line_of(process, f"the stand-in of {name}", PATIENCE)))
        with pointed_at(where) if name == "discord" else nullcontext():
            yield Platform(where, process)
