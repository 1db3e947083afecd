"""Discord's ids and the bot's ids of messages, and the times in Discord's ids."""

from datetime import UTC, datetime
from typing import Any

from bot.core.messages import MessageId, PlatformId

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


def parse_interaction_id(id: MessageId) -> str | None:
    """Return Discord's id of the tap or slash command that one of our ids names, or None if it names none."""
    channel, _, marker, interaction = (id.split(":") + [""] * 3)[:4]
    return interaction if (channel, marker) == (CHANNEL_NAME, TAP_ID_MARKER) else None


def make_webhook_message_id(message: str, webhook: str) -> PlatformId:
    """Return the stored id of a message that a webhook has sent. Only that webhook can edit it."""
    return PlatformId(f"{message}@{webhook}")


def split_webhook_message_id(id: PlatformId) -> tuple[str, str]:
    """Return the ids of a message and of the webhook that has sent it; empty if the bot has sent it."""
    message, _, webhook = id.partition("@")
    return message, webhook


def stored_id_of_message(raw: JsonObject) -> PlatformId:
    """Return the id under which a message is stored if the bot or one of its webhooks has sent it. An answer to an
    interaction has a `webhook_id` too: the application's."""
    webhook = raw.get("webhook_id")
    if webhook and webhook != raw.get("application_id"):
        return make_webhook_message_id(raw["id"], webhook)
    return PlatformId(raw["id"])


def time_of_snowflake(snowflake: str) -> datetime:
    return datetime.fromtimestamp(((int(snowflake) >> 22) + DISCORD_EPOCH_MS) / 1000, UTC)


def last_snowflake_before(moment: datetime) -> int:
    """Return the greatest id before `moment`. All later ids are greater."""
    return max(0, (int(moment.timestamp() * 1000) - DISCORD_EPOCH_MS << 22) - 1)
