"""Ids of this channel's events, and Telegram's ids in them."""

from bot.core.messages import MessageId

CHANNEL = "telegram"
TAP = "tap"


def event_id(bot: int, *names: object) -> MessageId:
    """Return an event's id. `names`: a chat and a message's number, TAP and a tap's id, … An edit keeps the id."""
    return MessageId(":".join(map(str, (CHANNEL, bot, *names))))


def message_number_in(id: MessageId | None, bot: int, chat: str) -> int | None:
    """Return Telegram's number of a message, or None if the id is not that of a message in this chat."""
    match (id or "").split(":"):
        case [channel, own, where, number] if (channel, own, where) == (CHANNEL, str(bot), chat) and number.isdecimal():
            return int(number)
    return None


def tap_query_in(id: MessageId | None, bot: int) -> str | None:
    """Return Telegram's id of a tap, or None if the id is not a tap's."""
    match (id or "").split(":"):
        case [channel, own, kind, query] if (channel, own, kind) == (CHANNEL, str(bot), TAP):
            return query
    return None
