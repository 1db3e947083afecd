"""Endpoints of a channel: read, write, edit and delete messages, and show typing."""

import unicodedata

from tests.stand_ins.discord.bodies import SENT, Body
from tests.stand_ins.discord.calls import Call, snowflake
from tests.stand_ins.discord.errors import form, length, refusal
from tests.stand_ins.discord.events import Intent
from tests.stand_ins.discord.messages import HIDDEN, Flag, Message
from tests.stand_ins.discord.places import Channel, Kind, Permission
from tests.stand_ins.discord.records import Answer
from tests.stand_ins.discord.snowflakes import Json

LONGEST_THREAD_NAME = 100
PAGED_BY = ("before", "after", "around")


def get_channel(call: Call) -> Answer:
    return Answer(body=call.channel.as_json())


def start_typing(call: Call) -> Answer:
    channel = call.channel
    check_may_write(call, channel)
    channel.typing.append(call.world.now())
    return Answer(status=204)


def create_message(call: Call) -> Answer:
    channel = call.channel
    check_may_write(call, channel)
    body = call.message_body(SENT)
    if body.is_empty:
        raise refusal(50006)
    if body.attachments and channel.guild and not channel.may(Permission.ATTACH_FILES):
        raise refusal(50013)
    world = call.world
    if body.enforces_nonce and body.nonce is not None and (earlier := world.with_nonce(world.bot, body.nonce)):
        return Answer(body=earlier.as_json())
    message = message_from(call, channel, body)
    message.reply_to = referred_to(call, channel, body.reference)
    return Answer(body=world.post(message, body.pings).as_json())


def message_from(call: Call, channel: Channel, body: Body) -> Message:
    """Return a new message of the bot that is not in its channel yet."""
    world = call.world
    return Message(
        id=world.ids.make(),
        channel=channel,
        author=world.bot,
        at=world.now(),
        text=body.text or "",
        flags=body.flags or Flag(0),
        components=body.components or [],
        embeds=body.embeds or [],
        attachments=[{"id": str(world.ids.make()), **one} for one in body.attachments or []],
        nonce=body.nonce,
    )


def check_may_write(call: Call, channel: Channel) -> None:
    if channel.person in call.world.closed:
        raise refusal(50007)
    in_thread = channel.kind.is_thread
    if not channel.may(Permission.SEND_MESSAGES_IN_THREADS if in_thread else Permission.SEND_MESSAGES):
        raise refusal(50013)
    if channel.is_archived and channel.is_locked:  # if it is only archived, a message opens it again
        raise refusal(160005)


def referred_to(call: Call, channel: Channel, reference: Json | None) -> Message | None:
    """Return the message that is replied to. Return None if it is gone and the request permits that."""
    if reference is None:
        return None
    if not channel.may(Permission.READ_MESSAGE_HISTORY):
        raise refusal(160002)
    number = snowflake(reference.get("message_id"), "message_reference.message_id")
    there = snowflake(reference.get("channel_id", channel.id), "message_reference.channel_id")
    if there != channel.id:
        code = "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL"
        raise form("message_reference", code, "Cannot reply to a message in a different channel")
    found = call.world.messages.get(number)
    if found and found.channel is channel and not found.is_deleted and not found.only_for:
        return found
    if reference.get("fail_if_not_exists", True) is False:
        return None
    raise form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")


def open_thread(call: Call) -> Answer:
    """Open a thread from a message, once for each message, in text channels of servers."""
    channel, world, name = call.channel, call.world, call.body.get("name")
    if channel.kind is not Kind.TEXT:
        raise refusal(50024)
    if not channel.may(Permission.CREATE_PUBLIC_THREADS):
        raise refusal(50013)
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= LONGEST_THREAD_NAME:
        raise length("name", 1, LONGEST_THREAD_NAME)
    message = world.message_of(channel, call.id("message"))
    if message.id in world.channels:
        raise refusal(160004)
    active = [one for one in world.channels.values() if one.guild is channel.guild and one.kind is Kind.THREAD]
    if sum(not one.is_archived for one in active) >= world.most_active_threads:
        raise refusal(160006)
    return Answer(status=201, body=world.open_thread(message, name.strip(), world.bot).as_json())


