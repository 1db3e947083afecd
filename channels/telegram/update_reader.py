"""Turn one update of Telegram into an event for the bot, or into nothing if it is not addressed to the bot."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.core import messages
from channels.telegram import message_contents
from channels.telegram.client import STOP_UPDATE_KIND
from channels.telegram.fields import JsonFields, MalformedUpdate
from channels.telegram.ids import CHANNEL_NAME, TAP_ID_MARKER, make_event_id, make_stored_id
from channels.telegram.memberships import read_membership_change
from channels.telegram.nameless_messages import nameless_kind
from channels.telegram.native_drafts import read_stop_of_draft
from channels.telegram.overhearing import make_overheard_message
from channels.telegram.rich_messages import RichMessageReader
from channels.telegram.text_entities import TextEntity, decode_utf16, read_marked_text, strip_outer_mentions

GROUP_CHAT_TYPES = ("group", "supergroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramUpdateReader:
    """Reads updates as one bot. The bot's id and name decide what is addressed to it; so is a reply to its voices."""

    bot_id: int
    bot_username: str
    voice_ids: frozenset[int] = frozenset()
    reads_all: bool = True  # privacy mode is off
    forum_chats: set[str] = field(default_factory=set)  # chats with topics; the reader adds those that it meets

    def read_update(self, update: Any, now: datetime, *, is_addressed: bool = False) -> messages.InboundEvent | None:
        """Return the event, or None if it needs no answer. Turn a malformed update into an UnreadableEvent. If it
        `is_addressed`, it is for the bot, no matter what it says."""
        try:
            found = JsonFields(update, "update")
            number = found.read_integer("update_id")
            if "callback_query" in found:
                return self.read_tap(found.read_object("callback_query"), now)
            if "edited_message" in found:
                match self.read_message(found.read_object("edited_message")):
                    case messages.InboundMessage() as edited:
                        return replace(edited, is_edit=True)
                    case messages.OverheardMessage() as overheard:
                        return replace(overheard, message=replace(overheard.message, is_edit=True))
                return None
            if "my_chat_member" in found:
                change = found.read_object("my_chat_member")
                return read_membership_change(change, self.bot_id, number, reads_all=self.reads_all)
            if STOP_UPDATE_KIND in found:
                return read_stop_of_draft(found.read_object(STOP_UPDATE_KIND), self.bot_id, number, now)
            if "channel_post" in found:
                return self.read_message(found.read_object("channel_post"))
            if "message" not in found and set(found.values) - {"update_id", "message"}:
                return None  # a kind of update that we did not ask for
            return self.read_message(found.read_object("message"), is_addressed=is_addressed)
        except MalformedUpdate as error:
            return self.make_unreadable_event(update, error)

    def read_message(self, message: JsonFields, *, is_addressed: bool = False) -> messages.InboundEvent | None:
        """Return the message's event, or None if nobody wrote it. In a group chat it may not address the bot."""
        chat = message.read_object("chat")
        if chat.is_true("is_forum"):
            self.forum_chats.add(str(chat.read_integer("id")))
        if moved := self.read_chat_move(message, chat):
            return moved
        is_service_message = any(name in message for name in message_contents.SERVICE_MESSAGE_FIELD_NAMES)
        if is_service_message or not is_written_by_person(message):
            return None if is_service_message else self.read_nameless_message(message, chat)
        in_group = chat.read_text("type") in GROUP_CHAT_TYPES
        if not in_group and chat.read_text("type") != "private":
            return None
        words, is_to_bot = self.read_words_and_detect_bot(message, strips_mentions=in_group)
        target = message_contents.replied_message(message)
        writer = target.read_object("from").read_integer("id") if target and "from" in target else None
        is_reply_to_bot = writer == self.bot_id or writer in self.voice_ids
        is_for_bot = is_addressed or not in_group or is_reply_to_bot
        is_for_bot = is_for_bot or (is_to_bot and "forward_origin" not in message)
        address, forward = read_message_address(message), message_contents.quote_of_forward(message)
        read = messages.InboundMessage(
            id=make_event_id(self.bot_id, address.chat, message.read_integer("message_id")),
            address=address,
            sender=read_sender(message.read_object("from")),
            language=read_language(message.read_object("from")),
            text="" if forward else words,  # forwarded words are not the sender's request: the bot does not obey them
            written=None if forward else message_contents.read_written_words(message, self.bot_id),
            sent_at=message.read_time("date"),
            reply_to=make_stored_id([target.read_integer("message_id")], writer if writer in self.voice_ids else None)
            if target
            else None,
            group_chat=address.chat if in_group else None,
            quotes=tuple(filter(None, (message_contents.quote_of_replied_message(message), forward))),
            attachments=message_contents.describe_other_contents(message),
            files=message_contents.list_all_files(message),
            album=message.read_optional_text("media_group_id") or None,
        )
        return read if is_for_bot else make_overheard_message(read, message)

    def read_nameless_message(self, message: JsonFields, chat: JsonFields) -> messages.NamelessMessage | None:
        """Return a message in the name of a group or channel, if it addresses the bot."""
        kind = nameless_kind(message, chat)
        if kind is None:
            return None
        _, is_to_bot = self.read_words_and_detect_bot(message, strips_mentions=True)
        target = message_contents.replied_message(message)
        writer = target.read_object("from").read_integer("id") if target and "from" in target else None
        if not (is_to_bot or writer == self.bot_id):
            return None
        return messages.NamelessMessage(address=read_message_address(message), kind=kind)

    def read_words_and_detect_bot(self, message: JsonFields, *, strips_mentions: bool) -> tuple[str, bool]:
        """Return the words, and whether they name the bot or begin with a command that names no other bot. Remove the
        bot's name from a command. With `strips_mentions`, also remove mentions of the bot at the start and the end."""
        if "rich_message" in message and (rich := self.read_rich_words_and_detect_bot(message)):
            return rich
        whole, marks = read_marked_text(message)
        mentions: list[TextEntity] = []
        is_to_bot = False
        for mark in marks:
            name, at, to = decode_utf16(whole[mark.start_byte : mark.end_byte]).partition("@")
            is_named = f"@{to}".casefold() == f"@{self.bot_username}".casefold()
            if (mark.type == "mention" and is_named) or (mark.type == "text_mention" and mark.person_id == self.bot_id):
                mentions.append(mark)
            elif mark.type == "bot_command" and is_named and mark.start_byte == 0:
                return name + decode_utf16(whole[mark.end_byte :]), True
            elif mark.type == "bot_command":
                is_to_bot |= is_named or (not at and mark.start_byte == 0)
        stripped = strip_outer_mentions(whole, mentions) if strips_mentions else ""
        return stripped or decode_utf16(whole), is_to_bot or bool(mentions)

    def read_rich_words_and_detect_bot(self, message: JsonFields) -> tuple[str, bool] | None:
        """Return the words of a rich message, and whether they name the bot; None if it has no words."""
        reader = RichMessageReader()
        words = reader.read(message.values["rich_message"])
        if not words:
            return None
        command, _, rest = words.partition(" ")
        name, at, to = command.partition("@")
        if words.startswith("/") and (not at or to.casefold() == self.bot_username.casefold()):
            return f"{name} {rest}".strip(), True
        return words, bool(reader.mentions & {self.bot_id, self.bot_username.casefold()})

    def read_chat_move(self, message: JsonFields, chat: JsonFields) -> messages.ChatMovedEvent | None:
        """Return a chat's move to a new id, or None. Telegram reports it in both chats; the event's id is the same."""
        if "migrate_to_chat_id" in message:
            old, new = chat.read_integer("id"), message.read_integer("migrate_to_chat_id")
        elif "migrate_from_chat_id" in message:
            old, new = message.read_integer("migrate_from_chat_id"), chat.read_integer("id")
        else:
            return None
        id = make_event_id(self.bot_id, "moved", old, new)
        return messages.ChatMovedEvent(id=id, channel=CHANNEL_NAME, old=str(old), new=str(new))

    def read_tap(self, query: JsonFields, now: datetime) -> messages.InboundMessage | None:
        """Return a tap as an answer: its data is the option's number and the question. Return None if the tap has no
        message or comes from a bot."""
        if "message" not in query or query.read_object("from").is_true("is_bot"):
            return None
        number, _, question = query.read_optional_text("data").partition(":")
        message = query.read_object("message")
        address = read_message_address(message)
        is_group = message.read_object("chat").read_text("type") in GROUP_CHAT_TYPES
        return messages.InboundMessage(
            id=make_event_id(self.bot_id, TAP_ID_MARKER, query.read_text("id")),
            address=address,
            sender=read_sender(query.read_object("from")),
            language=read_language(query.read_object("from")),
            text=number,
            sent_at=now,
            kind=messages.InboundKind.ANSWER,
            question=messages.QuestionId(question),
            group_chat=address.chat if is_group else None,
        )

    def make_unreadable_event(self, update: Any, error: MalformedUpdate) -> messages.UnreadableEvent:
        """Return the update as it came, in ASCII, because ASCII can always be stored. The event has an address only if
        the chat is private: in a group chat the message may not have been for the bot."""
        raw = json.dumps(update, ensure_ascii=True)
        digest = hashlib.sha256(raw.encode()).hexdigest()[:16]
        name = update.get("update_id", digest) if isinstance(update, dict) else digest
        address = private_address_of_update(update)
        return messages.UnreadableEvent(
            id=make_event_id(self.bot_id, "update", name),
            channel=CHANNEL_NAME,
            raw_event=raw,
            parse_error=f"{type(error).__name__}: {error}",
            address=address,
            sender=messages.Sender(id=messages.PersonId(address.chat), name="")
            if address
            else None,  # the chat's own person
        )


