"""What Discord sends, taken in order: noted at once, then read and published by one task, batch by batch."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.channel import Door
from bot.messages import Address, Event
from channels.discord import operator_texts
from channels.discord.backfill import Backfill
from channels.discord.interactions import Interactions, Pending
from channels.discord.interactions import read as read_interaction
from channels.discord.names import UNFIT, Json
from channels.discord.places import Place, Places
from channels.discord.reading import Reader, as_object, edited, number, part, unreadable

WRITTEN, EDITED, CHOSEN = "MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE"
BEGUN = "READY"  # a session
MOST_AT_ONCE = 100  # events of a batch
SEEN_SECONDS = 60.0  # between two notes of how far talk that is not for the bot was read

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """One event: its name, empty for what is none, and what it holds."""

    name: str
    raw: object


@dataclass(slots=True)
class Batch:
    events: list[Event] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)  # taps and commands, to be acknowledged once they are durable


class Listening:
    """`reader` gives what reads for the bot that is signed in."""

    def __init__(
        self, places: Places, interactions: Interactions, backfill: Backfill, reader: Callable[[], Reader]
    ) -> None:
        self.places = places
        self.interactions = interactions
        self.backfill = backfill
        self.reader = reader
        self._heard: asyncio.Queue[Heard] = asyncio.Queue()
        self._seen_at: dict[Address, float] = {}  # by the loop's clock

    def note(self, name: str, raw: object) -> None:
        """Give an event its place; at once, since whatever is awaited before that may change the order."""
        if name in (WRITTEN, EDITED, CHOSEN, BEGUN, ""):
            self._heard.put_nowait(Heard(name, raw))

    async def run(self, door: Door) -> None:
        async with asyncio.TaskGroup() as acknowledging:
            while True:
                heard = [await self._heard.get()]
                while len(heard) < MOST_AT_ONCE and not self._heard.empty():
                    heard.append(self._heard.get_nowait())
                batch = Batch()
                for each in heard:
                    if each.name == BEGUN:
                        await self.publish(batch, door, acknowledging)
                        batch = Batch()
                        await self.backfill.begin(door)
                    else:
                        await self.add(each, batch)
                await self.publish(batch, door, acknowledging)

    async def publish(self, batch: Batch, door: Door, acknowledging: asyncio.TaskGroup) -> None:
        if batch.events:
            await door.publish(batch.events)
        for pending in batch.pending:
            acknowledging.create_task(self.interactions.acknowledge(pending), name="discord acknowledgement")

    async def add(self, heard: Heard, batch: Batch) -> None:
        """Read one event into the batch. What cannot be read is set aside."""
        reader, place = self.reader(), None
        try:
            raw = as_object(heard.raw)
            if heard.name == CHOSEN:
                self.add_interaction(raw, reader, batch)
            elif heard.name == WRITTEN or edited(raw):
                place = await self.place(raw)
                self.add_message(raw, place, reader, batch, is_edit=heard.name == EDITED)
        except UNFIT as error:  # it must block nothing behind it
            log.warning(operator_texts.LOG_EVENT_SET_ASIDE, type(error).__name__)
            batch.events.append(unreadable(heard.raw, error, reader.bot, place))

    def add_interaction(self, raw: Json, reader: Reader, batch: Batch) -> None:
        if message := read_interaction(raw, reader.bot):
            batch.pending.append(self.interactions.met(raw, message))
            batch.events.append(message)

    def add_message(self, raw: Json, place: Place, reader: Reader, batch: Batch, *, is_edit: bool) -> None:
        message = reader.message(raw, place, is_edit=is_edit)
        if place.guild is None and message:
            self.places.met(message.sender.id, place.channel)
        address = message.address if message else place.address(number(part(raw, "author"), "id"))
        id = number(raw, "id")
        event = self.backfill.with_cursor(address, message, id) if message else None
        if self.backfill.hold(address, event):
            return
        batch.events += [event] if event else [] if is_edit else self.seen(address, id)

    def seen(self, address: Address, id: str) -> list[Event]:
        """A note, now and then, that the talk of others was read so far."""
        now = asyncio.get_running_loop().time()
        if now - self._seen_at.get(address, float("-inf")) < SEEN_SECONDS:
            return []
        found = self.backfill.seen(address, id)
        if found:
            self._seen_at[address] = now
        return found

    async def place(self, raw: Json) -> Place:
        channel = number(raw, "channel_id")
        return (
            await self.places.place(channel, number(raw, "guild_id")) if raw.get("guild_id") else Place(channel=channel)
        )

    async def read_item(self, item: object, place: Place) -> Event | None:
        """One message of a chat's history."""
        reader = self.reader()
        try:
            return reader.message(as_object(item), place)
        except UNFIT as error:
            log.warning(operator_texts.LOG_MESSAGE_SET_ASIDE, type(error).__name__)
            return unreadable(item, error, reader.bot, place)


def kind_of(payload: str) -> tuple[int | None, str, object]:
    """What the gateway sent: its kind, the event's name, and what it holds. What is none of Discord's has neither."""
    try:
        told = json.loads(payload)
    except ValueError:
        return None, "", payload
    if not isinstance(told, dict):
        return None, "", told
    name = told.get("t")
    return told.get("op"), name if isinstance(name, str) else "", told.get("d")
