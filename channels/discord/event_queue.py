"""Process Discord's events in order, after what people wrote in known chats while the bot was away."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.core.channel import InboundBus
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.messages import (
    Address,
    HistoryReadEvent,
    InboundEvent,
    InboundMessage,
    OverheardMessage,
)
from channels.discord import operator_texts
from channels.discord.api import ALL_CALLS_SCOPE_NAME, MESSAGES_PER_PAGE, DiscordApi, message_id_or_zero
from channels.discord.choices import CommandChoices, is_choice_request
from channels.discord.deletions import DELETION_EVENTS, read_deletions
from channels.discord.fields import read_id_field, read_object_field, require_object
from channels.discord.history_members import HistoryMembers
from channels.discord.ids import CHANNEL_NAME, MALFORMED_DATA_ERRORS, JsonObject
from channels.discord.interactions import PendingInteraction, PendingInteractions, is_elsewhere, read_interaction
from channels.discord.locations import ChannelDirectory, ChannelLocation, is_private_chat
from channels.discord.memberships import MEMBERSHIP_EVENTS, is_admin_by_roles, read_membership_change
from channels.discord.message_reader import (
    DiscordMessageReader,
    is_edit_by_author,
    make_unreadable_event,
    message_ids_answered_by_bot,
)
from channels.discord.platform import PRIVATE_CHAT_PREFIX
from channels.discord.recent_talk import RecentTalk
from channels.discord.threads import thread_name
from channels.discord.timing import DiscordTiming
from channels.pacing import PacingScope

PARALLEL_PAGE_READERS = 4  # requests for pages at the same time
MAX_PAGE_ATTEMPTS = 5
MESSAGE_CREATED_EVENT, MESSAGE_UPDATED_EVENT = "MESSAGE_CREATE", "MESSAGE_UPDATE"
INTERACTION_EVENT = "INTERACTION_CREATE"
SESSION_STARTED_EVENT = "READY"
OTHER_EVENTS = (MESSAGE_CREATED_EVENT, MESSAGE_UPDATED_EVENT, INTERACTION_EVENT, SESSION_STARTED_EVENT, "")
RELEVANT_EVENTS = frozenset((*OTHER_EVENTS, *DELETION_EVENTS, *MEMBERSHIP_EVENTS))
MAX_BATCH_EVENTS = 100
HISTORY_READ_EVENT_INTERVAL_SECONDS = 60.0  # between two HistoryReadEvents for messages that are not for the bot

# Events, each with what to acknowledge once it is durable
EventBatch = list[tuple[InboundEvent, PendingInteraction | None]]

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class ChatToCatchUp:
    """A chat whose history is not yet read to its end. New events from it are held until then, to keep the order."""

    address: Address
    cursor: str
    pages_read: int = 0
    failed_attempts: int = 0
    has_missed_newer_messages: bool = False  # the connection was lost during the reading
    held_events: list[InboundEvent] = field(default_factory=list)


@dataclass
class Backfill:
    """Reads missed history when a session begins: at most `max_pages_per_chat`, and `max_pages_in_all` of all chats."""

    api: DiscordApi
    directory: ChannelDirectory
    make_message_reader: Callable[[], DiscordMessageReader]
    timing: DiscordTiming
    members: HistoryMembers
    max_pages_per_chat: int = 20
    max_pages_in_all: int = 500
    _chats_behind: dict[Address, ChatToCatchUp] = field(default_factory=dict)
    _addresses_with_gap: set[Address] = field(default_factory=set)  # not read to their end: their cursors must stay
    _known_addresses: set[Address] = field(default_factory=set)
    _pages_read: int = 0
    _chats_to_read: asyncio.Queue[ChatToCatchUp] = field(default_factory=asyncio.Queue)

    async def queue_known_chats_for_reading(self, door: InboundBus) -> None:
        """Begin to read what was missed, because a new session does not send older messages."""
        self._addresses_with_gap.clear()
        self._pages_read = 0
        self.members.forget()
        for chat in self._chats_behind.values():
            chat.has_missed_newer_messages = True
        for known in await door.list_known_chats(CHANNEL_NAME):
            self._known_addresses.add(known.address)
            if known.place and is_private_chat(known.address):
                person = known.address.chat.removeprefix(PRIVATE_CHAT_PREFIX)
                self.directory.remember_private_channel(person, known.place)
            if known.cursor and known.address not in self._chats_behind:
                chat = ChatToCatchUp(address=known.address, cursor=known.cursor)
                self._chats_behind[known.address] = chat
                self._chats_to_read.put_nowait(chat)

    async def run_page_readers(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as workers:
            for number in range(PARALLEL_PAGE_READERS):
                workers.create_task(self.read_queued_chats(door), name=f"discord backfill {number}")

    def hold_event_if_catching_up(self, address: Address, event: InboundEvent | None) -> bool:
        """Hold an event of a chat until the chat's history is read. Return False if it is read already."""
        chat = self._chats_behind.get(address)
        if chat and event:
            chat.held_events.append(event)
        return chat is not None

    def remember_chat_and_add_cursor(self, address: Address, event: InboundMessage, cursor: str) -> InboundMessage:
        """Return the message with its cursor. Add none to an edit, or if the chat's history was not read to its end."""
        self._known_addresses.add(address)
        place = self.directory.cached_private_channel_id(address)
        has_gap = address in self._addresses_with_gap
        return event if event.is_edit or has_gap else replace(event, cursor=cursor, place=place)

    def is_catching_up(self, address: Address) -> bool:
        return address in self._chats_behind

    def may_move_cursor(self, address: Address) -> bool:
        return address not in self._addresses_with_gap

    def remember_address(self, address: Address) -> None:
        self._known_addresses.add(address)

    def make_history_read_event(self, address: Address, cursor: str) -> HistoryReadEvent | None:
        """Return a HistoryReadEvent up to `cursor`. Return None if the chat is unknown or its history has a gap."""
        if address in self._addresses_with_gap or address not in self._known_addresses:
            return None
        return HistoryReadEvent(address=address, cursor=cursor)

    async def read_queued_chats(self, door: InboundBus) -> None:
        while True:
            chat = await self._chats_to_read.get()
            try:
                is_done = await self.read_and_publish_next_page(chat, door)
            except DeliveryDelayed as delayed:
                await self.requeue_after_pause(chat, delayed.seconds)
            except (NotDelivered, OSError) as error:
                chat.failed_attempts += 1
                if chat.failed_attempts < MAX_PAGE_ATTEMPTS:
                    pause = self.timing.first_retry_seconds * 2 ** (chat.failed_attempts - 1)
                    await self.requeue_after_pause(chat, pause)
                else:
                    log.warning(operator_texts.LOG_HISTORY_LATER, chat.address, error)
                    await self.publish_held_events_and_finish(chat, door, is_read=False)
            except DeliveryError as error:
                log.info(operator_texts.LOG_HISTORY_CLOSED, chat.address, error)
                await self.publish_held_events_and_finish(chat, door, is_read=False)
            else:
                if is_done and not chat.has_missed_newer_messages:
                    await self.publish_held_events_and_finish(chat, door, is_read=True)
                elif not is_done and (
                    chat.pages_read >= self.max_pages_per_chat or self._pages_read >= self.max_pages_in_all
                ):
                    log.warning(operator_texts.LOG_HISTORY_LONG, chat.address)
                    await self.publish_held_events_and_finish(chat, door, is_read=False)
                else:
                    chat.has_missed_newer_messages = False
                    self._chats_to_read.put_nowait(chat)

    async def read_and_publish_next_page(self, chat: ChatToCatchUp, door: InboundBus) -> bool:
        """Read and publish the next page. Return True if it was the last."""
        whole_bot = PacingScope(ALL_CALLS_SCOPE_NAME, self.timing.all_calls_limit)
        counted = [PacingScope("history", self.timing.history_page_limit), whole_bot]
        await self.api.pacing.book_slot_and_wait(("history", chat.address), counted)
        async with self.api.pacing.wait_and_count_call(("history", chat.address), counted):
            channel = await self.directory.find_or_open_channel_id(chat.address)
            place = await self.directory.find_or_fetch_location(channel)
            page = await self.api.fetch_page_after(channel, chat.cursor)
        page = await self.members.add_to_messages(page, place)
        # A restored database does not know of these answers.
        done = message_ids_answered_by_bot(page, self.make_message_reader().bot_id)
        events: list[InboundEvent] = []
        for item in page:
            event = self.read_history_message(item, place) if str(message_id_or_zero(item)) not in done else None
            if event and isinstance(event, InboundMessage) and event.address != chat.address:
                events += self.remember_request(event, item)
                events.append(event)
            elif event:
                events.append(replace(event, cursor=item["id"]) if isinstance(event, InboundMessage) else event)
        last = str(max(map(message_id_or_zero, page), default=0))
        if int(last):
            events.append(HistoryReadEvent(address=chat.address, cursor=last))
            chat.cursor = last
        if events:
            await door.publish(events)
        chat.pages_read, chat.failed_attempts = chat.pages_read + 1, 0
        self._pages_read += 1
        return len(page) < MESSAGES_PER_PAGE

    def read_history_message(self, item: object, place: ChannelLocation) -> InboundEvent | None:
        """Read one message of a chat's history. Return None if it needs no answer."""
        reader = self.make_message_reader()
        try:
            return reader.read_message(require_object(item), place)
        except MALFORMED_DATA_ERRORS as error:
            log.warning(operator_texts.LOG_MESSAGE_SET_ASIDE, type(error).__name__)
            return make_unreadable_event(item, error, reader.bot_id, place)

    def remember_request(self, message: InboundMessage, raw: JsonObject) -> list[InboundEvent]:
        """Return what makes the thread durable that a message opens; nothing if it is about an earlier request."""
        threads = self.make_message_reader().threads
        if message.address.thread != raw["id"]:
            return []
        name = thread_name(raw["content"], message.sender.name)
        return [threads.remember_request(message.address, name, message.sender.id)]

    async def requeue_after_pause(self, chat: ChatToCatchUp, seconds: float) -> None:
        await asyncio.sleep(min(seconds, self.timing.max_retry_seconds))
        self._chats_to_read.put_nowait(chat)

    async def publish_held_events_and_finish(self, chat: ChatToCatchUp, door: InboundBus, *, is_read: bool) -> None:
        """Publish the held events. Without `is_read`, the history has a gap, so the chat's cursor stays where it is."""
        if not is_read:
            self._addresses_with_gap.add(chat.address)
        while chat.held_events:
            held, chat.held_events = chat.held_events, []
            if not is_read:
                held = list(map(without_cursor, held))
                held = [each for each in held if not is_history_read(each, chat.address)]
            await door.publish(held)
        del self._chats_behind[chat.address]


