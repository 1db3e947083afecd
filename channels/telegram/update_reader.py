"""Turn one update of Telegram into an event for the bot, or into nothing."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.core.messages import (
    Address,
    ChatMoved,
    Event,
    InboundKind,
    InboundMessage,
    PersonId,
    PlatformId,
    QuestionId,
    Sender,
    UnreadableEvent,
)
from channels.telegram import message_contents
from channels.telegram.fields import Fields, MalformedUpdate
from channels.telegram.ids import CHANNEL, TAP, event_id
from channels.telegram.mentions import read_speech

GROUP_CHAT_TYPES = ("group", "supergroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramReader:
    """Reads updates as one bot. The bot's id and name decide what is addressed to it."""

    bot: int
    username: str
    forums: set[str] = field(default_factory=set)  # chats with topics; the reader adds those that it meets

    def read(self, update: Any, now: datetime) -> Event | None:
        """Return the update's event, or None if it needs no answer. Return an UnreadableEvent with the whole update if
        it is malformed."""
        try:
            found = Fields(update, "update")
            found.number("update_id")
            if "callback_query" in found:
                return self.read_tap(found.object("callback_query"), now)
            if "edited_message" in found:
                edited = self.read_message(found.object("edited_message"))
                return replace(edited, is_edit=True) if isinstance(edited, InboundMessage) else None
            # `my_chat_member` needs no answer: if the bot may not write there, the next send fails and says so.
            if "my_chat_member" in found:
                return None
            if "message" not in found and set(found.values) - {"update_id", "message"}:
                return None  # a kind of update that we did not ask for
            return self.read_message(found.object("message"))
        except MalformedUpdate as error:
            return self.make_unreadable(update, error)

    def read_message(self, message: Fields) -> Event | None:
        """Return the message's event, or None if it is no request to the bot."""
        chat = message.object("chat")
        if chat.is_set("is_forum"):
            self.forums.add(str(chat.number("id")))
        if moved := self.read_chat_move(message, chat):
            return moved
        if any(name in message for name in message_contents.NOTE_FIELDS) or not is_by_person(message):
            return None
        speech = read_speech(message, self.bot, self.username)
        in_group = chat.text("type") in GROUP_CHAT_TYPES
        if not in_group and chat.text("type") != "private":
            return None
        target = message_contents.target_of_reply(message)
        if in_group:
            is_reply_to_bot = target and "from" in target and target.object("from").number("id") == self.bot
            if not is_reply_to_bot and ("forward_origin" in message or not speech.is_to_bot):
                return None
        address, forward = read_message_address(message), message_contents.quote_of_forward(message)
        words = speech.text_without_mentions if in_group else speech.text
        return InboundMessage(
            id=event_id(self.bot, address.chat, message.number("message_id")),
            address=address,
            sender=read_sender(message.object("from")),
            text="" if forward else words,  # forwarded words are not the sender's request: the bot does not obey them
            sent_at=message.time("date"),
            reply_to=PlatformId(str(target.number("message_id"))) if target else None,
            group_chat=address.chat if in_group else None,
            quotes=tuple(filter(None, (message_contents.quote_of_reply(message), forward))),
            attachments=message_contents.describe_contents(message),
        )

    def read_chat_move(self, message: Fields, chat: Fields) -> ChatMoved | None:
        """Return the move of a chat to a new id, or None. Telegram reports it in both chats, with one event id here."""
        if "migrate_to_chat_id" in message:
            old, new = chat.number("id"), message.number("migrate_to_chat_id")
        elif "migrate_from_chat_id" in message:
            old, new = message.number("migrate_from_chat_id"), chat.number("id")
        else:
            return None
        return ChatMoved(id=event_id(self.bot, "moved", old, new), channel=CHANNEL, old=str(old), new=str(new))

    def read_tap(self, query: Fields, now: datetime) -> InboundMessage | None:
        """Return a tap on a button as an answer. The button's data names the option and the question.

        Return None for a button without a message, because it is not ours."""
        if "message" not in query or query.object("from").is_set("is_bot"):
            return None
        number, _, question = query.optional_text("data").partition(":")
        message = query.object("message")
        address = read_message_address(message)
        is_group = message.object("chat").text("type") in GROUP_CHAT_TYPES
        return InboundMessage(
            id=event_id(self.bot, TAP, query.text("id")),
            address=address,
            sender=read_sender(query.object("from")),
            text=number,
            sent_at=now,
            kind=InboundKind.ANSWER,
            question=QuestionId(question),
            group_chat=address.chat if is_group else None,
        )

    def make_unreadable(self, update: Any, error: MalformedUpdate) -> UnreadableEvent:
        """Return the update as it came, in ASCII, because ASCII can always be stored. The event has an address only if
        the chat is private: in a group chat nobody knows whether the message was for the bot."""
        raw = json.dumps(update, ensure_ascii=True)
        digest = hashlib.sha256(raw.encode()).hexdigest()[:16]
        name = update.get("update_id", digest) if isinstance(update, dict) else digest
        address = private_address_of_update(update)
        return UnreadableEvent(
            id=event_id(self.bot, "update", name),
            channel=CHANNEL,
            raw=raw,
            why=f"{type(error).__name__}: {error}",
            address=address,
            sender=Sender(id=PersonId(address.chat), name="") if address else None,  # the chat's own person
        )


def is_by_person(message: Fields) -> bool:
    """Return True if a person wrote the message: no bot, no anonymous administrator, no channel's forwarded post."""
    if "sender_chat" in message or message.is_set("is_automatic_forward"):
        return False
    return not message.object("from").is_set("is_bot")


def read_sender(person: Fields) -> Sender:
    return Sender(id=PersonId(str(person.number("id"))), name=message_contents.person_name(person))


def read_message_address(message: Fields) -> Address:
    thread = str(message.number("message_thread_id")) if message.is_set("is_topic_message") else None
    return Address(channel=CHANNEL, chat=str(message.object("chat").number("id")), thread=thread)


def private_address_of_update(update: Any) -> Address | None:
    """Return the address of a malformed update, if it can be read and is private."""
    try:
        whole = Fields(update, "update")
        kind = next(kind for kind in ("message", "edited_message") if kind in whole)
        address = read_message_address(whole.object(kind))
    except (MalformedUpdate, StopIteration):
        return None
    return address if int(address.chat) > 0 else None


def newest_update_id(updates: Sequence[Any], before: int | None) -> int | None:
    """Return the id of the last update. `before` is the last id that was seen. An update without an id counts as the
    next number."""
    newest = before
    for update in updates:
        found = update.get("update_id") if isinstance(update, dict) else None
        if isinstance(found, int) and not isinstance(found, bool):
            newest = found
        elif newest is not None:
            newest += 1
    return newest
