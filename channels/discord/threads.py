"""Threads that requests open: a request in a server channel opens a thread, and all that is said about it goes there.

A thread that is opened from a message has the message's id. So the request has the thread's address before the thread
exists, and the first thing that is said there opens it. Where no thread can be opened or written to, the bot speaks in
the channel, in reply to the request. Which of them it is stands in the chat's `place`. In the channel a command means
the request that it replies to; without one, the newest request of its sender that has no thread.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field, replace

from bot.core.channel import InboundBus
from bot.core.errors import ChatClosed, NotDelivered
from bot.core.invisible_characters import strip_invisible
from bot.core.messages import Address, HistoryReadEvent, OutboundMessage
from channels.discord import model_texts, operator_texts
from channels.discord.api import DiscordApi, DiscordRefusal
from channels.discord.ids import CHANNEL_NAME
from channels.discord.locations import ChannelDirectory

OPEN_PATH = "/channels/{channel_id}/messages/{message_id}/threads"
TYPING_PATH = "/channels/{channel_id}/typing"
ALREADY_OPENED_CODE = 160004
MAX_NAME_LENGTH = 100  # characters
NAME_PREFIX = "thread:"  # of a chat's `place`, before the thread's name
IN_CHANNEL_PLACE, ASKER_SEPARATOR = "channel", ":"  # of a chat's `place`, with the person who asked, if known
COMMANDS_ABOUT_REQUEST = ("/stop", "/status", "/agents", "/log", "/tell", "/retry", "/quiet", "/verbose")
ANY_MENTION_PATTERN = re.compile(r"<(?:@[!&]?|#)\d+>|<t:-?\d+(?::\w)?>|<id:\w+>")  # also times and parts of a server
COMMAND_MENTION_PATTERN = re.compile(r"<(/[^:<>]+):\d+>")
CUSTOM_EMOJI_PATTERN = re.compile(r"<a?(:\w+:)\d+>")

log = logging.getLogger(__name__)


@dataclass
class RequestThreads:
    """The threads of one bot. `is_on` is the setting: without it no request opens a thread, but those that requests
    have opened before are still written to."""

    api: DiscordApi
    directory: ChannelDirectory
    is_on: bool = False
    _names: dict[Address, str] = field(default_factory=dict)  # of the threads that requests open
    _opened: set[Address] = field(default_factory=set)  # exist for certain
    _in_channel: set[Address] = field(default_factory=set)  # the bot speaks in the channel instead
    _unopened: set[Address] = field(default_factory=set)  # came in this run, and nothing was said there yet
    _askers: dict[Address, str] = field(default_factory=dict)  # who asked, as far as that is known
    _door: InboundBus | None = None

    async def load(self, door: InboundBus) -> None:
        """Find the threads that requests have opened before, and where the bot speaks in the channel instead."""
        self._door = door
        for known in await door.list_known_chats(CHANNEL_NAME):
            place, _, asker = (known.place or "").partition(ASKER_SEPARATOR)
            if known.address.thread and place == IN_CHANNEL_PLACE:
                self._in_channel.add(known.address)
                self._askers[known.address] = asker
            elif known.address.thread and known.place and known.place.startswith(NAME_PREFIX):
                self._names[known.address] = known.place.removeprefix(NAME_PREFIX)

    def remember_request(self, address: Address, name: str, asker: str) -> HistoryReadEvent:
        """Remember the thread of a request. Return the event that makes it durable. The thread is read from here on."""
        assert address.thread, "a request that opens a thread has the thread's address"
        if address not in self._in_channel:
            self._names[address] = name
            self._unopened.add(address)
        self._askers[address] = asker
        return HistoryReadEvent(address=address, cursor=address.thread, place=NAME_PREFIX + name)

    def has_request(self, address: Address) -> bool:
        """Return True if a request has this address because it opens a thread."""
        return address in self._names or address in self._in_channel

    def find_answered_request(self, address: Address, raw: object) -> Address | None:
        """Return the address of the request that `raw`, a message in this channel, is or replies to: what the bot says
        there about a request, also a summary, replies to it. Return None if it is about no request."""
        if not isinstance(raw, dict) or address.thread:
            return None
        reference = raw.get("message_reference")
        answered = reference.get("message_id") if isinstance(reference, dict) else None
        found = [replace(address, thread=each) for each in (answered, raw.get("id")) if isinstance(each, str)]
        return next(filter(self.has_request, found), None)

    def find_request_of_command(self, channel: Address, sender: str, text: str) -> Address | None:
        """Return the address of the request that a command in a channel is about if it replies to none: the sender's
        newest one without a thread, or else the newest one of anybody. Return None if the command is about the channel
        itself, or if no request there is without a thread."""
        name = text.partition(" ")[0].partition("@")[0].casefold()
        if channel.thread or name not in COMMANDS_ABOUT_REQUEST:
            return None
        there = [each for each in self._in_channel | self._unopened if replace(each, thread=None) == channel]
        own = [each for each in there if self._askers.get(each) == sender]
        return max(own or there, key=lambda each: int(each.thread or 0), default=None)

    def is_in_channel(self, address: Address) -> bool:
        """Return True if the bot speaks in the channel in place of a thread."""
        return address in self._in_channel

    async def channel_id(self, address: Address) -> str:
        """Return the channel where messages of this address are. Raise like a request."""
        return address.chat if self.is_in_channel(address) else await self.directory.find_or_open_channel_id(address)

    async def channel_id_to_write_to(self, address: Address) -> str:
        """Return the channel to write to. Open the thread of a request if it is not open yet. Raise like a request."""
        if address in self._names and address not in self._opened:
            await self.open_or_move_to_channel(address)
        return await self.channel_id(address)

    async def open_or_move_to_channel(self, address: Address) -> None:
        assert address.thread, "only threads have names"
        if not self.directory.cached_channel(address.thread):
            ids = {"channel_id": address.chat, "message_id": address.thread}
            try:
                await self.api.request("POST", OPEN_PATH, body={"name": self._names[address]}, **ids)
            except OSError as error:  # nothing was said yet, and opening it again is harmless
                raise NotDelivered(str(error)) from None
            except (ChatClosed, DiscordRefusal) as refusal:
                is_open = isinstance(refusal, DiscordRefusal) and refusal.code == ALREADY_OPENED_CODE
                if not (is_open or await self.exists(address.thread)):
                    return await self.move_to_channel(address, refusal)
        self._opened.add(address)
        self._unopened.discard(address)

    async def exists(self, thread: str) -> bool:
        try:
            await self.directory.find_or_fetch_location(thread)
        except OSError as error:
            raise NotDelivered(str(error)) from None
        except (ChatClosed, DiscordRefusal):
            return False
        return True

    async def move_to_channel(self, address: Address, why: Exception) -> None:
        """Speak in the channel from now on. This is durable before anything is said there."""
        log.info(operator_texts.LOG_NO_THREAD, address, why)
        assert address.thread, "only threads move"
        assert self._door, "the channel runs"
        cursor = str(int(address.thread) + 1)  # a cursor must advance
        place = ASKER_SEPARATOR.join(filter(None, [IN_CHANNEL_PLACE, self._askers.get(address)]))
        await self._door.publish([HistoryReadEvent(address=address, cursor=cursor, place=place)])
        self._names.pop(address, None)
        self._unopened.discard(address)
        self._in_channel.add(address)

    async def show_typing(self, address: Address) -> None:
        """Show typing where the bot will speak; in the channel while the thread is not open. Raise like a request."""
        is_unopened = address in self._names and address not in self._opened
        if is_unopened and address.thread and self.directory.cached_channel(address.thread):
            is_unopened = False
        channel = address.chat if is_unopened else await self.channel_id(address)
        await self.api.request("POST", TYPING_PATH, channel_id=channel)


def thread_name(content: str, person: str) -> str:
    """Return the name of the thread that a message opens: its first words without mentions, or the person's name."""
    content = CUSTOM_EMOJI_PATTERN.sub(r"\1", COMMAND_MENTION_PATTERN.sub(r"\1", content))
    words = " ".join(strip_invisible(ANY_MENTION_PATTERN.sub(" ", content)).split())
    name = words or " ".join(strip_invisible(person).split()) or model_texts.SOMEBODY
    if len(name) <= MAX_NAME_LENGTH:
        return name
    cut = name[: MAX_NAME_LENGTH - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


def is_summary(message: OutboundMessage) -> bool:
    return message.is_summary


def summary_text(message: OutboundMessage, text: str) -> str:
    """Return a summary with the link to its thread."""
    return f"{text} · <#{message.address.thread}>"
