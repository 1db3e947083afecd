"""Messages that people have deleted."""

from bot.core.messages import MessageDeletedEvent
from channels.discord.fields import read_id_field
from channels.discord.ids import JsonObject, make_message_id
from channels.discord.locations import ChannelDirectory

MESSAGE_DELETED_EVENT, MESSAGES_DELETED_EVENT = "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"
DELETION_EVENTS = (MESSAGE_DELETED_EVENT, MESSAGES_DELETED_EVENT)


async def read_deletions(
    name: str, raw: JsonObject, bot: str, directory: ChannelDirectory
) -> list[MessageDeletedEvent]:
    """Return the deleted messages of an event. Raise like `read_message`."""
    guild = read_id_field(raw, "guild_id") if raw.get("guild_id") else None
    channel = read_id_field(raw, "channel_id")
    ids = [read_id_field(raw, "id")] if name == MESSAGE_DELETED_EVENT else [str(each) for each in raw["ids"]]
    place = await directory.fetch_location_or_assume_no_thread(channel, guild)
    address = place.address_for_person(directory.person_of_private_channel(channel))
    return [MessageDeletedEvent(message=make_message_id(bot, channel, id), address=address) for id in ids]
