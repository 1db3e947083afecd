"""The bot's own place in group chats: when it is added or removed, who administers a chat, and how it leaves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.errors import ChatClosed, DeliveryError
from bot.core.messages import (
    Address,
    BotAddedEvent,
    BotRemovedEvent,
    InboundEvent,
    InboundMessage,
    PersonId,
    Sender,
)
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient, TelegramRefusal
from channels.telegram.fields import JsonFields
from channels.telegram.ids import CHANNEL_NAME, make_event_id
from channels.telegram.message_contents import person_name

MEMBER_STATUSES = ("member", "administrator", "creator")
ADMIN_STATUSES = ("administrator", "creator")
GROUP_CHAT_TYPES = ("group", "supergroup")
COMMANDS_OF_ADMINS = ("/mode", "/whereami")
MAX_PARALLEL_QUESTIONS = 8  # about members, at the same time
NOT_THERE_WORDS = ("not found", "not a member")

log = logging.getLogger(__name__)


def read_membership_change(
    change: JsonFields, bot: int, update: int, *, reads_all: bool
) -> BotAddedEvent | BotRemovedEvent | None:
    """Return that the bot was added to a group chat or removed from it. Return None for other changes. If the bot may
    not write in a private chat any more, the next send fails and says so."""
    chat = change.read_object("chat")
    if chat.read_text("type") not in GROUP_CHAT_TYPES:
        return None
    number = str(chat.read_integer("id"))
    before, after = (is_member(change.read_object(name)) for name in ("old_chat_member", "new_chat_member"))
    if before == after:
        return None
    if not after:
        return BotRemovedEvent(
            id=make_event_id(bot, "removed", number, update), channel=CHANNEL_NAME, group_chat=number
        )
    person = change.read_object("from")
    is_admin = change.read_object("new_chat_member").read_text("status") in ADMIN_STATUSES
    return BotAddedEvent(
        id=make_event_id(bot, "added", number, update),
        channel=CHANNEL_NAME,
        group_chat=number,
        title=chat.read_optional_text("title") or number,
        address=Address(channel=CHANNEL_NAME, chat=number),
        added_by=Sender(id=PersonId(str(person.read_integer("id"))), name=person_name(person)),
        hears_whole_chat=reads_all or is_admin,
    )


def is_member(member: JsonFields) -> bool:
    status = member.read_text("status")
    return status in MEMBER_STATUSES or (status == "restricted" and member.is_true("is_member"))


@dataclass
class TelegramMemberships:
    client: TelegramClient
    bot_id: int
    reads_all: bool = True  # privacy mode is off

    async def add_facts_for_commands(self, events: Sequence[InboundEvent]) -> list[InboundEvent]:
        """Add to the commands about a chat whether an admin of the chat has given them, and what the bot hears. All
        chats wait for that, so Telegram is asked once about each member, and about several at the same time."""
        members: dict[tuple[str, int], bool] = {}
        for event in events:
            if isinstance(event, InboundMessage) and is_command_about_chat(event):
                asked = (int(event.sender.id),) if self.reads_all else (int(event.sender.id), self.bot_id)
                members |= dict.fromkeys(((event.address.chat, each) for each in asked), False)
        if not members:
            return list(events)
        slots = asyncio.Semaphore(MAX_PARALLEL_QUESTIONS)

        async def ask(member: tuple[str, int]) -> None:
            async with slots:
                members[member] = await self.is_admin(*member)

        await asyncio.gather(*map(ask, members))
        return [self.add_facts(event, members) if is_command_about_chat(event) else event for event in events]

    def add_facts(self, event: InboundEvent, is_admin: Mapping[tuple[str, int], bool]) -> InboundEvent:
        if not isinstance(event, InboundMessage):
            return event
        chat = event.address.chat
        hears_all = self.reads_all or is_admin[chat, self.bot_id]
        return replace(event, is_from_chat_admin=is_admin[chat, int(event.sender.id)], hears_whole_chat=hears_all)

    async def is_admin(self, chat: str, person: int) -> bool:
        """Return True if somebody administers a chat; False also if Telegram does not answer that."""
        seconds = self.client.timing.cosmetic_call_timeout_seconds
        try:
            found = await self.client.call(chat, lambda bot: bot.get_chat_member(chat, person), seconds)
        except (DeliveryError, OSError) as error:
            log.debug(operator_texts.LOG_NO_MEMBER, chat, error)
            return False
        return found.status in ADMIN_STATUSES

    async def leave(self, chat: str) -> None:
        """Leave a chat. Do nothing if the bot is not in it."""
        try:
            await self.client.call(chat, lambda bot: bot.leave_chat(chat))
        except ChatClosed:
            return
        except TelegramRefusal as refusal:
            if not any(words in refusal.words for words in NOT_THERE_WORDS):
                raise


def is_command_about_chat(event: InboundEvent) -> bool:
    is_in_group = isinstance(event, InboundMessage) and event.group_chat is not None
    return is_in_group and isinstance(event, InboundMessage) and event.command in COMMANDS_OF_ADMINS
