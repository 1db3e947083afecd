"""Read a message or an edit that Discord sent, if it is meant for the bot. Say why if it cannot be read."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from bot.core.messages import (
    Address,
    InboundMessage,
    MessageId,
    OverheardMessage,
    PersonId,
    PlatformId,
    Quote,
    Sender,
    UnreadableEvent,
)
from bot.core.server_roles import ServerRole
from bot.core.stop_words import is_stop_word
from channels.discord import model_texts, operator_texts
from channels.discord.fields import MalformedDiscordData, read_id_field, read_object_field, read_text_field
from channels.discord.ids import (
    CHANNEL_NAME,
    JsonObject,
    make_message_id,
    stored_id_of_message,
    time_of_snowflake,
)
from channels.discord.locations import ChannelLocation
from channels.discord.message_contents import describe_files, describe_other_contents, list_files_of_message
from channels.discord.threads import COMMAND_MENTION_PATTERN, CUSTOM_EMOJI_PATTERN, RequestThreads

# The kinds of messages that people write: plain ones and replies. The others report joins, pins, …
HUMAN_MESSAGE_TYPES = (0, 19)
FORWARD_REFERENCE_TYPE = 1
STOP_COMMAND = "/stop"
PERSON_MENTION_PATTERN = re.compile(r"<@!?(\d+)>")
ROLE_MENTION_PATTERN = re.compile(r"<@&(\d+)>")
CHANNEL_MENTION_PATTERN = re.compile(r"<#(\d+)>")
INTERACTION_TOKEN_PATTERN = re.compile(r"""(\\?"token\\?":\s*\\?")[^"\\]*""")  # also in JSON within a text


class NameLookup(Protocol):
    """Names of channels and roles, as far as they are known."""

    def channel_name(self, channel: str) -> str | None: ...
    def role_name(self, guild: str, role: str) -> str | None: ...
    def bot_role_id(self, guild: str) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordMessageReader:
    """Reads messages for one bot. A typed name from `command_names`, like `/stop`, addresses the bot."""

    bot_id: str
    command_names: frozenset[str]
    name_lookup: NameLookup
    threads: RequestThreads
    answer_in: frozenset[str] = frozenset()  # the channels of servers where the bot answers; empty: in all
    answers_forum_posts: bool = False  # whether the first message of a forum's post needs no mention

    def read_message(
        self, raw: JsonObject, place: ChannelLocation, *, is_edit: bool = False
    ) -> InboundMessage | OverheardMessage | None:
        """Return the message, or None if no person wrote it. In a server it may not be addressed to the bot. Raise one
        of MALFORMED_DATA_ERRORS if it cannot be read."""
        if not may_answer_in(place, self.answer_in):
            return None
        author = read_object_field(raw, "author")
        is_automatic = author.get("bot") or author.get("system") or raw.get("webhook_id")
        if is_automatic or raw.get("type") not in HUMAN_MESSAGE_TYPES:
            return None
        sender = self.read_sender(author, raw.get("member"), place.guild_id)
        content = read_text_field(raw, "content")
        said, is_named = self.render_mentions_and_detect_bot(content, raw, place)
        written, shown = self.remove_names(content, place), said
        is_for_bot = place.guild_id is None or is_named or self.is_addressed_without_naming(said, raw, place)
        if (
            is_for_bot and is_stop_word(said) and not is_edit and self.opens_thread(said, place)
        ):  # it is about an earlier request
            said = STOP_COMMAND
        reference = raw.get("message_reference") or {}
        is_reply = reference.get("type", 0) != FORWARD_REFERENCE_TYPE and reference.get("message_id")
        address = place.address_for_person(sender.id)
        read = InboundMessage(
            id=make_message_id(self.bot_id, read_id_field(raw, "channel_id"), read_id_field(raw, "id")),
            address=self.address_of_request(said, raw, place, sender) if is_for_bot else address,
            sender=sender,
            text=said,
            written=None if written == shown else written,
            sent_at=read_message_time(raw),
            reply_to=read_reply_target(raw, reference) if is_reply else None,
            group_chat=place.guild_id,
            quotes=tuple(self.find_quotes(raw, place)),
            attachments=tuple(describe_other_contents(raw)),
            files=tuple(list_files_of_message(raw)),
            is_edit=is_edit,
            wants_summary=is_for_bot and self.opens_thread(said, place),
        )
        return read if is_for_bot else OverheardMessage(message=read, is_between_people=is_for_somebody_else(raw))

    def read_sender(self, author: JsonObject, member: Any, guild: str | None) -> Sender:
        """Return who has written, with the roles in the server if Discord tells them."""
        named = member.get("roles") if isinstance(member, dict) else None
        roles = None
        if guild and isinstance(named, list):
            ids = [str(each) for each in named if str(each).isdecimal()]
            roles = tuple(ServerRole(id=each, name=self.name_lookup.role_name(guild, each) or "") for each in ids)
        id = PersonId(read_id_field(author, "id"))
        return Sender(id=id, name=display_name(author, member), server_roles=roles)

    def is_addressed_without_naming(self, said: str, raw: JsonObject, place: ChannelLocation) -> bool:
        """Return True if a message in a server is meant for the bot although its text does not name the bot."""
        replied_to = raw.get("referenced_message") or {}
        mentioned = [each.get("id") for each in (raw.get("mentions") or [])]  # a reply mentions the person it answers
        is_by_bot = (replied_to.get("author") or {}).get("id") == self.bot_id
        is_reply_to_us = is_by_bot or is_by_own_webhook(replied_to, self.bot_id)
        is_command = said.startswith("/") and said.split()[0].casefold() in self.command_names
        is_new_post = self.answers_forum_posts and place.is_forum_post and raw["id"] == place.channel_id
        return is_command or self.bot_id in mentioned or is_reply_to_us or is_new_post

    def opens_thread(self, said: str, place: ChannelLocation) -> bool:
        """Return True if a message for the bot is answered in a thread. Commands are answered in place."""
        return self.threads.is_on and place.is_text_channel and not said.startswith("/")

    def address_of_request(self, said: str, raw: JsonObject, place: ChannelLocation, sender: Sender) -> Address:
        """Return the address where a message for the bot is answered: the thread that it opens, or the one of the
        request that the message replied to has answered, or that a command is about."""
        address, id = place.address_for_person(sender.id), read_id_field(raw, "id")
        answered = self.threads.find_answered_request(address, raw.get("referenced_message"))
        if self.opens_thread(said, place):
            return answered or replace(address, thread=id)
        if said.startswith("/"):
            return answered or self.threads.find_request_of_command(address, sender.id, said) or address
        return address

    def render_mentions_and_detect_bot(self, content: str, raw: JsonObject, place: ChannelLocation) -> tuple[str, bool]:
        """Return the text as people see it, without the bot's name, and whether it names the bot."""
        people = {each["id"]: display_name(each, each.get("member")) for each in (raw.get("mentions") or [])}
        bot_role_id = self.name_lookup.bot_role_id(place.guild_id) if place.guild_id else None
        named_people, named_roles = PERSON_MENTION_PATTERN.findall(content), ROLE_MENTION_PATTERN.findall(content)
        is_named = self.bot_id in named_people or bot_role_id in named_roles

        def person(found: re.Match[str]) -> str:
            return "" if found[1] == self.bot_id else f"@{people.get(found[1], model_texts.SOMEBODY)}"

        def role(found: re.Match[str]) -> str:
            name = self.name_lookup.role_name(place.guild_id, found[1]) if place.guild_id else None
            return "" if found[1] == bot_role_id else f"@{name or model_texts.SOMEBODY}"

        def channel(found: re.Match[str]) -> str:
            return f"#{self.name_lookup.channel_name(found[1]) or found[1]}"

        said = ROLE_MENTION_PATTERN.sub(role, PERSON_MENTION_PATTERN.sub(person, content))
        said = CHANNEL_MENTION_PATTERN.sub(channel, said)
        return CUSTOM_EMOJI_PATTERN.sub(r"\1", COMMAND_MENTION_PATTERN.sub(r"\1", said)).strip(), is_named

    def remove_names(self, content: str, place: ChannelLocation) -> str:
        """Return the text with the ids of those that it mentions, and without the bot. Others have chosen the names of
        people, roles, channels and emoji, so its sender has not written them."""
        bot_role_id = self.name_lookup.bot_role_id(place.guild_id) if place.guild_id else None
        for mention in (f"<@{self.bot_id}>", f"<@!{self.bot_id}>", f"<@&{bot_role_id}>"):
            content = content.replace(mention, "")
        return CUSTOM_EMOJI_PATTERN.sub("", COMMAND_MENTION_PATTERN.sub(r"\1", content)).strip()

    def find_quotes(self, raw: JsonObject, place: ChannelLocation) -> list[Quote]:
        """Return the words that the message replies to or forwards."""
        found = []
        if replied_to := raw.get("referenced_message"):
            author = display_name(read_object_field(replied_to, "author"), replied_to.get("member"))
            found.append(self.make_quote(author, replied_to, place, is_forwarded=False))
        for snapshot in raw.get("message_snapshots") or []:  # Discord does not say who wrote them
            forwarded = read_object_field(snapshot, "message")
            found.append(self.make_quote(model_texts.SOMEBODY, forwarded, place, is_forwarded=True))
        return found

    def make_quote(self, author: str, raw: JsonObject, place: ChannelLocation, *, is_forwarded: bool) -> Quote:
        said, _ = self.render_mentions_and_detect_bot(read_text_field(raw, "content"), raw, place)
        told = describe_other_contents(raw)
        files = describe_files(raw)
        text = "\n".join([said, *told]) if said else ", ".join([*files, *told])
        only_names_files = bool(files) and not (said or told)
        return Quote(author=author, text=text, is_forwarded=is_forwarded, only_names_files=only_names_files)


