"""Poll Telegram for updates and publish them. The poller asks for the next batch when this one is durable."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from bot.core.channel import InboundBus
from bot.core.errors import DeliveryDelayed, DeliveryError
from bot.core.messages import InboundEvent, InboundMessage, OverheardMessage
from channels.pacing import Backoff
from channels.telegram.client import MAX_UPDATES_PER_POLL, PollingConflict, TelegramClient, TelegramHealth, TokenRefused
from channels.telegram.cut_pastes import MIN_CUT_PASTE_LENGTH, PasteParts
from channels.telegram.memberships import TelegramMemberships
from channels.telegram.menus import TelegramMenus
from channels.telegram.rendering import utf16_length
from channels.telegram.sending import TelegramSender
from channels.telegram.timing import TelegramTiming
from channels.telegram.update_reader import TelegramUpdateReader, newest_update_id

T = TypeVar("T")

MAX_FOLLOW_UP_FETCHES = 6  # for the rest of a split message; after these we publish what is there


@dataclass(frozen=True, slots=True, kw_only=True)
class Album:
    """Several pictures or files that somebody sent at once. Telegram makes a message of each."""

    chat: str
    writer: str
    id: str


@dataclass
class UpdateBatch:
    """The updates of one poll, and those that came before the bot confirmed these, each once. Clients send albums,
    forwards and long pastes as several messages, which people mean as one."""

    reader: TelegramUpdateReader
    updates: dict[object, Any] = field(default_factory=dict)  # by update id, or by its repr if it has no id
    events: dict[object, InboundEvent | None] = field(default_factory=dict)
    published_keys: set[object] = field(default_factory=set)
    addressed_albums: set[Album] = field(default_factory=set)  # also of the batch before: the rest may come here

    def add_new_updates(self, updates: Sequence[Any]) -> bool:
        """Add the updates that are new and read them. Return True if there were any."""
        new: dict[object, Any] = {}
        for update in updates:
            id = update.get("update_id") if isinstance(update, dict) else None
            name = id if isinstance(id, int) else repr(update)
            if name not in self.updates:
                new[name] = update
        self.updates |= new
        now = datetime.now(UTC)
        self.events |= {name: self.reader.read_update(update, now) for name, update in new.items()}
        self.read_rest_of_addressed_albums(now)
        return bool(new)

    def read_rest_of_addressed_albums(self, now: datetime) -> None:
        """Read what a group chat's album has besides the message that names the bot: it is for the bot too."""
        albums = {name: read_album_of_update(self.updates[name]) for name in self.events}
        self.addressed_albums |= {album for name, album in albums.items() if album and is_for_bot(self.events[name])}
        for name, event in self.events.items():
            if not is_for_bot(event) and albums[name] in self.addressed_albums:
                self.events[name] = self.reader.read_update(self.updates[name], now, is_addressed=True)

    def list_addressed_albums(self) -> set[Album]:
        """Return the albums of this batch that are for the bot."""
        return self.addressed_albums & {read_album_of_update(update) for update in self.updates.values()}

    def seconds_to_wait_by_chat(self, timing: TelegramTiming) -> dict[str, float]:
        """Return the chats where a message may continue in another one, with the seconds to wait for that one."""
        waits = defaultdict[str, float](float)
        for name, event in self.events.items():
            if isinstance(event, InboundMessage):
                wait = seconds_to_wait_for_continuation(self.updates[name].get("message"), timing)
                waits[event.address.chat] = max(waits[event.address.chat], wait)
            elif not is_for_bot(event) and (album := read_album_of_update(self.updates[name])):
                # its caption may name the bot
                waits[album.chat] = max(waits[album.chat], timing.next_album_part_wait_seconds)
        return {chat: seconds for chat, seconds in waits.items() if seconds}

    def take_unpublished_events(self, except_chats: Collection[str] = ()) -> list[InboundEvent]:
        """Return the events not published yet, except messages of these chats. Mark them as published."""
        found = []
        for name, event in self.events.items():
            heard = event.message if isinstance(event, OverheardMessage) else event
            is_held = isinstance(heard, InboundMessage) and heard.address.chat in except_chats
            if event and not is_held and name not in self.published_keys:
                found.append(event)
                self.published_keys.add(name)
        return found


def read_album_of_update(update: Any) -> Album | None:
    """Return the album that a new message belongs to; None if it belongs to none, or cannot be read."""
    message = update.get("message") if isinstance(update, dict) else None
    if not isinstance(message, dict) or not isinstance(id := message.get("media_group_id"), str):
        return None
    chat, writer = message.get("chat"), message.get("from")
    ids = [each.get("id") if isinstance(each, dict) else None for each in (chat, writer)]
    return Album(chat=str(ids[0]), writer=str(ids[1]), id=id)


