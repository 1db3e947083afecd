"""Ids of this channel's events, and Telegram's ids in them."""

import re

from bot.core.messages import Address, MessageId

CHANNEL = "telegram"
TOKEN_PATTERN = re.compile(r"(\d{1,20}):[\w-]+", re.ASCII)  # the bot's id, then its secret


def telegram_message_id(bot: int, address: Address, number: int) -> MessageId:
    """Return the id of a message. An edit of the message has the same id."""
    return event_id(bot, address.chat, number)


def tap_id(bot: int, query: str) -> MessageId:
    return event_id(bot, "tap", query)


def event_id(bot: int, *names: object) -> MessageId:
    return MessageId(":".join(map(str, (CHANNEL, bot, *names))))


def message_number_in(id: MessageId | None, bot: int, chat: str) -> int | None:
    """Return Telegram's number for a message in that chat, or None if the id is of another chat or not a message's."""
    match (id or "").split(":"):
        case [channel, own, where, number] if (channel, own, where) == (CHANNEL, str(bot), chat) and number.isdecimal():
            return int(number)
    return None


def tap_query_in(id: MessageId | None, bot: int) -> str | None:
    """Return Telegram's id of a tap, or None if the id is not a tap's."""
    match (id or "").split(":"):
        case [channel, own, "tap", query] if (channel, own) == (CHANNEL, str(bot)):
            return query
    return None