def may_answer_in(place: ChannelLocation, answer_in: frozenset[str]) -> bool:
    """Return True if the settings let the bot answer there. A thread counts as its channel."""
    return place.guild_id is None or not answer_in or (place.parent_channel_id or place.channel_id) in answer_in


def is_for_somebody_else(raw: JsonObject) -> bool:
    """Return True if a message that does not address the bot replies to somebody else, or names people or a role."""
    replied_to = raw.get("referenced_message") or {}
    mentioned = [each.get("id") for each in (raw.get("mentions") or [])]  # a reply mentions the person it answers
    writer = raw["author"]["id"]
    replied_to_person = (replied_to.get("author") or {}).get("id") or bool(replied_to)
    is_named = any(each != writer for each in mentioned) or raw.get("mention_roles") or raw.get("mention_everyone")
    return replied_to_person not in (False, writer) or bool(is_named)


def message_ids_answered_by_bot(page: list[object], bot: str) -> frozenset[str]:
    """Return the ids of the messages that the bot has answered on the same page."""
    ours = [each for each in page if isinstance(each, dict) and isinstance(each.get("author"), dict)]
    references = [each.get("message_reference") for each in ours if each["author"].get("id") == bot]
    return frozenset(str(each.get("message_id")) for each in references if isinstance(each, dict))


