"""Ids of this channel's events, and Telegram's ids in them."""

from collections.abc import Sequence

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


def make_stored_id(numbers: Sequence[int], voice: int | None = None) -> PlatformId:
    """Return the stored id of a part that the bot has sent, or another bot: its voice. An album has a message for each
    of its files."""
    number = "+".join(map(str, numbers))
    return PlatformId(number if voice is None else f"{number}@{voice}")


def split_stored_id(id: PlatformId) -> tuple[list[int], int | None]:
    """Return the numbers of the messages of a part that was sent, and the voice's bot id if a voice has sent it."""
    numbers, _, voice = id.partition("@")
    return [int(number) for number in numbers.split("+")], int(voice) if voice else None


def callback_query_id_of_tap(id: MessageId | None, bot: int) -> str | None:
    """Return Telegram's id of a tap, or None if the id is not a tap's."""
    match (id or "").split(":"):
        case [name, own, kind, query] if (name, own, kind) == (CHANNEL_NAME, str(bot), TAP_ID_MARKER):
            return query
    return None
