"""Webhooks of a channel: make, list and change them, and write, edit and delete with their tokens."""

from __future__ import annotations

import base64
import binascii
import re

from tests.stand_ins.discord.accounts import Webhook
from tests.stand_ins.discord.bodies import SENT
from tests.stand_ins.discord.calls import Call, snowflake
from tests.stand_ins.discord.conversation import edited, message_from
from tests.stand_ins.discord.errors import form, length, refusal
from tests.stand_ins.discord.messages import Message
from tests.stand_ins.discord.places import Channel, Permission
from tests.stand_ins.discord.records import Answer

MOST_IN_CHANNEL = 15
LONGEST_NAME = 80
FORBIDDEN_IN_NAMES = ("clyde", "discord")
FORBIDDEN_NAMES = ("everyone", "here")
PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,(.+)", re.DOTALL)
BEGINNINGS = {"png": (b"\x89PNG\r\n\x1a\n",), "jpeg": (b"\xff\xd8\xff",), "gif": (b"GIF87a", b"GIF89a")}


def manageable_channel(call: Call) -> Channel:
    """Return the channel. Raise what Discord answers if it has no webhooks, or if the bot may not manage them."""
    channel = call.channel
    if channel.guild is None:
        raise refusal(50003)
    if channel.kind.is_thread:
        raise refusal(50024)
    if not channel.may(Permission.MANAGE_WEBHOOKS):
        raise refusal(50013)
    return channel


def list_webhooks(call: Call) -> Answer:
    channel, own = manageable_channel(call), call.world.bot.id
    found = [one for one in call.world.webhooks.values() if one.channel is channel]
    return Answer(body=[one.as_hook_json(with_token=one.application == own) for one in found])


def create_webhook(call: Call) -> Answer:
    channel, world = manageable_channel(call), call.world
    name, picture = checked_name(call.body.get("name"), "name"), checked_picture(call.body.get("avatar"))
    if sum(one.channel is channel for one in world.webhooks.values()) >= MOST_IN_CHANNEL:
        raise refusal(30007)
    made = world.add_webhook(channel, name, world.bot.id, picture)
    return Answer(body=made.as_hook_json(with_token=True))


def get_webhook(call: Call) -> Answer:
    hook = call.world.webhooks.get(call.id("webhook"))
    if hook is None:
        raise refusal(10015)
    is_own = hook.application == call.world.bot.id
    if not is_own and not hook.channel.may(Permission.MANAGE_WEBHOOKS):
        raise refusal(50013)
    return Answer(body=hook.as_hook_json(with_token=is_own))


def change_webhook(call: Call) -> Answer:
    hook = call.world.webhooks.get(call.id("webhook"))
    if hook is None:
        raise refusal(10015)
    if not hook.channel.may(Permission.MANAGE_WEBHOOKS):
        raise refusal(50013)
    name = checked_name(call.body["name"], "name") if "name" in call.body else hook.name
    picture = checked_picture(call.body["avatar"]) if "avatar" in call.body else hook.picture
    hook.name, hook.picture = name, picture
    return Answer(body=hook.as_hook_json(with_token=hook.application == call.world.bot.id))


def execute(call: Call) -> Answer:
    """Post a message in the webhook's channel or in one of its threads. A webhook needs no right of the bot, has no
    nonces, and replies to nothing."""
    hook = hook_of(call)
    channel = channel_written_to(call, hook)
    name = checked_name(call.body["username"], "username") if call.body.get("username") else hook.name
    body = call.message_body(SENT, {key: value for key, value in call.body.items() if key != "nonce"})
    if body.is_empty:
        raise refusal(50006)
    message = message_from(call, channel, body)
    message.author, message.shown_name, message.nonce = hook, name, None
    posted = call.world.post(message, body.pings)
    return Answer(body=posted.as_json()) if call.request.query.get("wait") in ("1", "true") else Answer(status=204)


def hook_of(call: Call) -> Webhook:
    """Return the webhook of the path. Raise 10015 if it is gone, 50027 if the token is another's."""
    hook = call.world.webhooks.get(call.id("webhook"))
    if hook is None:
        raise refusal(10015)
    if hook.token != call.request.ids["hook"]:
        raise refusal(50027)
    return hook


def channel_written_to(call: Call, hook: Webhook) -> Channel:
    thread = call.request.query.get("thread_id")
    if thread is None:
        return hook.channel
    found = call.world.channels.get(snowflake(thread, "thread_id"))
    if found is None or found.parent is not hook.channel:
        raise refusal(10003)
    return found


def message_of_hook(call: Call) -> Message:
    hook = hook_of(call)
    found = call.world.message_of(channel_written_to(call, hook), call.id("message"))
    if found.author is not hook:
        raise refusal(10008)
    return found


def get_hook_message(call: Call) -> Answer:
    return Answer(body=message_of_hook(call).as_json())


def edit_hook_message(call: Call) -> Answer:
    message = message_of_hook(call)
    if message.channel.is_archived:
        raise refusal(50083)
    return Answer(body=edited(call, message).as_json())


def delete_hook_message(call: Call) -> Answer:
    call.world.delete(message_of_hook(call))
    return Answer(status=204)


def checked_name(given: object, where: str) -> str:
    if not isinstance(given, str) or not 1 <= len(given.strip()) <= LONGEST_NAME:
        raise length(where, 1, LONGEST_NAME)
    for word in FORBIDDEN_IN_NAMES:
        if word in given.casefold():
            raise form(where, "USERNAME_INVALID_CONTAINS", f'Username cannot contain "{word}"')
    if given.strip().casefold() in FORBIDDEN_NAMES:
        raise form(where, "USERNAME_INVALID_EQUALS", f'Username cannot be "{given.strip()}"')
    return given.strip()


def checked_picture(given: object) -> bytes | None:
    if given is None:
        return None
    found = PICTURE.fullmatch(given) if isinstance(given, str) else None
    try:
        picture = base64.b64decode(found[2], validate=True) if found else b""
    except binascii.Error:
        picture = b""
    if not found or not picture.startswith(BEGINNINGS[found[1]]):
        raise form("avatar", "BASE_TYPE_IMAGE_INVALID", "Invalid image data")
    return picture