def is_by_own_webhook(raw: JsonObject, bot: str) -> bool:
    """Return True if a role of the bot has spoken."""
    return bool(raw.get("webhook_id")) and raw.get("application_id") == bot


def read_reply_target(raw: JsonObject, reference: JsonObject) -> PlatformId:
    """Return the id under which the message that is replied to would be stored."""
    replied_to, id = raw.get("referenced_message"), read_id_field(reference, "message_id")
    return stored_id_of_message({**replied_to, "id": id}) if isinstance(replied_to, dict) else PlatformId(id)


def is_edit_by_author(raw: JsonObject) -> bool:
    """Return True if an update of a message is an edit by its author. An added link preview is not an edit."""
    return bool(raw.get("edited_timestamp")) and "content" in raw and "author" in raw


def display_name(author: JsonObject, member: Any) -> str:
    nick = member.get("nick") if isinstance(member, dict) else None
    return str(nick or author.get("global_name") or author.get("username") or model_texts.SOMEBODY)


def read_message_time(raw: JsonObject) -> datetime:
    """Return when a message was written. Raise MalformedDiscordData if its timestamp is not a time."""
    try:
        found = datetime.fromisoformat(read_text_field(raw, "timestamp"))
    except ValueError:
        raise MalformedDiscordData(operator_texts.FIELD_NOT_A_TIME(field="timestamp")) from None
    return found if found.tzinfo else time_of_snowflake(read_id_field(raw, "id"))


def make_unreadable_event(
    raw: object, error: Exception, bot: str, place: ChannelLocation | None = None
) -> UnreadableEvent:
    """Return an event with what could not be read, without secrets. The same data always gets the same id."""
    found = raw if isinstance(raw, dict) else {}
    author, id = found.get("author"), found.get("id")
    person = author.get("id") if isinstance(author, dict) else None
    sender = Sender(id=PersonId(person), name="") if isinstance(person, str) and person.isdecimal() else None
    kept = INTERACTION_TOKEN_PATTERN.sub(r"\1(left out)", json.dumps(raw, sort_keys=True))
    name = id if isinstance(id, str) and id.isdecimal() else hashlib.sha256(kept.encode()).hexdigest()[:32]
    address = None  # for a note that something was not understood, if it seems addressed to the bot
    if place and place.guild_id:
        address = place.address_for_person("") if f"<@{bot}>" in str(found.get("content")) else None
    elif place and sender:
        address = place.address_for_person(sender.id)
    match error:
        case KeyError():
            why = operator_texts.FIELD_MISSING(field=error.args[0])
        case MalformedDiscordData():
            why = f"{type(error).__name__}: {error}"
        case _:
            why = type(error).__name__  # its words may repeat what somebody wrote
    return UnreadableEvent(
        id=MessageId(f"{CHANNEL_NAME}:{bot}:unreadable:{name}"),
        channel=CHANNEL_NAME,
        raw_event=kept,
        parse_error=why,
        address=address,
        sender=sender,
        group_chat=place.guild_id if place else None,
    )
