"""The crowds: many private chats at a strict stand-in whose limits are on, and the real channel as it is shipped."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.access import Access, Accesses
from bot.channel import Channel
from channels.telegram.channel import Telegram
from tests.servers.telegram import TelegramStandIn

PUBLIC = Access(is_public=True)


class TelegramCrowd:
    def __init__(self, server: TelegramStandIn) -> None:
        self.server = server
        self.accesses: Accesses = {"telegram": PUBLIC}

    @asynccontextmanager
    async def channel(self) -> AsyncIterator[Channel]:
        async with Telegram(self.server.token, self.server.base_url) as telegram:
            yield telegram

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


CROWDS = {"telegram": telegram_crowd}
