"""Send, edit and delete messages on Discord, and find one of the bot's own messages in a chat's history."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from bot.core.channel import MessagePart
from bot.core.errors import ChatClosed, DeliveryError, MessageLeftBehind, NotDelivered
from bot.core.messages import Address, OutboundKind, OutboundMessage, PlatformId, role_display_name
from channels.discord import operator_texts
from channels.discord.api import (
    ARCHIVED_THREAD_CODE,
    MESSAGES_PATH,
    MESSAGES_PER_PAGE,
    MISSING_PERMISSIONS_CODE,
    SILENT_FLAG,
    SUPPRESS_EMBEDS_FLAG,
    UNKNOWN_MESSAGE_CODE,
    ClosedByDiscord,
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
from channels.discord.uploads import (
    ACTIVITY_SECONDS,
    attachments_of_part,
    has_files_of_part,
    open_uploads,
)
from channels.discord.voices import RoleVoices, can_have_voice
from channels.formatting import (
    ACKNOWLEDGEMENT_ID_PREFIX,
    Button,
    button_rows_of_board,
    buttons_of_message,
    repeat_mark,
)
from channels.outgoing import LARGE_UPLOAD_BYTES, count_upload_bytes, show_again_until_done, upload_seconds

MESSAGE_PATH = f"{MESSAGES_PATH}/{{message_id}}"
NO_HISTORY_PERMISSION_CODE = 160002  # a reply needs the permission to read the history
BUTTON_ROW_TYPE, BUTTON_TYPE, SECONDARY_STYLE = 1, 2, 2  # Discord's numbers for the components below a message
MAX_BUTTONS_IN_ROW, MAX_BUTTONS, MAX_LABEL_LENGTH, MAX_BUTTON_ID_LENGTH = 5, 25, 80, 100
MAX_PAGES_TO_SEARCH = 20  # the most that `search_history_for_own_message` reads
MAX_CLOCK_ERROR = timedelta(days=1)  # of this machine; rows of what was said long before may be deleted
KINDS_THAT_MENTION = (OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.APPROVAL)  # the asker waits for these

log = logging.getLogger(__name__)


@dataclass
class DiscordSender:
    api: DiscordApi
    quick_api: DiscordApi  # for cosmetic messages: no other message waits long for them
    voices: RoleVoices
    threads: RequestThreads

    async def send(self, part: MessagePart, bot: str) -> PlatformId:
        """Send a part. While a large file is on its way, show the typing sign. Raise like a request."""
        if count_upload_bytes(part) < LARGE_UPLOAD_BYTES:
            return await self.send_in_thread_or_channel(part, bot)
        async with show_again_until_done(lambda: self.threads.show_typing(part.message.address), ACTIVITY_SECONDS):
            return await self.send_in_thread_or_channel(part, bot)

    async def send_in_thread_or_channel(self, part: MessagePart, bot: str) -> PlatformId:
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
        return await self.post(part, address.chat, body, {"message_reference": target})

    async def send_to_channel(self, part: MessagePart, bot: str, channel: str) -> PlatformId:
        reference: JsonObject = {}
        if answered := answered_message(part, channel):
            target = {"message_id": answered, "channel_id": channel, "fail_if_not_exists": False}
            reference = {"message_reference": target}
        flags = SUPPRESS_EMBEDS_FLAG | (0 if part.may_ring else SILENT_FLAG)
        body = {**message_body(part, answers=bool(reference)), "flags": flags}
        if spoken := await self.voices.try_to_send(part, body, bot):
            return spoken
        return await self.post(part, channel, {**body, "nonce": part.nonce, "enforce_nonce": True}, reference)

    def api_for(self, part: MessagePart) -> DiscordApi:
        return self.quick_api if part.message.is_cosmetic else self.api

    async def post(self, part: MessagePart, channel: str, body: JsonObject, reference: JsonObject) -> PlatformId:
        """Post a part, without its reference if Discord refuses that."""
        try:
            answer = await self.post_once(part, channel, {**body, **reference})
        except DiscordRefusal as refusal:
            is_about_reference = any(field.startswith("message_reference") for field in refusal.invalid_fields)
            if not reference or not (is_about_reference or refusal.code == NO_HISTORY_PERMISSION_CODE):
                raise
            log.debug(operator_texts.LOG_NO_REFERENCE, refusal)
            answer = await self.post_once(part, channel, body)
        return PlatformId(extract_answer_id(answer))

    async def post_once(self, part: MessagePart, channel: str, body: JsonObject) -> Any:
        api = self.api_for(part)
        with open_uploads(part) as files:
            uploading = api.with_files(files, upload_seconds(part, api.attempt_timeout_seconds)) if files else api
            try:
                return await uploading.request("POST", MESSAGES_PATH, body=body, channel_id=channel)
            except ClosedByDiscord as closed:
                if files and closed.code == MISSING_PERMISSIONS_CODE:  # the channel may take words all the same
                    raise DeliveryError(operator_texts.MAY_NOT_ATTACH) from None
                raise

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
        """Edit a message. Raise like a request. If a request's thread accepts no cosmetic edit now, raise NotDelivered:
        what is said next there opens it, or is said in the channel. A board that was left behind in the thread needs a
        new one in the channel: raise MessageLeftBehind."""
        address = part.message.address
        body = {**message_body(part, answers=False), "flags": SUPPRESS_EMBEDS_FLAG}
        may_wait = part.message.is_cosmetic and self.threads.has_request(address)
        try:
            if split_webhook_message_id(id)[1]:
                return await self.voices.edit(id, part, body)
            channel = await self.threads.channel_id(address)
            await self.api_for(part).request("PATCH", MESSAGE_PATH, body=body, channel_id=channel, message_id=id)
        except ChatClosed as closed:
            raise NotDelivered(str(closed)) if may_wait else closed from None
        except DiscordRefusal as refusal:
            if refusal.code == ARCHIVED_THREAD_CODE and may_wait:
                raise NotDelivered(str(refusal)) from None
            if refusal.code != UNKNOWN_MESSAGE_CODE or not self.threads.is_in_channel(address) or not address.thread:
                raise
            if part.message.kind is OutboundKind.BOARD:
                raise MessageLeftBehind(str(refusal)) from None
            ids = {"channel_id": address.thread, "message_id": id}
            await self.api_for(part).request("PATCH", MESSAGE_PATH, body=body, **ids)

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Delete a message. If a request has moved to the channel, it may be in the thread."""
        channels = [await self.threads.channel_id(address)]
        channels += [address.thread] if address.thread and self.threads.is_in_channel(address) else []
        message, webhook = split_webhook_message_id(id)
        for channel in channels:
            try:
                if not (webhook and await self.voices.delete(address, id)):
                    await self.api.request("DELETE", MESSAGE_PATH, channel_id=channel, message_id=message)
                return
            except ChatClosed:
                log.debug(operator_texts.LOG_NOTHING_TO_DELETE, address)
            except DiscordRefusal as refusal:
                if refusal.code not in (UNKNOWN_MESSAGE_CODE, ARCHIVED_THREAD_CODE):
                    raise

    async def search_history_for_own_message(
        self, part: MessagePart, since: datetime, bot: str, known: Collection[PlatformId]
    ) -> PlatformId | None:
        """Return the id of the message with this text, also if marked as a repeat, that the bot or the role's webhook
        has sent, and that is not in `known`. Return None if there is none. It is one of the newest messages, no
        matter what this machine's clock says of their times, or it was sent after `since`."""
        address = part.message.address
        channel, answered = await self.threads.channel_id_to_write_to(address), address.thread
        if is_summary(part.message):
            channel = address.chat
            part = replace(part, text=summary_text(part.message, part.text))
        elif not self.threads.is_in_channel(address):
            answered = answered_message(part, channel)

        mark = repeat_mark()

        def find_on(page: list[Any]) -> PlatformId | None:
            for each in page:
                if not message_id_or_zero(each) or replied_to_message(each) not in (None, answered):
                    continue
                id, text = stored_id_of_message(each), self.text_if_own(each, part, bot)
                if text is None or id in known or not has_files_of_part(each, part):
                    continue
                if str(each.get("content") or "").strip().removeprefix(mark) == text.strip():
                    return id
            return None

        oldest = last_snowflake_before(since - MAX_CLOCK_ERROR)
        newest = [each for each in await self.api.fetch_newest_page(channel) if message_id_or_zero(each) > oldest]
        if found := find_on(newest[::-1]):
            return found
        after, is_covered = last_snowflake_before(since), len(newest) < MESSAGES_PER_PAGE
        for _ in range(MAX_PAGES_TO_SEARCH - 1):
            if is_covered or after >= message_id_or_zero(newest[0]):
                break
            page = await self.api.fetch_page_after(channel, str(after))
            if found := find_on(page):
                return found
            after, is_covered = message_id_or_zero(page[-1]) if page else 0, len(page) < MESSAGES_PER_PAGE
        return None

    def text_if_own(self, raw: JsonObject, part: MessagePart, bot: str) -> str | None:
        """Return the text of the part as the author of a message would have sent it. Return None if neither the bot nor
        the part's role is the author."""
        author = raw.get("author")
        if not isinstance(author, dict):
            return None
        if author.get("id") == bot:
            return part.text
        is_by_role = can_have_voice(part.message) and raw.get("webhook_id") and raw.get("application_id") == bot
        if is_by_role and part.message.role and author.get("username") == role_display_name(part.message.role):
            return self.voices.text_of_part(part)
        return None


def answered_message(part: MessagePart, channel: str) -> str | None:
    """Return the message that a part replies to. Only the first part replies, and only in the same channel."""
    answered = parse_message_id(part.message.reply_to) if part.message.reply_to and part.number == 0 else None
    return answered[1] if answered and answered[0] == channel else None


def replied_to_message(raw: JsonObject) -> str | None:
    reference = raw.get("message_reference")
    return reference.get("message_id") if isinstance(reference, dict) else None


def message_body(part: MessagePart, *, answers: bool) -> JsonObject:
    """Return the body of a message. In a server, a message that `answers` notifies the person it replies to, and a
    question the person who is to answer it. It notifies nobody else, no matter which names it has."""
    message = part.message
    person = person_to_mention(message) if part.number == 0 else None
    rings = answers and message.kind in KINDS_THAT_MENTION and part.may_ring and not is_private_chat(message.address)
    return {
        "content": part.text,
        **attachments_of_part(part),
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
    label = " ".join(button.label.split()) or "…"
    return {"type": BUTTON_TYPE, "style": SECONDARY_STYLE, "custom_id": button.id, "label": label[:MAX_LABEL_LENGTH]}
