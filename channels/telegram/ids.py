"""What events of this channel are called, and what Telegram calls them."""

from bot.core.messages import Address, MessageId

CHANNEL = "telegram"


def telegram_message_id(bot: int, address: Address, number: int) -> MessageId:
    """An edit of a message has the same."""
    return event_id(bot, address.chat, number)


def tap_id(bot: int, query: str) -> MessageId:
    return event_id(bot, "tap", query)


def event_id(bot: int, *names: object) -> MessageId:
    return MessageId(":".join(map(str, (CHANNEL, bot, *names))))


def message_number_in(id: MessageId | None, bot: int, chat: str) -> int | None:
    """What Telegram calls that message in that chat; None if it is of another chat, or no message."""
    match (id or "").split(":"):
        case [channel, own, where, number] if (channel, own, where) == (CHANNEL, str(bot), chat) and number.isdecimal():
            return int(number)
    return None


def tap_query_in(id: MessageId | None, bot: int) -> str | None:
    """What Telegram calls that tap; None if it is none."""
    match (id or "").split(":"):
        case [channel, own, "tap", query] if (channel, own) == (CHANNEL, str(bot)):
            return query
    return None
