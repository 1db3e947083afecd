"""Ask Telegram for what people write, and hand it on: the next batch is asked for when this one is durable."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from bot.channel import Door
from bot.errors import DeliveryDelayed, DeliveryError
from bot.messages import Event, InboundMessage
from channels.telegram.bursts import still_coming
from channels.telegram.client import MOST_UPDATES, Client
from channels.telegram.contact import Contact
from channels.telegram.errors import Rival, TokenRefused
from channels.telegram.patience import Patience
from channels.telegram.reading import Reader, newest_id
from channels.telegram.taps import Taps

T = TypeVar("T")

MOST_LOOKS = 6  # for the rest of what is still coming: then it has to do

log = logging.getLogger(__name__)


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
                updates = await persist(self.next, self.contact, self.patience, self.timing.token_pause)
                await self.hand_on(updates, door, tasks)

    async def next(self) -> dict[object, Any]:
        return named(await self.client.updates(self.offset(), self.timing.poll))

    def offset(self) -> int | None:
        return None if self._newest is None else self._newest + 1

    async def hand_on(self, updates: dict[object, Any], door: Door, tasks: asyncio.TaskGroup) -> None:
        """Publish a batch with all that belongs to it, and only then let Telegram forget it."""
        published: set[object] = set()
        for _ in range(MOST_LOOKS):
            coming = still_coming(updates.values(), self.timing)
            if not coming or len(updates) >= MOST_UPDATES:  # Telegram shows no more at once
                break
            await self.publish(updates, published, door, tasks, but=coming)
            await asyncio.sleep(max(coming.values()))
            more = await self.look_again()
            if not more.keys() - updates.keys():
                break
            updates |= more
        await self.publish(updates, published, door, tasks)
        newest = newest_id(list(updates.values()), self._newest)
        if updates and newest == self._newest:  # they will come again, at once
            await asyncio.sleep(self.patience.next_pause())
        self._newest = newest

    async def look_again(self) -> dict[object, Any]:
        """The same updates, for none is confirmed, and what has come since."""
        try:
            return named(await self.client.updates(self.offset(), 0))
        except (DeliveryError, OSError):  # the next poll will tell; what is here already must not wait for that
            return {}

    async def publish(
        self,
        updates: dict[object, Any],
        published: set[object],
        door: Door,
        tasks: asyncio.TaskGroup,
        but: "dict[str, float] | None" = None,
    ) -> None:
        """Publish what is not published yet, except for the chats where more may come."""
        now = datetime.now(UTC)
        batch: list[Event] = []
        for name, update in updates.items():
            if name in published:
                continue
            event = self.reader.read(update, now)
            if but and isinstance(event, InboundMessage) and event.address.chat in but:
                continue
            published.add(name)
            if event:
                batch.append(event)
        taps = self.taps.take(batch)
        if batch:
            await door.publish(batch)
        if taps:
            tasks.create_task(self.taps.close(taps), name="closing taps")


def named(updates: Sequence[Any]) -> dict[object, Any]:
    """The updates, each under its id, or, where it has none, under its words."""
    ids = (update.get("update_id") if isinstance(update, dict) else None for update in updates)
    return {id if isinstance(id, int) else repr(update): update for id, update in zip(ids, updates, strict=True)}


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
            pause = delay.seconds
        except (DeliveryError, OSError) as error:
            contact.is_lost(str(error))
            pause = patience.next_pause()
        else:
            contact.is_good()
            patience.reset()
            return found
        await asyncio.sleep(pause)
