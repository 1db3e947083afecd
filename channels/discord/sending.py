"""Send, edit and delete messages on Discord, and find one of the bot's own messages in a chat's history."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.channel import MessagePart
from bot.core.errors import ChatClosed
from bot.core.messages import Address, OutboundKind, OutboundMessage, PlatformId, role_display_name
from channels.discord import operator_texts
from channels.discord.api import (
    ARCHIVED_THREAD_CODE,
    MESSAGES_PATH,
    MESSAGES_PER_PAGE,
    SILENT_FLAG,
    SUPPRESS_EMBEDS_FLAG,
    UNKNOWN_MESSAGE_CODE,
    DiscordApi,
    DiscordRefusal,
    extract_answer_id,
    message_id_or_zero,
)
from channels.discord.ids import (
    JsonObject,
    last_snowflake_before,
    parse_message_id,
    split_webhook_message_id,
    stored_id_of_message,
)
from channels.discord.locations import is_private_chat
from channels.discord.rendering import person_to_mention
from channels.discord.threads import RequestThreads, is_summary, summary_text
from channels.discord.voices import RoleVoices, can_have_voice
from channels.formatting import ACKNOWLEDGEMENT_ID_PREFIX, Button, button_rows_of_board, buttons_of_message
from channels.invisible_characters import strip_invisible

MESSAGE_PATH = f"{MESSAGES_PATH}/{{message_id}}"
NO_HISTORY_PERMISSION_CODE = 160002  # a reply needs the permission to read the history
BUTTON_ROW_TYPE, BUTTON_TYPE, SECONDARY_STYLE = 1, 2, 2  # Discord's numbers for the components below a message
MAX_BUTTONS_IN_ROW, MAX_BUTTONS, MAX_LABEL_LENGTH, MAX_BUTTON_ID_LENGTH = 5, 25, 80, 100
MAX_PAGES_TO_SEARCH = 20  # the most that `search_history_for_own_message` reads
KINDS_THAT_MENTION = (OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.APPROVAL)  # the asker waits for these

log = logging.getLogger(__name__)


@dataclass
class DiscordSender:
    api: DiscordApi
    voices: RoleVoices
    threads: RequestThreads

    async def send(self, part: MessagePart, bot: str) -> PlatformId:
        """Send a part. If a request's thread accepts nothing, send it in the channel. Raise like a request."""
        address = part.message.address
        channel = await self.threads.channel_id_to_write_to(address)
        if is_summary(part.message):
            return await self.send_summary(part)
        if self.threads.is_in_channel(address):
            return await self.send_in_reply_to_request(part)
        try:
            return await self.send_to_channel(part, bot, channel)
        except ChatClosed as closed:
            if not self.threads.has_request(address):
                raise
            await self.threads.move_to_channel(address, closed)
            return await self.send_in_reply_to_request(part)

    async def send_summary(self, part: MessagePart) -> PlatformId:
        """Send a summary to the channel, unless all was said there already."""
        if self.threads.is_in_channel(part.message.address):
            return PlatformId(f"{ACKNOWLEDGEMENT_ID_PREFIX}{part.message.address.thread}")
        return await self.send_in_reply_to_request(replace(part, text=summary_text(part.message, part.text)))

    async def send_in_reply_to_request(self, part: MessagePart) -> PlatformId:
        """Send a part to the channel of a thread, in reply to the message that opened the thread."""
        address = part.message.address
        target = {"message_id": address.thread, "channel_id": address.chat, "fail_if_not_exists": False}
        flags = SUPPRESS_EMBEDS_FLAG | (0 if part.may_ring else SILENT_FLAG)
        body = {**message_body(part, answers=True), "flags": flags, "nonce": part.nonce, "enforce_nonce": True}
        return await self.post(address.chat, body, {"message_reference": target})

    async def send_to_channel(self, part: MessagePart, bot: str, channel: str) -> PlatformId:
        answered = parse_message_id(part.message.reply_to) if part.message.reply_to and part.number == 0 else None
        reference: JsonObject = {}  # only the first part replies, and only in the same channel
        if answered and answered[0] == channel:
            target = {"message_id": answered[1], "channel_id": channel, "fail_if_not_exists": False}
            reference = {"message_reference": target}
        flags = SUPPRESS_EMBEDS_FLAG | (0 if part.may_ring else SILENT_FLAG)
        body = {**message_body(part, answers=bool(reference)), "flags": flags}
        if spoken := await self.voices.try_to_send(part, body, bot):
            return spoken
        return await self.post(channel, {**body, "nonce": part.nonce, "enforce_nonce": True}, reference)

    async def post(self, channel: str, body: JsonObject, reference: JsonObject) -> PlatformId:
        """Post a message, without its reference if Discord refuses that."""
        try:
            answer = await self.api.request("POST", MESSAGES_PATH, body={**body, **reference}, channel_id=channel)
        except DiscordRefusal as refusal:
            is_about_reference = any(field.startswith("message_reference") for field in refusal.invalid_fields)
            if not reference or not (is_about_reference or refusal.code == NO_HISTORY_PERMISSION_CODE):
                raise
            log.debug(operator_texts.LOG_NO_REFERENCE, refusal)
            answer = await self.api.request("POST", MESSAGES_PATH, body=body, channel_id=channel)
        return PlatformId(extract_answer_id(answer))

    async def try_to_react(self, part: MessagePart) -> PlatformId | None:
        """Show a notice as a reaction to the message it replies to. Return None if it must go into the channel in
        words: there is no such message, or the bot may not react there."""
        message = part.message
        answered = parse_message_id(message.reply_to) if message.reaction and message.reply_to else None
        if answered is None:
            return None
        channel, id = answered
        ids = {"channel_id": channel, "message_id": id, "emoji": str(message.reaction)}
        try:
            await self.api.request("PUT", f"{MESSAGE_PATH}/reactions/{{emoji}}/@me", **ids)
        except (ChatClosed, DiscordRefusal) as refusal:  # without the right to react, the chat may still be open
            log.debug(operator_texts.LOG_NO_REACTION, refusal)
            return None
        return PlatformId(f"{ACKNOWLEDGEMENT_ID_PREFIX}{id}")

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        body = {**message_body(part, answers=False), "flags": SUPPRESS_EMBEDS_FLAG}
        if split_webhook_message_id(id)[1]:
            return await self.voices.edit(id, part, body)
        channel = await self.threads.channel_id(part.message.address)
        await self.api.request("PATCH", MESSAGE_PATH, body=body, channel_id=channel, message_id=id)

    async def delete(self, address: Address, id: PlatformId) -> None:
        channel = await self.threads.channel_id(address)
        message, webhook = split_webhook_message_id(id)
        try:
            if webhook and await self.voices.delete(address, id):
                return
            await self.api.request("DELETE", MESSAGE_PATH, channel_id=channel, message_id=message)
        except ChatClosed:
            log.debug(operator_texts.LOG_NOTHING_TO_DELETE, address)
        except DiscordRefusal as refusal:
            if refusal.code not in (UNKNOWN_MESSAGE_CODE, ARCHIVED_THREAD_CODE):
                raise

    async def search_history_for_own_message(
        self, part: MessagePart, since: datetime, bot: str, known: Collection[PlatformId]
    ) -> PlatformId | None:
        """Return the id of the message with this text that the bot or the role's webhook has sent after `since`, and
        that is not in `known`. Return None if there is none."""
        channel = await self.threads.channel_id_to_write_to(part.message.address)
        if is_summary(part.message):
            channel = part.message.address.chat
            part = replace(part, text=summary_text(part.message, part.text))
        after = str(last_snowflake_before(since))
        for _ in range(MAX_PAGES_TO_SEARCH):
            page = await self.api.fetch_page_after(channel, after)
            found = [each for each in page if message_id_or_zero(each)]
            for each in found:
                id, text = stored_id_of_message(each), self.text_if_own(each, part, bot)
                if text and id not in known and str(each.get("content")).strip() == text.strip():
                    return id
            if len(page) < MESSAGES_PER_PAGE or not found:
                break
            after = found[-1]["id"]
        return None

    def text_if_own(self, raw: JsonObject, part: MessagePart, bot: str) -> str:
        """Return the text of the part as the author of a message would have sent it. Return an empty text if neither
        the bot nor the part's role is the author."""
        author = raw.get("author")
        if not isinstance(author, dict):
            return ""
        if author.get("id") == bot:
            return part.text
        is_by_role = can_have_voice(part.message) and raw.get("webhook_id") and raw.get("application_id") == bot
        if is_by_role and part.message.role and author.get("username") == role_display_name(part.message.role):
            return self.voices.text_of_part(part)
        return ""


