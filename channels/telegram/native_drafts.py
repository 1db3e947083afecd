"""The live text as one of Telegram's own drafts (sendMessageDraft), with Telegram's button that stops it.

A draft is seen for half a minute, or until the next message, in private chats only; the answer is an ordinary message.
The button is of Bot API 10.3: a server that does not know it shows the draft without the button.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime

from telegram import Bot, MessageEntity
from telegram.error import InvalidToken

from bot.core.errors import DeliveryError
from bot.core.messages import (
    Address,
    Draft,
    InboundKind,
    InboundMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    PersonId,
    Sender,
)
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient, TelegramRefusal
from channels.telegram.fields import JsonFields
from channels.telegram.ids import CHANNEL_NAME, make_event_id
from channels.telegram.message_contents import person_name
from channels.telegram.rendering import render_message_parts

STOP_COMMAND = "/stop"
UNKNOWN_METHOD_WORDS = "method not found"
MAX_DRAFT_NUMBER = 2**31 - 1  # of a draft; it must not be 0

log = logging.getLogger(__name__)


class MethodUnknown(DeliveryError):
    """The Bot API server is older than the method."""


@dataclass(slots=True)
class NativeDrafts:
    client: TelegramClient
    is_on: bool
    _is_unknown: bool = False  # the server does not know the method
    _refused_chats: set[str] = field(default_factory=set)
    _locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _sent_counts: Counter[str] = field(default_factory=Counter)  # messages, by chat

    def are_used_at(self, address: Address) -> bool:
        """Return True if the live text is a draft there, and not a message that is edited."""
        is_possible = self.is_on and not self._is_unknown and not address.chat.startswith("-")
        return is_possible and address.chat not in self._refused_chats

    @asynccontextmanager
    async def kept_off(self, address: Address) -> AsyncIterator[None]:
        """While a message is sent, send no draft: Telegram takes the draft away when the message comes, and a later
        one would stay."""
        if not self.are_used_at(address):
            yield
            return
        self._sent_counts[address.chat] += 1
        async with self._locks[address.chat]:
            yield

    async def show(self, draft: Draft) -> None:
        """Show the newest part of a draft's text. If Telegram refuses it, show messages in its place from now on.
        Raise as a call does otherwise."""
        chat, seconds = draft.address.chat, self.client.timing.cosmetic_call_timeout_seconds
        message = OutboundMessage(
            id=OutboundId(draft.turn), address=draft.address, kind=OutboundKind.DRAFT, text=draft.text
        )
        before = self._sent_counts[chat]
        piece = (await asyncio.to_thread(render_message_parts, message))[-1]

        async def place(bot: Bot) -> bool:
            try:
                return await bot.send_message_draft(
                    int(chat),
                    draft.request % MAX_DRAFT_NUMBER or MAX_DRAFT_NUMBER,
                    piece.text,
                    int(draft.address.thread) if draft.address.thread else None,
                    entities=[MessageEntity(**asdict(each)) for each in piece.entities],
                    api_kwargs={"can_stop": True},
                )
            except InvalidToken as error:  # the library takes an unknown method for a wrong token
                if UNKNOWN_METHOD_WORDS in error.message.lower():
                    raise MethodUnknown(error.message) from None
                raise

        try:
            async with self._locks[chat]:
                if self._sent_counts[chat] == before:  # else the draft would stand below what has replaced it
                    await self.client.call(chat, place, seconds)
        except MethodUnknown as error:
            self._is_unknown = True
            log.warning(operator_texts.LOG_NO_DRAFTS, error)
        except TelegramRefusal as refusal:
            if not self._refused_chats:
                log.warning(operator_texts.LOG_NO_DRAFTS, refusal)
            self._refused_chats.add(chat)


def read_stop_of_draft(stopped: JsonFields, bot: int, update: int, now: datetime) -> InboundMessage | None:
    """Return the tap on the button of a draft as a typed /stop. A draft is in a private chat, so its person taps."""
    chat = stopped.read_object("chat")
    if chat.read_text("type") != "private":
        return None
    person = str(chat.read_integer("id"))
    thread = str(stopped.read_integer("message_thread_id")) if "message_thread_id" in stopped else None
    return InboundMessage(
        id=make_event_id(bot, "stop", update),
        address=Address(channel=CHANNEL_NAME, chat=person, thread=thread),
        sender=Sender(id=PersonId(person), name=person_name(chat)),
        kind=InboundKind.COMMAND,
        text=STOP_COMMAND,
        sent_at=now,
    )
