"""Process Discord's events in order: `enqueue` takes each at once, and one task reads and publishes them in batches."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.core.channel import InboundBus
from bot.core.messages import Address, Event
from channels.discord import operator_texts
from channels.discord.backfill import Backfill
from channels.discord.ids import MALFORMED_ERRORS, Json
from channels.discord.interactions import Interactions, PendingInteraction, read_interaction
from channels.discord.locations import ChannelDirectory, ChannelLocation
from channels.discord.message_reader import (
    DiscordReader,
    is_edit_by_author,
    make_unreadable_event,
    read_id_field,
    read_object_field,
    require_object,
)

MESSAGE_WRITTEN, MESSAGE_EDITED, INTERACTION = "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE"
SESSION_STARTED = "READY"
MAX_BATCH_EVENTS = 100
SEEN_SECONDS = 60.0  # between two notes of how far we have read talk that is not for the bot

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """One event: its name and its data. The name is empty for a payload that is no event."""

    name: str
    raw: object


@dataclass(slots=True)
class EventBatch:
    events: list[Event] = field(default_factory=list)
    pending: list[PendingInteraction] = field(default_factory=list)  # to acknowledge once they are durable


class EventQueue:
    """The events of one bot. `reader` returns the reader for the bot that is signed in."""

    def __init__(
        self,
        places: ChannelDirectory,
        interactions: Interactions,
        backfill: Backfill,
        reader: Callable[[], DiscordReader],
    ) -> None:
        self.places = places
        self.interactions = interactions
        self.backfill = backfill
        self.reader = reader
        self._heard: asyncio.Queue[GatewayEvent] = asyncio.Queue()
        self._seen_at: dict[Address, float] = {}  # by the loop's clock

    def enqueue(self, name: str, raw: object) -> None:
        """Put an event into the queue. This does not await anything, because that could change the order."""
        if name in (MESSAGE_WRITTEN, MESSAGE_EDITED, INTERACTION, SESSION_STARTED, ""):
            self._heard.put_nowait(GatewayEvent(name, raw))

    async def run(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as acknowledging:
            while True:
                heard = [await self._heard.get()]
                while len(heard) < MAX_BATCH_EVENTS and not self._heard.empty():
                    heard.append(self._heard.get_nowait())
                batch = EventBatch()
                for each in heard:
                    if each.name == SESSION_STARTED:
                        await self.publish(batch, door, acknowledging)
                        batch = EventBatch()
                        await self.backfill.begin(door)
                    else:
                        await self.read_into_batch(each, batch)
                await self.publish(batch, door, acknowledging)

    async def publish(self, batch: EventBatch, door: InboundBus, acknowledging: asyncio.TaskGroup) -> None:
        if batch.events:
            await door.publish(batch.events)
        for pending in batch.pending:
            acknowledging.create_task(self.interactions.acknowledge(pending), name="discord acknowledgement")

    async def read_into_batch(self, heard: GatewayEvent, batch: EventBatch) -> None:
        """Read one event into the batch. Add an UnreadableEvent if it cannot be read."""
        reader, place = self.reader(), None
        try:
            raw = require_object(heard.raw)
            if heard.name == INTERACTION:
                if tap_or_command := read_interaction(raw, reader.bot):
                    batch.pending.append(self.interactions.remember(raw, tap_or_command))
                    batch.events.append(tap_or_command)
            elif heard.name == MESSAGE_WRITTEN or is_edit_by_author(raw):
                channel = read_id_field(raw, "channel_id")
                guild = read_id_field(raw, "guild_id") if raw.get("guild_id") else None
                place = await self.places.find_or_assume(channel, guild)
                self.add_message(raw, place, reader, batch, is_edit=heard.name == MESSAGE_EDITED)
        except MALFORMED_ERRORS as error:  # it must not block the events behind it
            log.warning(operator_texts.LOG_EVENT_SET_ASIDE, type(error).__name__)
            batch.events.append(make_unreadable_event(heard.raw, error, reader.bot, place))

    def add_message(
        self, raw: Json, place: ChannelLocation, reader: DiscordReader, batch: EventBatch, *, is_edit: bool
    ) -> None:
        message = reader.read_message(raw, place, is_edit=is_edit)
        if place.guild is None and message:
            self.places.remember_private_chat(message.sender.id, place.channel)
        address = message.address if message else place.address(read_id_field(read_object_field(raw, "author"), "id"))
        id = read_id_field(raw, "id")
        event = self.backfill.with_cursor(address, message, id) if message else None
        if self.backfill.hold_if_behind(address, event):
            return
        if event:
            batch.events.append(event)
            return
        now = asyncio.get_running_loop().time()
        is_due = not is_edit and now - self._seen_at.get(address, float("-inf")) >= SEEN_SECONDS
        if is_due and (progress := self.backfill.progress(address, id)):
            self._seen_at[address] = now
            batch.events.append(progress)

    def read_item(self, item: object, place: ChannelLocation) -> Event | None:
        """Read one message of a chat's history. Return None if it needs no answer."""
        reader = self.reader()
        try:
            return reader.read_message(require_object(item), place)
        except MALFORMED_ERRORS as error:
            log.warning(operator_texts.LOG_MESSAGE_SET_ASIDE, type(error).__name__)
            return make_unreadable_event(item, error, reader.bot, place)


def parse_payload(payload: str) -> tuple[int | None, str, object]:
    """Return a payload's kind, the event's name and its data. A payload that is not Discord's has no kind and name."""
    try:
        found = json.loads(payload)
    except ValueError:
        return None, "", payload
    if not isinstance(found, dict):
        return None, "", found
    name = found.get("t")
    return found.get("op"), name if isinstance(name, str) else "", found.get("d")
