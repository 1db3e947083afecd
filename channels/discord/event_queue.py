"""Process Discord's events in order, after what people wrote in known chats while the bot was away."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.core.channel import InboundBus
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.messages import Address, Event, HistoryRead, InboundMessage
from channels.discord import operator_texts
from channels.discord.api import BOT_SCOPE, PAGE_SIZE, DiscordApi, numeric_id
from channels.discord.ids import CHANNEL, MALFORMED_ERRORS, Json
from channels.discord.interactions import Interactions, PendingInteraction, read_interaction
from channels.discord.locations import ChannelDirectory, ChannelLocation, is_private
from channels.discord.message_reader import (
    DiscordReader,
    is_edit_by_author,
    make_unreadable_event,
    messages_answered_by,
    read_id_field,
    read_object_field,
    require_object,
)
from channels.discord.platform import PRIVATE_PREFIX
from channels.discord.times import Times
from channels.pacing import PacingScope

PARALLEL_PAGES = 4  # requests for pages at the same time
MAX_TRIES = 5
MESSAGE_WRITTEN, MESSAGE_EDITED, INTERACTION = "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE"
SESSION_STARTED = "READY"
MAX_BATCH_EVENTS = 100
SEEN_SECONDS = 60.0  # between two HistoryReads for messages that are not for the bot

Batch = list[tuple[Event, PendingInteraction | None]]  # events, each with what to acknowledge once it is durable

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class ChatToCatchUp:
    """A chat whose history is not yet read to its end. New events from it are held until then, to keep the order."""

    address: Address
    cursor: str
    pages: int = 0
    tries: int = 0
    has_missed_more: bool = False  # the connection was lost during the reading
    held_events: list[Event] = field(default_factory=list)


@dataclass
class Backfill:
    """Reads missed history when a session begins: at most `most_pages` pages of a chat and `most_in_all` of all
    chats."""

    rest: DiscordApi
    places: ChannelDirectory
    reader: Callable[[], DiscordReader]
    times: Times
    most_pages: int = 20
    most_in_all: int = 500
    _behind: dict[Address, ChatToCatchUp] = field(default_factory=dict)
    _given_up: set[Address] = field(default_factory=set)  # not read to their end this time: their cursors must stay
    _known: set[Address] = field(default_factory=set)
    _pages: int = 0
    _waiting: asyncio.Queue[ChatToCatchUp] = field(default_factory=asyncio.Queue)

    async def begin(self, door: InboundBus) -> None:
        """Begin to read what was missed, because a new session does not send older messages."""
        self._given_up.clear()
        self._pages = 0
        for chat in self._behind.values():
            chat.has_missed_more = True
        for known in await door.list_known_chats(CHANNEL):
            self._known.add(known.address)
            if known.place and is_private(known.address):
                self.places.remember_private_chat(known.address.chat.removeprefix(PRIVATE_PREFIX), known.place)
            if known.cursor and known.address not in self._behind:
                chat = ChatToCatchUp(address=known.address, cursor=known.cursor)
                self._behind[known.address] = chat
                self._waiting.put_nowait(chat)

    async def run(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as workers:
            for number in range(PARALLEL_PAGES):
                workers.create_task(self.read_waiting_chats(door), name=f"discord backfill {number}")

    def hold_if_behind(self, address: Address, event: Event | None) -> bool:
        """Hold an event of a chat until the chat's history is read. Return False if it is read already."""
        chat = self._behind.get(address)
        if chat and event:
            chat.held_events.append(event)
        return chat is not None

    def with_cursor(self, address: Address, event: InboundMessage, cursor: str) -> InboundMessage:
        """Return the message with its cursor. Add none to an edit, or if the chat's history was not read to its end."""
        self._known.add(address)
        place = self.places.private_channel_of(address)
        return event if event.is_edit or address in self._given_up else replace(event, cursor=cursor, place=place)

    def progress(self, address: Address, cursor: str) -> HistoryRead | None:
        """Return a HistoryRead up to `cursor`. Return None if the chat is unknown or its history has a gap."""
        if address in self._given_up or address not in self._known:
            return None
        return HistoryRead(address=address, cursor=cursor)

    async def read_waiting_chats(self, door: InboundBus) -> None:
        while True:
            chat = await self._waiting.get()
            try:
                is_done = await self.read_page(chat, door)
            except DeliveryDelayed as delayed:
                await self.requeue_later(chat, delayed.seconds)
            except (NotDelivered, OSError) as error:
                chat.tries += 1
                if chat.tries < MAX_TRIES:
                    await self.requeue_later(chat, self.times.first_wait * 2 ** (chat.tries - 1))
                else:
                    log.warning(operator_texts.LOG_HISTORY_LATER, chat.address, error)
                    await self.release(chat, door, is_read=False)
            except DeliveryError as error:
                log.info(operator_texts.LOG_HISTORY_CLOSED, chat.address, error)
                await self.release(chat, door, is_read=False)
            else:
                if is_done and not chat.has_missed_more:
                    await self.release(chat, door, is_read=True)
                elif not is_done and (chat.pages >= self.most_pages or self._pages >= self.most_in_all):
                    log.warning(operator_texts.LOG_HISTORY_LONG, chat.address)
                    await self.release(chat, door, is_read=False)
                else:
                    chat.has_missed_more = False
                    self._waiting.put_nowait(chat)

    async def read_page(self, chat: ChatToCatchUp, door: InboundBus) -> bool:
        """Read and publish the next page. Return True if it was the last."""
        counted = [PacingScope("history", self.times.history), PacingScope(BOT_SCOPE, self.times.bot)]
        await self.rest.pacing.book_slot_and_wait(("history", chat.address), counted)
        await self.rest.pacing.wait_to_begin_call(("history", chat.address), counted)
        channel = await self.places.channel_of(chat.address)
        place = await self.places.find(channel)
        page = await self.rest.fetch_page(channel, chat.cursor)
        done = messages_answered_by(page, self.reader().bot)  # a restored database does not know of them
        events: list[Event] = []
        for item in page:
            event = self.read_item(item, place) if str(numeric_id(item)) not in done else None
            if event:
                events.append(replace(event, cursor=item["id"]) if isinstance(event, InboundMessage) else event)
        last = str(max(map(numeric_id, page), default=0))
        if int(last):
            events.append(HistoryRead(address=chat.address, cursor=last))
            chat.cursor = last
        if events:
            await door.publish(events)
        chat.pages, chat.tries = chat.pages + 1, 0
        self._pages += 1
        return len(page) < PAGE_SIZE

    def read_item(self, item: object, place: ChannelLocation) -> Event | None:
        """Read one message of a chat's history. Return None if it needs no answer."""
        reader = self.reader()
        try:
            return reader.read_message(require_object(item), place)
        except MALFORMED_ERRORS as error:
            log.warning(operator_texts.LOG_MESSAGE_SET_ASIDE, type(error).__name__)
            return make_unreadable_event(item, error, reader.bot, place)

    async def requeue_later(self, chat: ChatToCatchUp, seconds: float) -> None:
        await asyncio.sleep(min(seconds, self.times.longest_wait))
        self._waiting.put_nowait(chat)

    async def release(self, chat: ChatToCatchUp, door: InboundBus, *, is_read: bool) -> None:
        """Publish the held events. Without `is_read`, the history has a gap, so the chat's cursor stays where it is."""
        if not is_read:
            self._given_up.add(chat.address)
        while chat.held_events:
            held, chat.held_events = chat.held_events, []
            if not is_read:
                held = [replace(each, cursor=None) if isinstance(each, InboundMessage) else each for each in held]
            await door.publish(held)
        del self._behind[chat.address]


