"""Discord as a place: the real channel and library, against the stand-in, in Ann's private chat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.core.access import Access, AccessByChannel
from bot.core.channel import Channel
from bot.core.messages import PersonId
from bot.core.rights import EVERY_RIGHT
from channels.discord.ids import CHANNEL_NAME
from channels.discord.rendering import MAX_MESSAGE_CODE_POINTS
from tests.stand_ins.discord import Fault, Route, pointed_at
from tests.support.discord_channel import Town, channel_of, private, settled


class DiscordPlace:
    def __init__(self, town: Town) -> None:
        self.length: int | None = MAX_MESSAGE_CODE_POINTS
        self.marks_repeats = False
        self.accesses: AccessByChannel = {
            CHANNEL_NAME: Access(
                owner_id=PersonId(str(town.ann.id)), owner_address=private(town.ann), others_rights=EVERY_RIGHT
            ),
        }
        self.town = town
        self.typed: asyncio.Queue[str] = asyncio.Queue()

    def channel(self) -> Channel:
        return channel_of(self.town.server)

    def size(self, text: str) -> int:
        return len(text)

    def says(self, text: str) -> None:
        self.typed.put_nowait(text)

    def answers(self, option: str) -> None:
        asked = [one for one in self.town.server.said(self.town.ann.private()) if one.buttons][-1]
        [button] = [each for each in asked.buttons if each["label"] == option]
        self.town.ann.tap(asked, button["custom_id"])

    def sees(self) -> Sequence[str]:
        return [one.text for one in self.town.ann.sees(self.town.ann.private()) if one.author != "Ann"]

    def rang(self) -> Sequence[str]:
        return [one.text for one in self.town.ann.sees(self.town.ann.private()) if one.rings]

    def cuts(self, *, was_taken: bool) -> None:
        self.town.server.faults.on(Route.SEND, Fault.RESET_AFTER if was_taken else Fault.RESET_BEFORE)

    async def write(self) -> None:
        """Let Ann write while the bot is connected. Otherwise it could never know of her first message."""
        gateway = self.town.server.gateway
        while True:
            text = await self.typed.get()
            await self.town.server.until(lambda: any(each.session for each in gateway.connections))
            self.town.ann.say(self.town.ann.private(), text)


@asynccontextmanager
async def discord() -> AsyncIterator[DiscordPlace]:
    async with settled() as town, asyncio.TaskGroup() as tasks:
        place = DiscordPlace(town)
        writing = tasks.create_task(place.write(), name="Ann")
        with pointed_at(town.server):
            yield place
        writing.cancel()
