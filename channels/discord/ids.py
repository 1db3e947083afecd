"""Discord's ids and the bot's ids of messages, and the times in Discord's ids."""

from datetime import UTC, datetime
from typing import Any

from bot.core.messages import MessageId

CHANNEL_NAME = "discord"
TAP_ID_MARKER = "tap"  # replaces the channel in the ids of taps and slash commands
DISCORD_EPOCH_MS = 1_420_070_400_000  # the first millisecond of 2015: Discord's ids count from there

JsonObject = dict[str, Any]  # an object of Discord's JSON

# The errors of reading malformed data.
MALFORMED_DATA_ERRORS = (LookupError, TypeError, ValueError, AttributeError, OverflowError)


def make_message_id(bot: str, channel: str, message: str) -> MessageId:
    return MessageId(f"{CHANNEL_NAME}:{bot}:{channel}:{message}")


def parse_message_id(id: MessageId) -> tuple[str, str] | None:
    """Return the channel and the message in one of our ids, or None if it is not the id of a Discord message."""
    parts = id.split(":")
    if len(parts) != 4 or parts[0] != CHANNEL_NAME or not (parts[2].isdecimal() and parts[3].isdecimal()):
        return None
    return parts[2], parts[3]


def time_of_snowflake(snowflake: str) -> datetime:
    return datetime.fromtimestamp(((int(snowflake) >> 22) + DISCORD_EPOCH_MS) / 1000, UTC)


def last_snowflake_before(moment: datetime) -> int:
    """Return the greatest id before `moment`. All later ids are greater."""
    return max(0, (int(moment.timestamp() * 1000) - DISCORD_EPOCH_MS << 22) - 1)
