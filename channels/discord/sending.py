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
    ARCHIVED,
    MESSAGES,
    PAGE_SIZE,
    UNKNOWN_MESSAGE,
    DiscordApi,
    Refusal,
    numeric_id,
    require_id,
)
from channels.discord.ids import Json, first_id_after, parse_message_id
from channels.discord.locations import ChannelDirectory, is_private
from channels.formatting import option_ids
from channels.invisible_characters import strip_invisible_characters

MESSAGE = f"{MESSAGES}/{{message_id}}"
SUPPRESS_EMBEDS, SILENT = 1 << 2, 1 << 12
NO_HISTORY = 160002  # a reply needs the permission to read the history
ROW, BUTTON, SECONDARY = 1, 2, 2  # Discord's numbers for the components below a message
MOST_IN_ROW, MOST_BUTTONS, LONGEST_LABEL, LONGEST_ID = 5, 25, 80, 100
MOST_PAGES = 20  # the most that `find` reads
KINDS_THAT_MENTION = (OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.APPROVAL)  # the asker waits for these

log = logging.getLogger(__name__)


@dataclass
class DiscordSender:
    rest: DiscordApi
    places: ChannelDirectory

    async def send(self, part: MessagePart) -> PlatformId:
        channel = await self.places.channel_of(part.message.address)
        answered = parse_message_id(part.message.reply_to) if part.message.reply_to and part.number == 0 else None
        reference: Json = {}  # only the first part replies, and only in the same channel
        if answered and answered[0] == channel:
            target = {"message_id": answered[1], "channel_id": channel, "fail_if_not_exists": False}
            reference = {"message_reference": target}
        flags = SUPPRESS_EMBEDS | (0 if part.may_ring else SILENT)
        body = {**message_body(part, answers=bool(reference)), "flags": flags}
        body |= {"nonce": part.nonce, "enforce_nonce": True}
        try:
            answer = await self.rest.request("POST", MESSAGES, body={**body, **reference}, channel_id=channel)
        except Refusal as refusal:
            is_about_reference = any(field.startswith("message_reference") for field in refusal.fields)
            if not reference or not (is_about_reference or refusal.code == NO_HISTORY):
                raise
            log.debug(operator_texts.LOG_NO_REFERENCE, refusal)
            answer = await self.rest.request("POST", MESSAGES, body=body, channel_id=channel)
        return PlatformId(require_id(answer))

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        channel = await self.places.channel_of(part.message.address)
        body = {**message_body(part, answers=False), "flags": SUPPRESS_EMBEDS}
        await self.rest.request("PATCH", MESSAGE, body=body, channel_id=channel, message_id=id)

    async def delete(self, address: Address, id: PlatformId) -> None:
        channel = await self.places.channel_of(address)
        try:
            await self.rest.request("DELETE", MESSAGE, channel_id=channel, message_id=id)
        except ChatClosed:
            log.debug(operator_texts.LOG_NOTHING_TO_DELETE, address)
        except Refusal as refusal:
            if refusal.code not in (UNKNOWN_MESSAGE, ARCHIVED):
                raise

    async def find(
        self, part: MessagePart, since: datetime, bot: str, known: Collection[PlatformId]
    ) -> PlatformId | None:
        """Return the id of the bot's own message with this text, sent after `since` and not in `known`. Return None if
        there is none."""
        channel = await self.places.channel_of(part.message.address)
        after = str(first_id_after(since))
        for _ in range(MOST_PAGES):
            page = await self.rest.fetch_page(channel, after)
            found = [each for each in page if numeric_id(each)]
            for each in found:
                author = each.get("author")
                is_own = isinstance(author, dict) and author.get("id") == bot
                if is_own and each["id"] not in known and each.get("content", "").strip() == part.text.strip():
                    return PlatformId(each["id"])
            if len(page) < PAGE_SIZE or not found:
                break
            after = found[-1]["id"]
        return None


def message_body(part: MessagePart, *, answers: bool) -> Json:
    """Return the body of a message. In a server, a message that `answers` may mention the person it replies to.
    Otherwise it mentions nobody."""
    message = part.message
    rings = answers and message.kind in KINDS_THAT_MENTION and part.may_ring and not is_private(message.address)
    return {
        "content": part.text,
        "components": button_rows(message) if part.is_last else [],
        "allowed_mentions": {"parse": [], "replied_user": rings},
    }


def button_rows(message: OutboundMessage) -> list[Json]:
    """Return rows of buttons, one for each option. Return none if they do not fit: the text has the options too."""
    ids = option_ids(message)
    if len(ids) > MOST_BUTTONS or any(len(id) > LONGEST_ID for id in ids):
        return []
    buttons = []
    for id, option in zip(ids, message.options, strict=True):
        label = " ".join(strip_invisible_characters(option).split()) or "…"
        buttons.append({"type": BUTTON, "style": SECONDARY, "custom_id": id, "label": label[:LONGEST_LABEL]})
    return [{"type": ROW, "components": buttons[at : at + MOST_IN_ROW]} for at in range(0, len(buttons), MOST_IN_ROW)]