def is_for_bot(event: InboundEvent | None) -> bool:
    return event is not None and not isinstance(event, OverheardMessage)


def seconds_to_wait_for_continuation(message: Any, timing: TelegramTiming) -> float:
    if not isinstance(message, dict):  # an edit or a tap
        return 0.0
    text = message.get("text")
    if isinstance(text, str) and utf16_length(text) >= MIN_CUT_PASTE_LENGTH:
        return timing.next_paste_part_wait_seconds
    if message.get("media_group_id"):
        return timing.next_album_part_wait_seconds
    return timing.next_part_wait_seconds if message.get("forward_origin") else 0.0


@dataclass
class UpdatePoller:
    """Polls one bot's updates. The first poll has no offset, because the store recognizes updates that it has."""

    client: TelegramClient
    connection_health: TelegramHealth
    reader: TelegramUpdateReader
    sender: TelegramSender
    memberships: TelegramMemberships
    menus: TelegramMenus
    _paste_parts: PasteParts = field(default_factory=PasteParts)
    _newest: int | None = None  # the last id that was published
    _addressed_albums: set[Album] = field(default_factory=set)  # of the last batch

    def __post_init__(self) -> None:
        self.timing = self.client.timing
        self.backoff = Backoff(self.timing.first_retry_seconds, self.timing.max_retry_seconds)

    async def run(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                found = await call_until_answered(
                    lambda: self.fetch_unconfirmed_updates(self.timing.poll_seconds),
                    self.connection_health,
                    self.backoff,
                    self.timing.refused_token_retry_seconds,
                )
                batch = UpdateBatch(self.reader, addressed_albums=set(self._addressed_albums))
                batch.add_new_updates(found)
                await self.complete_and_publish_batch(batch, door, tasks)
                if batch.updates:
                    self._addressed_albums = batch.list_addressed_albums()

    async def fetch_unconfirmed_updates(self, seconds: float) -> Sequence[Any]:
        """Return the updates that are not confirmed. Wait up to `seconds` for the first."""
        return await self.client.fetch_updates(None if self._newest is None else self._newest + 1, seconds)

    async def complete_and_publish_batch(self, batch: UpdateBatch, door: InboundBus, tasks: asyncio.TaskGroup) -> None:
        """Publish a batch with all that belongs to it. Only then let the next poll confirm it to Telegram."""
        for _ in range(MAX_FOLLOW_UP_FETCHES):
            coming = batch.seconds_to_wait_by_chat(self.timing)
            if not coming or len(batch.updates) >= MAX_UPDATES_PER_POLL:  # Telegram sends no more at once
                break
            await self.publish_events_and_answer_taps(batch.take_unpublished_events(except_chats=coming), door, tasks)
            await asyncio.sleep(max(coming.values()))
            try:
                found = await self.fetch_unconfirmed_updates(0)  # those of this batch too: none is confirmed
                has_more = batch.add_new_updates(found)
            except (DeliveryError, OSError):  # the next poll reports it; the updates we have must not wait for it
                break
            if not has_more:
                break
        await self.publish_events_and_answer_taps(batch.take_unpublished_events(), door, tasks)
        newest = newest_update_id(list(batch.updates.values()), self._newest)
        if batch.updates and newest == self._newest:  # without a new id Telegram sends the same updates again at once
            await asyncio.sleep(self.backoff.next_pause_seconds())
        self._newest = newest

    async def publish_events_and_answer_taps(
        self, events: Sequence[InboundEvent], door: InboundBus, tasks: asyncio.TaskGroup
    ) -> None:
        taps = self.sender.remember_unanswered_taps(events)
        if events:
            events = await self.memberships.add_facts_for_commands(events)
            await door.publish(self._paste_parts.mark_pasted(events))
            await self.menus.set_menu_of_new_owner(events, door)
        if taps:
            tasks.create_task(self.sender.answer_remaining_taps_after_wait(taps), name="closing taps")


async def call_until_answered(
    call: Callable[[], Awaitable[T]], health: TelegramHealth, backoff: Backoff, token_pause: float
) -> T:
    """Repeat a call until Telegram answers it, and return the result. There is no time limit."""
    while True:
        try:
            found = await call()
        except TokenRefused:
            pause = token_pause
        except PollingConflict as conflict:
            health.on_polling_conflict(str(conflict))
            pause = backoff.next_pause_seconds()
        except DeliveryDelayed as delay:
            health.on_contact_lost(str(delay))
            pause = delay.seconds
        except (DeliveryError, OSError) as error:
            health.on_contact_lost(str(error))
            pause = backoff.next_pause_seconds()
        else:
            health.on_poll_answered()
            backoff.reset()
            return found
        await asyncio.sleep(pause)
