"""The real channel and library at the stand-in, and what the channel publishes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bot.core.channel import KnownChat
from bot.core.command_choices import ChoiceRequest, CommandChoice
from bot.core.messages import Address, HistoryReadEvent, InboundEvent, InboundMessage
from channels.telegram.channel import Telegram
from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.support.patience import PATIENCE
from tests.support.places.telegram import HASTY, UNPACED


class Ear:
    """A door that records batches. `is_open` lets `publish` return."""

    def __init__(self) -> None:
        self.batches: list[list[InboundEvent]] = []
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.came = asyncio.Event()
        self.chats: dict[Address, KnownChat] = {}

    async def publish(self, batch: Sequence[InboundEvent]) -> None:
        self.batches.append(list(batch))
        for event in batch:
            if isinstance(event, HistoryReadEvent):
                self.chats[event.address] = KnownChat(address=event.address, cursor=event.cursor, place=event.place)
        self.came.set()
        await self.is_open.wait()

    async def list_known_chats(self, channel: str) -> Sequence[KnownChat]:
        return list(self.chats.values())

    async def list_command_choices(self, request: ChoiceRequest) -> Sequence[CommandChoice]:
        return ()

    @property
    def texts(self) -> list[str]:
        return [event.text for batch in self.batches for event in batch if isinstance(event, InboundMessage)]

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await self.came.wait()
                self.came.clear()

    async def hears(self, *texts: str) -> None:
        await self.until(lambda: set(texts) <= set(self.texts))


@asynccontextmanager
async def at_work(server: TelegramStandIn, ear: Ear, **options: Any) -> AsyncIterator[Telegram]:
    made = Telegram(server.token, server.base_url, **{"timing": HASTY, "rates": UNPACED, **options})
    async with made as telegram, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(telegram.run(ear))
        yield telegram
        running.cancel()


async def becomes(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 -- neither the stand-in's queue nor a channel's health wakes anybody
            await asyncio.sleep(0.01)


def say(room: Room, *texts: str) -> None:
    for text in texts:
        room.say(room.chat.person, text)


def polls(server: TelegramStandIn) -> list[Any]:
    return [call for call in server.calls if call.method == "getUpdates"]
