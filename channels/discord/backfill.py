"""Read what people wrote in known chats while the bot was away: page by page, a page of each chat in turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.core.channel import InboundBus
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.messages import Address, Event, HistoryRead, InboundMessage
from channels.discord import operator_texts
from channels.discord.api import BOT_SCOPE, MESSAGES, DiscordApi
from channels.discord.ids import CHANNEL
from channels.discord.locations import ChannelDirectory, ChannelLocation, is_private
from channels.discord.message_reader import messages_answered_by
from channels.discord.platform import PRIVATE_PREFIX
from channels.discord.times import Times
from channels.pacing import PacingScope

PAGE_SIZE = 100  # messages, the most that Discord sends at once
PARALLEL_PAGES = 4  # requests for pages at the same time
MAX_TRIES = 5

Read = Callable[[object, ChannelLocation], Event | None]

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


class Backfill:
    """Reads the missed history when a session begins: at most `most_pages` of one chat and `most_in_all` of all."""

    most_pages = 20
    most_in_all = 500

    def __init__(
        self, rest: DiscordApi, places: ChannelDirectory, read: Read, times: Times, bot: Callable[[], str]
    ) -> None:
        self.rest = rest
        self.places = places
        self.read = read
        self.times = times
        self.bot = bot  # returns the bot's own id
        self._behind: dict[Address, ChatToCatchUp] = {}
        self._given_up: set[Address] = set()  # chats not read to their end this time: their cursors must stay
        self._known: set[Address] = set()
        self._pages = 0
        self._waiting: asyncio.Queue[ChatToCatchUp] = asyncio.Queue()

    async def begin(self, door: InboundBus) -> None:
        """Begin to read what was missed: a new session does not say what people wrote before it."""
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
        """Return the message with the cursor that it moves. It moves none if it is an edit, or if the chat's history
        was not read to its end."""
        self._known.add(address)
        place = self.places.private_channel_of(address)
        return event if event.is_edit or address in self._given_up else replace(event, cursor=cursor, place=place)

    def progress(self, address: Address, cursor: str) -> HistoryRead | None:
        """Return a note that the chat is read so far. Return None if nobody has spoken to the bot there, or if the
        chat's history was not read to its end."""
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
        await self.rest.pacing.pace(("history", chat.address), counted)
        await self.rest.pacing.begin_call(("history", chat.address), counted)
        channel = await self.places.channel_of(chat.address)
        place = await self.places.find(channel)
        query = {"after": chat.cursor, "limit": str(PAGE_SIZE)}
        page = await self.rest.request("GET", MESSAGES, params=query, channel_id=channel)
        if not isinstance(page, list):
            raise ConnectionError(operator_texts.NOT_DISCORD)
        page = sorted(page, key=numeric_id)  # Discord sends the newest first
        done = messages_answered_by(page, self.bot())  # a database restored from a backup does not know of them
        events: list[Event] = []
        for item in page:
            event = self.read(item, place) if str(numeric_id(item)) not in done else None
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

    async def requeue_later(self, chat: ChatToCatchUp, seconds: float) -> None:
        await asyncio.sleep(min(seconds, self.times.longest_wait))
        self._waiting.put_nowait(chat)

    async def release(self, chat: ChatToCatchUp, door: InboundBus, *, is_read: bool) -> None:
        """Publish the held events in order. Those that arrive during this are published after them. Unless the history
        `is_read` to its end, the chat's cursor stays where it is."""
        if not is_read:
            self._given_up.add(chat.address)
        while chat.held_events:
            held, chat.held_events = chat.held_events, []
            if not is_read:
                held = [replace(each, cursor=None) if isinstance(each, InboundMessage) else each for each in held]
            await door.publish(held)
        del self._behind[chat.address]


def numeric_id(item: object) -> int:
    """Return a message's id as a number, to sort a page. Return 0 for an item that is no message."""
    id = item.get("id") if isinstance(item, dict) else None
    return int(id) if isinstance(id, str) and id.isdecimal() else 0
