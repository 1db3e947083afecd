"""Ids of this channel's events, and Telegram's ids in them."""

from bot.core.messages import MessageId, PlatformId

CHANNEL_NAME = "telegram"
TAP_ID_MARKER = "tap"


def make_event_id(bot: int, *names: object) -> MessageId:
    """Return an event's id. `names`: a chat and a message's number, TAP_ID_MARKER and a tap's id … An edit keeps it."""
    return MessageId(":".join(map(str, (CHANNEL_NAME, bot, *names))))


def message_number_from_id(id: MessageId | None, bot: int, chat: str) -> int | None:
    """Return Telegram's number of a message, or None if the id is not that of a message in this chat."""
    match (id or "").split(":"):
        case [name, own, where, number] if (name, own, where) == (CHANNEL_NAME, str(bot), chat) and number.isdecimal():
            return int(number)
    return None


def make_stored_id(number: int, voice: int | None = None) -> PlatformId:
    """Return the stored id of a message that the bot has sent, or another bot: its voice."""
    return PlatformId(str(number) if voice is None else f"{number}@{voice}")


def split_stored_id(id: PlatformId) -> tuple[int, int | None]:
    """Return the number of a message that was sent, and the voice's bot id if a voice has sent it."""
    number, _, voice = id.partition("@")
    return int(number), int(voice) if voice else None


def callback_query_id_of_tap(id: MessageId | None, bot: int) -> str | None:
    """Return Telegram's id of a tap, or None if the id is not a tap's."""
    match (id or "").split(":"):
        case [name, own, kind, query] if (name, own, kind) == (CHANNEL_NAME, str(bot), TAP_ID_MARKER):
            return query
    return None
