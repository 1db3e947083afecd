"""Ask Telegram for what people write, and hand it on: the next batch is asked for when this one is durable."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from bot.channel import Door
from bot.errors import DeliveryDelayed, DeliveryError
from bot.messages import Event
from channels.telegram.batches import Batch
from channels.telegram.client import MOST_UPDATES, Client
from channels.telegram.contact import Contact
from channels.telegram.errors import Rival, TokenRefused
from channels.telegram.patience import Patience
from channels.telegram.reading import Reader, newest_id
from channels.telegram.taps import Taps

T = TypeVar("T")

MOST_LOOKS = 6  # for the rest of what is still coming: then it has to do


class Polling:
    """It begins without an offset: what is confirmed comes no more, and of the rest the store knows what it has."""

    def __init__(self, client: Client, contact: Contact, reader: Reader, taps: Taps) -> None:
        self.client = client
        self.contact = contact
        self.reader = reader
        self.taps = taps
        self.timing = client.timing
        self.patience = Patience(self.timing.first_pause, self.timing.longest_pause)
        self._newest: int | None = None  # the last id that was taken in

    async def run(self, door: Door) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                batch = Batch(self.reader)
                batch.add(await persist(self.next, self.contact, self.patience, self.timing.token_pause))
                await self.hand_on(batch, door, tasks)

    async def next(self) -> Sequence[Any]:
        return await self.client.updates(self.offset(), self.timing.poll)

    def offset(self) -> int | None:
        return None if self._newest is None else self._newest + 1

    async def hand_on(self, batch: Batch, door: Door, tasks: asyncio.TaskGroup) -> None:
        """Publish a batch with all that belongs to it, and only then let Telegram forget it."""
        for _ in range(MOST_LOOKS):
            coming = batch.coming(self.timing)
            if not coming or len(batch.updates) >= MOST_UPDATES:  # Telegram shows no more at once
                break
            await self.publish(batch.ready(but=coming), door, tasks)
            await asyncio.sleep(max(coming.values()))
            if not batch.add(await self.look_again()):
                break
        await self.publish(batch.ready(), door, tasks)
        newest = newest_id(list(batch.updates.values()), self._newest)
        if batch.updates and newest == self._newest:  # they will come again, at once
            await asyncio.sleep(self.patience.next_pause())
        self._newest = newest

    async def look_again(self) -> Sequence[Any]:
        """The same updates, for none is confirmed, and what has come since."""
        try:
            return await self.client.updates(self.offset(), 0)
        except (DeliveryError, OSError):  # the next poll will tell; what is here already must not wait for that
            return ()

    async def publish(self, events: Sequence[Event], door: Door, tasks: asyncio.TaskGroup) -> None:
        taps = self.taps.take(events)
        if events:
            await door.publish(events)
        if taps:
            tasks.create_task(self.taps.close(taps), name="closing taps")


async def persist(call: Callable[[], Awaitable[T]], contact: Contact, patience: Patience, token_pause: float) -> T:
    """The result of a call that is tried until Telegram answers it, however long that takes."""
    while True:
        try:
            found = await call()
        except TokenRefused:
            contact.has_refused_token()
            pause = token_pause
        except Rival as rival:
            contact.has_rival(str(rival))
            pause = patience.next_pause()
        except DeliveryDelayed as delay:
            contact.is_lost(str(delay))
            pause = delay.seconds
        except (DeliveryError, OSError) as error:
            contact.is_lost(str(error))
            pause = patience.next_pause()
        else:
            contact.is_good()
            patience.reset()
            return found
        await asyncio.sleep(pause)