def edit_message(call: Call) -> Answer:
    message = call.world.message_of(call.channel, call.id("message"))
    if message.author is not call.world.bot:
        raise refusal(50005)
    if message.channel.is_archived:
        raise refusal(50083)
    return Answer(body=edited(call, message).as_json())


def edited(call: Call, message: Message) -> Message:
    """Edit a message and return it. Raise 50006 if it would be empty."""
    body = call.message_body(None)
    kept = (getattr(message, name) for name in ("components", "embeds", "attachments") if getattr(body, name) is None)
    if body.is_empty and not any(kept) and not (body.text is None and message.text):
        raise refusal(50006)
    return call.world.edit(message, body)


def delete_message(call: Call) -> Answer:
    channel = call.channel
    message = call.world.message_of(channel, call.id("message"))
    if message.author is not call.world.bot and not (channel.guild and channel.may(Permission.MANAGE_MESSAGES)):
        raise refusal(50013 if channel.guild else 50003)
    call.world.delete(message)
    return Answer(status=204)


def react(call: Call) -> Answer:
    """Add the bot's reaction. To be the first with an emoji needs a permission of its own. A repetition has no effect.
    Only emoji of Unicode exist here, none of a server's own."""
    channel, emoji = call.channel, call.request.ids["emoji"]
    if not channel.may(Permission.READ_MESSAGE_HISTORY):
        raise refusal(50013)
    message = call.world.message_of(channel, call.id("message"))
    if unicodedata.category(emoji[0]) != "So":
        raise refusal(10014)
    if emoji not in message.reactions and not channel.may(Permission.ADD_REACTIONS):
        raise refusal(50013)
    if channel.is_archived:
        raise refusal(50083)
    there = message.reactions.setdefault(emoji, [])
    if call.world.bot not in there:
        there.append(call.world.bot)
    return Answer(status=204)


def unreact(call: Call) -> Answer:
    """Take the bot's own reaction away. Without such a reaction the emoji is unknown."""
    channel, emoji = call.channel, call.request.ids["emoji"]
    message = call.world.message_of(channel, call.id("message"))
    there = message.reactions.get(emoji, [])
    if call.world.bot not in there:
        raise refusal(10014)
    if channel.is_archived:
        raise refusal(50083)
    there.remove(call.world.bot)
    if not there:
        del message.reactions[emoji]
    return Answer(status=204)


def get_message(call: Call) -> Answer:
    channel = call.channel
    if not channel.may(Permission.READ_MESSAGE_HISTORY):
        raise refusal(50013)
    return Answer(body=readable(call, call.world.message_of(channel, call.id("message"))))


def get_messages(call: Call) -> Answer:
    """Return a page of messages, newest first in all kinds of paging."""
    channel, query = call.channel, call.request.query
    limit = limit_of(query.get("limit", "50"))
    by = [name for name in PAGED_BY if name in query]
    if len(by) > 1:
        raise form(by[1], "MESSAGES_PAGED_TWICE", "Only one of before, after and around may be given")
    if not channel.may(Permission.READ_MESSAGE_HISTORY):
        return Answer(body=[])
    there = [one for one in channel.messages if not one.is_deleted and one.only_for is None]
    page = paged(there, by[0], snowflake(query[by[0]], by[0]), limit) if by else there[-limit:]
    return Answer(body=[readable(call, one) for one in reversed(page)])


def limit_of(given: str) -> int:
    if not given.isdecimal():
        raise form("limit", "NUMBER_TYPE_COERCE", f'Value "{given}" is not int.')
    if int(given) < 1:
        raise form("limit", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 1.")
    if int(given) > 100:
        raise form("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
    return int(given)


def paged(there: list[Message], by: str, number: int, limit: int) -> list[Message]:
    """Return the messages nearest to a place in time, oldest first."""
    older = [one for one in there if one.id < number]
    newer = [one for one in there if one.id > number]
    if by == "before":
        return older[-limit:]
    if by == "after":
        return newer[:limit]
    half = limit // 2
    middle = [one for one in there if one.id == number]
    return [*older[len(older) - min(half, len(older)) :], *middle, *newer[: max(0, limit - half - len(middle))]]


def readable(call: Call, message: Message) -> Json:
    """Return the message as the bot may read it: without the intent for message content, only what is for it."""
    told = message.as_json()
    if Intent.MESSAGE_CONTENT in call.portal.intents or message.is_open_to(call.world.bot):
        return told
    return {**told, **HIDDEN}
