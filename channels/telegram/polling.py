"""Poll Telegram for updates and publish them. The poller asks for the next batch when this one is durable."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from bot.core.channel import InboundBus
from bot.core.errors import DeliveryDelayed, DeliveryError
from bot.core.messages import Event
from channels.pacing import Backoff
from channels.telegram.batches import UpdateBatch
from channels.telegram.client import MAX_UPDATES, TelegramClient
from channels.telegram.connection_health import TelegramHealth
from channels.telegram.errors import OtherPoller, TokenRefused
from channels.telegram.taps import PendingTaps
from channels.telegram.update_reader import TelegramReader, newest_update_id

T = TypeVar("T")

MAX_LOOKS = 6  # for the rest of a split message; after these we publish what is there


class UpdatePoller:
    """Polls one bot's updates, at first without an offset: Telegram sends only unconfirmed updates, and the store
    recognizes those that it has already."""

    def __init__(
        self, client: TelegramClient, contact: TelegramHealth, reader: TelegramReader, taps: PendingTaps
    ) -> None:
        self.client = client
        self.contact = contact
        self.reader = reader
        self.taps = taps
        self.timing = client.timing
        self.patience = Backoff(self.timing.first_pause, self.timing.longest_pause)
        self._newest: int | None = None  # the last id that was published

    async def run(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                found = await call_until_answered(
                    lambda: self.fetch(self.timing.poll), self.contact, self.patience, self.timing.token_pause
                )
                batch = UpdateBatch(self.reader)
                batch.add_new(found)
                await self.publish_batch(batch, door, tasks)

    async def fetch(self, seconds: float) -> Sequence[Any]:
        """Return the updates that are not confirmed. Wait up to `seconds` for the first."""
        return await self.client.fetch_updates(None if self._newest is None else self._newest + 1, seconds)

    async def publish_batch(self, batch: UpdateBatch, door: InboundBus, tasks: asyncio.TaskGroup) -> None:
        """Publish a batch with all that belongs to it. Only then let the next poll confirm it to Telegram."""
        for _ in range(MAX_LOOKS):
            coming = batch.chats_to_wait_for(self.timing)
            if not coming or len(batch.updates) >= MAX_UPDATES:  # Telegram sends no more at once
                break
            await self.publish(batch.take_ready_events(but=coming), door, tasks)
            await asyncio.sleep(max(coming.values()))
            try:
                has_more = batch.add_new(await self.fetch(0))  # those of this batch too, because none is confirmed
            except (DeliveryError, OSError):  # the next poll reports it; the updates we have must not wait for it
                break
            if not has_more:
                break
        await self.publish(batch.take_ready_events(), door, tasks)
        newest = newest_update_id(list(batch.updates.values()), self._newest)
        if batch.updates and newest == self._newest:  # without a new id Telegram sends the same updates again at once
            await asyncio.sleep(self.patience.next_pause())
        self._newest = newest

    async def publish(self, events: Sequence[Event], door: InboundBus, tasks: asyncio.TaskGroup) -> None:
        taps = self.taps.remember(events)
        if events:
            await door.publish(events)
        if taps:
            tasks.create_task(self.taps.answer_silently(taps), name="closing taps")


async def call_until_answered(
    call: Callable[[], Awaitable[T]], contact: TelegramHealth, patience: Backoff, token_pause: float
) -> T:
    """Repeat a call until Telegram answers it, and return the result. There is no time limit."""
    while True:
        try:
            found = await call()
        except TokenRefused:
            pause = token_pause
        except OtherPoller as rival:
            contact.on_rival(str(rival))
            pause = patience.next_pause()
        except DeliveryDelayed as delay:
            contact.on_contact_lost(str(delay))
            pause = delay.seconds
        except (DeliveryError, OSError) as error:
            contact.on_contact_lost(str(error))
            pause = patience.next_pause()
        else:
            contact.on_answer()
            patience.reset()
            return found
        await asyncio.sleep(pause)
