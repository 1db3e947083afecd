"""The crowds: many private chats at a strict stand-in whose limits are on, and the real channel as it is shipped."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from bot.core.access import Access, AccessByChannel
from bot.core.channel import Channel
from bot.core.rights import EVERY_RIGHT
from channels.discord.channel import Discord
from channels.telegram.channel import Telegram
from tests.load import Crowd
from tests.stand_ins.discord import DiscordStandIn, Person, pointed_at
from tests.stand_ins.telegram import TelegramStandIn

PUBLIC = Access(is_public=True, others_rights=EVERY_RIGHT)


class TelegramCrowd:
    def __init__(self, server: TelegramStandIn) -> None:
        self.server = server
        self.accesses: AccessByChannel = {"telegram": PUBLIC}

    @asynccontextmanager
    async def channel(self) -> AsyncIterator[Channel]:
        async with Telegram(self.server.token, self.server.base_url) as telegram:
            yield telegram

    async def is_there(self) -> None:
        """Telegram keeps what the bot has not fetched."""

    def says(self, chat: int, text: str) -> None:
        person = self.server.person(1_000 + chat, f"Person {chat}")
        self.server.private(person).say(person, text)

    def answers(self, chat: int) -> Sequence[tuple[str, float]]:
        room = self.server.private(self.server.person(1_000 + chat, f"Person {chat}"))
        skew = time.monotonic() - time.time()
        return [(message.text, message.at + skew) for message in room.answers()]

    def passed(self) -> int:
        return sum(call.status == 429 for call in self.server.calls)


@asynccontextmanager
async def telegram_crowd() -> AsyncIterator[TelegramCrowd]:
    async with TelegramStandIn() as server:
        yield TelegramCrowd(server)


class DiscordCrowd:
    def __init__(self, server: DiscordStandIn) -> None:
        self.server = server
        self.accesses: AccessByChannel = {"discord": PUBLIC}
        self.people: dict[int, Person] = {}

    @asynccontextmanager
    async def channel(self) -> AsyncIterator[Channel]:
        yield Discord(self.server.token, self.server.base_url, self.server.gateway_url)

    async def is_there(self) -> None:
        await self.server.until(lambda: any(each.session for each in self.server.gateway.connections))

    def says(self, chat: int, text: str) -> None:
        person = self.person(chat)
        person.say(person.private(), text)

    def answers(self, chat: int) -> Sequence[tuple[str, float]]:
        person, skew = self.person(chat), time.monotonic() - time.time()
        seen = [one.message for one in person.sees(person.private())]
        return [(message.text, message.at + skew) for message in seen if message.author is self.server.bot]

    def person(self, chat: int) -> Person:
        if chat not in self.people:
            self.people[chat] = self.server.person(f"Person {chat}")
        return self.people[chat]

    def passed(self) -> int:
        return len(self.server.slowed)


@asynccontextmanager
async def discord_crowd() -> AsyncIterator[DiscordCrowd]:
    async with DiscordStandIn() as server:
        with pointed_at(server):
            yield DiscordCrowd(server)


CROWDS: dict[str, Callable[[], AbstractAsyncContextManager[Crowd]]] = {
    "telegram": telegram_crowd,
    "discord": discord_crowd,
}