def message_body(part: MessagePart, *, answers: bool) -> JsonObject:
    """Return the body of a message. In a server, a message that `answers` notifies the person it replies to, and a
    question the person whom it waits for. It notifies nobody else, whatever names it has."""
    message = part.message
    person = person_to_mention(message) if part.number == 0 else None
    rings = answers and message.kind in KINDS_THAT_MENTION and part.may_ring and not is_private_chat(message.address)
    return {
        "content": part.text,
        "components": button_rows(message) if part.is_last else [],
        "allowed_mentions": {"parse": [], "users": [person] if person else [], "replied_user": rings},
    }


def button_rows(message: OutboundMessage) -> list[JsonObject]:
    """Return rows of buttons. Return none if they do not fit: the text of a question has the options too, and commands
    do what a board's buttons do."""
    found = buttons_of_message(message)
    if len(found) > MAX_BUTTONS or any(len(each.id) > MAX_BUTTON_ID_LENGTH for each in found):
        return []
    rows = [found[at : at + MAX_BUTTONS_IN_ROW] for at in range(0, len(found), MAX_BUTTONS_IN_ROW)]
    if message.kind is OutboundKind.BOARD:
        rows = button_rows_of_board(message)
    return [{"type": BUTTON_ROW_TYPE, "components": list(map(make_button, row))} for row in rows]


def make_button(button: Button) -> JsonObject:
    label = " ".join(strip_invisible(button.label).split()) or "…"
    return {"type": BUTTON_TYPE, "style": SECONDARY_STYLE, "custom_id": button.id, "label": label[:MAX_LABEL_LENGTH]}