def is_written_by_person(message: JsonFields) -> bool:
    """Return True if a person wrote the message, not a bot, an anonymous administrator or a linked channel."""
    if "sender_chat" in message or message.is_true("is_automatic_forward"):
        return False
    return not message.read_object("from").is_true("is_bot")


def read_sender(person: JsonFields) -> messages.Sender:
    id = messages.PersonId(str(person.read_integer("id")))
    return messages.Sender(id=id, name=message_contents.person_name(person))


def read_language(person: JsonFields) -> str:
    """Return the language of the person's app, as a tag such as de; empty if Telegram does not tell it."""
    return person.read_text("language_code") if "language_code" in person else ""


def read_message_address(message: JsonFields) -> messages.Address:
    thread = str(message.read_integer("message_thread_id")) if message.is_true("is_topic_message") else None
    chat = str(message.read_object("chat").read_integer("id"))
    return messages.Address(channel=CHANNEL_NAME, chat=chat, thread=thread)


def private_address_of_update(update: Any) -> messages.Address | None:
    """Return the address of a malformed update, if it can be read and is private."""
    try:
        whole = JsonFields(update, "update")
        kind = next(kind for kind in ("message", "edited_message") if kind in whole)
        address = read_message_address(whole.read_object(kind))
    except (MalformedUpdate, StopIteration):
        return None
    return address if int(address.chat) > 0 else None


def newest_update_id(updates: Sequence[Any], before: int | None) -> int | None:
    """Return the last update's id. `before` is the last one seen. An update without an id counts as the next number."""
    newest = before
    for update in updates:
        found = update.get("update_id") if isinstance(update, dict) else None
        if isinstance(found, int) and not isinstance(found, bool):
            newest = found
        elif newest is not None:
            newest += 1
    return newest
