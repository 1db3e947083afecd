"""The whole command, killed while a request's thread is opened, and started again: all is said once, in its place."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.stand_ins.claude import Asked, Reply, reply
from tests.stand_ins.discord import Channel, Fault, Message, Route
from tests.support.run_command import Service, served

PATIENCE = 25.0  # seconds, two starts among it
pytestmark = pytest.mark.timeout(120)


def script(asked: Asked) -> Reply:
    return reply("Oslo it is." if "Oslo" in asked.turn_text else "Rome it is.")


@dataclass
class Room:
    service: Service
    general: Channel

    def ask(self, text: str) -> Message:
        discord = self.service.discord
        return discord.owner.say(self.general, text, mentions=[discord.bot])

    async def until_connected(self) -> None:
        discord = self.service.discord
        await discord.until(lambda: bool(discord.gateway.sessions), PATIENCE)

    def said(self, channel: Channel | int) -> list[str]:
        there = self.service.discord.world.channels.get(channel) if isinstance(channel, int) else channel
        return [one.text for one in self.service.discord.said(there)] if there else []

    async def until_said(self, asked: Message, *texts: str) -> None:
        await self.service.discord.until(lambda: len(self.said(asked.id)) >= len(texts), PATIENCE)
        assert self.said(asked.id) == list(texts)

    async def until_summarized(self, *summaries: str) -> None:
        await self.service.discord.until(lambda: len(self.said(self.general)) >= len(summaries), PATIENCE)
        await asyncio.sleep(0.5)  # a second one would come at once
        assert self.said(self.general) == list(summaries)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with served(tmp_path, discord_settings={"threads": True}) as service:
        service.discord.limits.identify_seconds = 0
        service.claude.script.rule(script)
        [guild] = service.discord.world.guilds.values()
        yield Room(service, service.discord.channel(guild, "general"))


@pytest.mark.parametrize("moment", ["taken", "opened", "answered"])
async def test_a_request_in_a_thread_outlives_a_kill(room: Room, moment: str) -> None:
    discord, claude = room.service.discord, room.service.claude
    async with asyncio.timeout(2 * PATIENCE):
        async with room.service.run() as process:
            await room.until_connected()
            if moment == "opened":  # all that is to be said there fails until the kill
                discord.faults.on(Route.SEND, *[Fault.RESET_BEFORE] * 20)
            if moment == "answered":  # the summary fails
                discord.faults.on(Route.SEND, None, *[Fault.RESET_BEFORE] * 20)
            asked = room.ask("Where to?")
            if moment == "taken":
                await claude.until(lambda: bool(claude.requests))
            elif moment == "opened":
                await discord.until(lambda: bool(discord.to(Route.OPEN_THREAD) and discord.to(Route.SEND)), PATIENCE)
            else:
                await room.until_said(asked, "Rome it is.")
            process.kill()
        discord.faults.coming.clear()
        async with room.service.run():
            await room.until_said(asked, "Rome it is.")
            await room.until_summarized(f"Rome it is. · <#{asked.id}>")
            discord.owner.say(discord.world.channels[asked.id], "or to Oslo?")  # without a mention
            await room.until_said(asked, "Rome it is.", "Oslo it is.")
            await room.until_summarized(f"Rome it is. · <#{asked.id}>")
