"""Send, edit and delete messages on Discord, and find one of the bot's own messages in a chat's history."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from bot.core.channel import MessagePart
from bot.core.errors import ChatClosed
from bot.core.messages import Address, OutboundKind, OutboundMessage, PlatformId
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
from channels.discord.ids import JsonObject, last_snowflake_before, parse_message_id
from channels.discord.locations import ChannelDirectory, is_private_chat
from channels.formatting import option_ids
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
    directory: ChannelDirectory

    async def send(self, part: MessagePart) -> PlatformId:
        channel = await self.directory.find_or_open_channel_id(part.message.address)
        answered = parse_message_id(part.message.reply_to) if part.message.reply_to and part.number == 0 else None
        reference: JsonObject = {}  # only the first part replies, and only in the same channel
        if answered and answered[0] == channel:
            target = {"message_id": answered[1], "channel_id": channel, "fail_if_not_exists": False}
            reference = {"message_reference": target}
        flags = SUPPRESS_EMBEDS_FLAG | (0 if part.may_ring else SILENT_FLAG)
        body = {**message_body(part, answers=bool(reference)), "flags": flags}
        body |= {"nonce": part.nonce, "enforce_nonce": True}
        try:
            answer = await self.api.request("POST", MESSAGES_PATH, body={**body, **reference}, channel_id=channel)
        except DiscordRefusal as refusal:
            is_about_reference = any(field.startswith("message_reference") for field in refusal.invalid_fields)
            if not reference or not (is_about_reference or refusal.code == NO_HISTORY_PERMISSION_CODE):
                raise
            log.debug(operator_texts.LOG_NO_REFERENCE, refusal)
            answer = await self.api.request("POST", MESSAGES_PATH, body=body, channel_id=channel)
        return PlatformId(extract_answer_id(answer))

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        channel = await self.directory.find_or_open_channel_id(part.message.address)
        body = {**message_body(part, answers=False), "flags": SUPPRESS_EMBEDS_FLAG}
        await self.api.request("PATCH", MESSAGE_PATH, body=body, channel_id=channel, message_id=id)

    async def delete(self, address: Address, id: PlatformId) -> None:
        channel = await self.directory.find_or_open_channel_id(address)
        try:
            await self.api.request("DELETE", MESSAGE_PATH, channel_id=channel, message_id=id)
        except ChatClosed:
            log.debug(operator_texts.LOG_NOTHING_TO_DELETE, address)
        except DiscordRefusal as refusal:
            if refusal.code not in (UNKNOWN_MESSAGE_CODE, ARCHIVED_THREAD_CODE):
                raise

    async def search_history_for_own_message(
        self, part: MessagePart, since: datetime, bot: str, known: Collection[PlatformId]
    ) -> PlatformId | None:
        """Return the id of the bot's own message with this text, sent after `since` and not in `known`. Return None if
        there is none."""
        channel = await self.directory.find_or_open_channel_id(part.message.address)
        after = str(last_snowflake_before(since))
        for _ in range(MAX_PAGES_TO_SEARCH):
            page = await self.api.fetch_page_after(channel, after)
            found = [each for each in page if message_id_or_zero(each)]
            for each in found:
                author = each.get("author")
                is_own = isinstance(author, dict) and author.get("id") == bot
                if is_own and each["id"] not in known and each.get("content", "").strip() == part.text.strip():
                    return PlatformId(each["id"])
            if len(page) < MESSAGES_PER_PAGE or not found:
                break
            after = found[-1]["id"]
        return None


def message_body(part: MessagePart, *, answers: bool) -> JsonObject:
    """Return the body of a message. In a server, a message that `answers` may mention the person it replies to.
    Otherwise it mentions nobody."""
    message = part.message
    rings = answers and message.kind in KINDS_THAT_MENTION and part.may_ring and not is_private_chat(message.address)
    return {
        "content": part.text,
        "components": button_rows(message) if part.is_last else [],
        "allowed_mentions": {"parse": [], "replied_user": rings},
    }


def button_rows(message: OutboundMessage) -> list[JsonObject]:
    """Return rows of buttons, one for each option. Return none if they do not fit: the text has the options too."""
    ids = option_ids(message)
    if len(ids) > MAX_BUTTONS or any(len(id) > MAX_BUTTON_ID_LENGTH for id in ids):
        return []
    buttons = []
    for id, option in zip(ids, message.options, strict=True):
        label = " ".join(strip_invisible(option).split()) or "…"
        shown = {"custom_id": id, "label": label[:MAX_LABEL_LENGTH]}
        buttons.append({"type": BUTTON_TYPE, "style": SECONDARY_STYLE, **shown})
    most = MAX_BUTTONS_IN_ROW
    return [{"type": BUTTON_ROW_TYPE, "components": buttons[at : at + most]} for at in range(0, len(buttons), most)]