@dataclass
class EventQueue:
    """The events of one bot. `make_message_reader` returns the reader for the bot that is signed in."""

    directory: ChannelDirectory
    interactions: PendingInteractions
    backfill: Backfill
    make_message_reader: Callable[[], DiscordMessageReader]
    recent_talk: RecentTalk
    choices: CommandChoices
    _incoming: asyncio.Queue[tuple[str, object]] = field(
        default_factory=asyncio.Queue
    )  # names of events, and their data
    _history_read_at: dict[Address, float] = field(default_factory=dict)  # by the loop's clock

    def enqueue_if_relevant(self, name: str, raw: object) -> None:
        """Queue an event. The name is "" for a payload that is no event. This awaits nothing, to keep the order."""
        if name in RELEVANT_EVENTS:
            self._incoming.put_nowait((name, raw))

    async def publish_queued_events(self, door: InboundBus) -> None:
        async with asyncio.TaskGroup() as acknowledging:
            while True:
                heard = [await self._incoming.get()]
                while len(heard) < MAX_BATCH_EVENTS and not self._incoming.empty():
                    heard.append(self._incoming.get_nowait())
                batch = EventBatch()
                for name, raw in heard:
                    if name == SESSION_STARTED_EVENT:
                        await self.publish_and_acknowledge(batch, door, acknowledging)
                        batch = EventBatch()
                        self.recent_talk.forget()
                        await self.backfill.queue_known_chats_for_reading(door)
                    elif name == INTERACTION_EVENT and is_elsewhere(raw, self.make_message_reader().answer_in):
                        acknowledging.create_task(self.interactions.refuse(raw), name="discord refusal")
                    elif name == INTERACTION_EVENT and is_choice_request(raw):
                        choosing = self.choices.answer(raw, self.make_message_reader(), door)
                        acknowledging.create_task(choosing, name="discord choices")
                    else:
                        await self.read_event_into_batch(name, raw, batch)
                await self.publish_and_acknowledge(batch, door, acknowledging)

    async def publish_and_acknowledge(self, batch: EventBatch, door: InboundBus, tasks: asyncio.TaskGroup) -> None:
        if batch:
            await door.publish([event for event, _ in batch])
        for pending in (each for _, each in batch if each):
            acknowledging = self.interactions.acknowledge_and_finish_if_unanswered(pending)
            tasks.create_task(acknowledging, name="discord acknowledgement")

    async def read_event_into_batch(self, name: str, data: object, batch: EventBatch) -> None:
        """Read one event into the batch. Add an UnreadableEvent if it cannot be read."""
        reader, place = self.make_message_reader(), None
        try:
            raw = require_object(data)
            if name == INTERACTION_EVENT:
                if tap_or_command := read_interaction(raw, reader):
                    batch.append((tap_or_command, self.interactions.remember_interaction(raw, tap_or_command)))
            elif name in MEMBERSHIP_EVENTS:
                if change := read_membership_change(name, raw, reader.bot_id, self.directory):
                    batch.append((change, None))
            elif name in DELETION_EVENTS:
                for deletion in await read_deletions(name, raw, reader.bot_id, self.directory):
                    if not self.backfill.hold_event_if_catching_up(deletion.address, deletion):
                        batch.append((deletion, None))
            elif name == MESSAGE_CREATED_EVENT or is_edit_by_author(raw):
                guild = read_id_field(raw, "guild_id") if raw.get("guild_id") else None
                place = await self.directory.fetch_location_or_assume_no_thread(read_id_field(raw, "channel_id"), guild)
                chat = place.address_for_person(read_id_field(read_object_field(raw, "author"), "id"))
                if name == MESSAGE_CREATED_EVENT and not self.backfill.is_catching_up(chat):
                    batch += [(each, None) for each in await self.recent_talk.read_before(raw, place, reader)]
                self.read_message_into_batch_or_hold(raw, place, batch, is_edit=name == MESSAGE_UPDATED_EVENT)
        except MALFORMED_DATA_ERRORS as error:  # it must not block the events behind it
            log.warning(operator_texts.LOG_EVENT_SET_ASIDE, type(error).__name__)
            batch.append((make_unreadable_event(data, error, reader.bot_id, place), None))

    def read_message_into_batch_or_hold(
        self, raw: JsonObject, place: ChannelLocation, batch: EventBatch, *, is_edit: bool
    ) -> None:
        read = self.make_message_reader().read_message(raw, place, is_edit=is_edit)
        if isinstance(read, OverheardMessage):
            self.overhear_into_batch_or_hold(read, raw, batch)
        message = read if isinstance(read, InboundMessage) else None
        if message and message.text.startswith("/"):
            is_admin = is_admin_by_roles(raw, place.guild_id, self.directory)
            message = replace(message, is_from_chat_admin=is_admin)
        if place.guild_id is None and message:
            self.directory.remember_private_channel(message.sender.id, place.channel_id)
        author = read_object_field(raw, "author")
        address = place.address_for_person(read_id_field(author, "id"))
        id = read_id_field(raw, "id")
        if message and message.address != address:
            return self.read_request_into_batch_or_hold(raw, message, address, batch)
        event = self.backfill.remember_chat_and_add_cursor(address, message, id) if message else None
        if self.backfill.hold_event_if_catching_up(address, event):
            return
        if event:
            batch.append((event, None))
            return
        now = asyncio.get_running_loop().time()
        before = self._history_read_at.get(address, float("-inf"))
        is_due = not is_edit and now - before >= HISTORY_READ_EVENT_INTERVAL_SECONDS
        if is_due and (progress := self.backfill.make_history_read_event(address, id)):
            self._history_read_at[address] = now
            batch.append((progress, None))

    def overhear_into_batch_or_hold(self, overheard: OverheardMessage, raw: JsonObject, batch: EventBatch) -> None:
        """Pass on what people say to each other. It gets a cursor, because it may turn out to be for the bot."""
        address, message = overheard.message.address, overheard.message
        if not message.is_edit and self.backfill.may_move_cursor(address):
            overheard = replace(overheard, message=replace(message, cursor=raw["id"]))
        if not self.backfill.hold_event_if_catching_up(address, overheard):
            batch.append((overheard, None))

    def read_request_into_batch_or_hold(
        self, raw: JsonObject, message: InboundMessage, channel: Address, batch: EventBatch
    ) -> None:
        """Read a message of a channel that is answered in a thread. The history of both goes on behind it."""
        events = [*self.backfill.remember_request(message, raw), message]
        if not message.is_edit:
            self.backfill.remember_address(channel)
            progress = self.backfill.make_history_read_event(channel, raw["id"])
            events += [progress] if progress else []
        for event in events:
            if not self.backfill.hold_event_if_catching_up(channel, event):
                batch.append((event, None))


def without_cursor(event: InboundEvent) -> InboundEvent:
    match event:
        case InboundMessage():
            return replace(event, cursor=None)
        case OverheardMessage():
            return replace(event, message=replace(event.message, cursor=None))
    return event


def is_history_read(event: InboundEvent, address: Address) -> bool:
    return isinstance(event, HistoryReadEvent) and event.address == address


def parse_gateway_payload(payload: str) -> tuple[int | None, str, object]:
    """Return a payload's op code, and its event's name and data. A payload that is not Discord's has None and ""."""
    try:
        found = json.loads(payload)
    except ValueError:
        return None, "", payload
    if not isinstance(found, dict):
        return None, "", found
    name = found.get("t")
    return found.get("op"), name if isinstance(name, str) else "", found.get("d")