@dataclass
class EventQueue:
    """The events of one bot. `reader` returns the reader for the bot that is signed in."""

    places: ChannelDirectory
    interactions: Interactions
    backfill: Backfill
    reader: Callable[[], DiscordReader]
    _heard: asyncio.Queue[tuple[str, object]] = field(default_factory=asyncio.Queue)  # names of events, and their data
    _seen_at: dict[Address, float] = field(default_factory=dict)  # by the loop's clock

    def enqueue(self, name: str, raw: object) -> None:
        """Queue an event. The name is "" for a payload that is no event. This awaits nothing, to keep the order."""
        if name in (MESSAGE_WRITTEN, MESSAGE_EDITED, INTERACTION, SESSION_STARTED, ""):
            self._heard.put_nowait((name, raw))

    async def run(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as acknowledging:
            while True:
                heard = [await self._heard.get()]
                while len(heard) < MAX_BATCH_EVENTS and not self._heard.empty():
                    heard.append(self._heard.get_nowait())
                batch = Batch()
                for name, raw in heard:
                    if name == SESSION_STARTED:
                        await self.publish(batch, door, acknowledging)
                        batch = Batch()
                        await self.backfill.begin(door)
                    else:
                        await self.read_into_batch(name, raw, batch)
                await self.publish(batch, door, acknowledging)

    async def publish(self, batch: Batch, door: InboundBus, acknowledging: asyncio.TaskGroup) -> None:
        if batch:
            await door.publish([event for event, _ in batch])
        for pending in (each for _, each in batch if each):
            acknowledging.create_task(self.interactions.acknowledge(pending), name="discord acknowledgement")

    async def read_into_batch(self, name: str, data: object, batch: Batch) -> None:
        """Read one event into the batch. Add an UnreadableEvent if it cannot be read."""
        reader, place = self.reader(), None
        try:
            raw = require_object(data)
            if name == INTERACTION:
                if tap_or_command := read_interaction(raw, reader.bot):
                    batch.append((tap_or_command, self.interactions.remember(raw, tap_or_command)))
            elif name == MESSAGE_WRITTEN or is_edit_by_author(raw):
                guild = read_id_field(raw, "guild_id") if raw.get("guild_id") else None
                place = await self.places.find_or_assume(read_id_field(raw, "channel_id"), guild)
                self.add_message(raw, place, batch, is_edit=name == MESSAGE_EDITED)
        except MALFORMED_ERRORS as error:  # it must not block the events behind it
            log.warning(operator_texts.LOG_EVENT_SET_ASIDE, type(error).__name__)
            batch.append((make_unreadable_event(data, error, reader.bot, place), None))

    def add_message(self, raw: Json, place: ChannelLocation, batch: Batch, *, is_edit: bool) -> None:
        message = self.reader().read_message(raw, place, is_edit=is_edit)
        if place.guild is None and message:
            self.places.remember_private_chat(message.sender.id, place.channel)
        address = message.address if message else place.address(read_id_field(read_object_field(raw, "author"), "id"))
        id = read_id_field(raw, "id")
        event = self.backfill.with_cursor(address, message, id) if message else None
        if self.backfill.hold_if_behind(address, event):
            return
        if event:
            batch.append((event, None))
            return
        now = asyncio.get_running_loop().time()
        is_due = not is_edit and now - self._seen_at.get(address, float("-inf")) >= SEEN_SECONDS
        if is_due and (progress := self.backfill.progress(address, id)):
            self._seen_at[address] = now
            batch.append((progress, None))


def parse_payload(payload: str) -> tuple[int | None, str, object]:
    """Return a payload's op code, and its event's name and data. A payload that is not Discord's has None and ""."""
    try:
        found = json.loads(payload)
    except ValueError:
        return None, "", payload
    if not isinstance(found, dict):
        return None, "", found
    name = found.get("t")
    return found.get("op"), name if isinstance(name, str) else "", found.get("d")
