"""Voices: each role speaks under its own name and picture, by a webhook of the channel.

A webhook has one picture, and Discord takes pictures of webhooks only as data or from a public address. So a role with
a picture has a webhook of its own in each channel, and all other roles share one; so does a role for whose webhook no
place is left. If there is no place for the shared one either, a role's own becomes it. Its name tells which it is, so
it is found again after a restart. The stored id of a message that a webhook has sent names the webhook: only with its
token the message can be edited or deleted.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from bot.core.channel import GetRolePicture, MessagePart
from bot.core.errors import ChatClosed, DeliveryDelayed, DeliveryError
from bot.core.messages import Address, OutboundMessage, PlatformId, RoleName, role_display_name
from bot.core.picture_types import picture_type
from channels.discord import operator_texts
from channels.discord.api import (
    ARCHIVED_THREAD_CODE,
    MISSING_PERMISSIONS_CODE,
    ClosedByDiscord,
    DiscordApi,
    DiscordRefusal,
    extract_answer_id,
)
from channels.discord.ids import JsonObject, make_webhook_message_id, split_webhook_message_id
from channels.discord.locations import ChannelDirectory, is_private_chat
from channels.discord.uploads import open_uploads
from channels.outgoing import upload_seconds

CHANNEL_WEBHOOKS_PATH = "/channels/{channel_id}/webhooks"
WEBHOOK_PATH = "/webhooks/{webhook_id}"
EXECUTE_PATH = f"{WEBHOOK_PATH}/{{webhook_token}}"
WEBHOOK_MESSAGE_PATH = f"{EXECUTE_PATH}/messages/{{message_id}}"
UNKNOWN_WEBHOOK_CODE, INVALID_WEBHOOK_TOKEN_CODE = 10015, 50027
GONE_WEBHOOK_CODES = (UNKNOWN_WEBHOOK_CODE, INVALID_WEBHOOK_TOKEN_CODE)
NO_PLACE_CODE = 30007  # the channel has all the webhooks that it may have
REFUSED_PICTURE_CODES = (50045, 50046, 50138)  # too large a file, no picture, or one that Discord cannot make smaller
SHARED_WEBHOOK_NAME = "Roles"  # of the roles without a picture
EVERY_WEBHOOK = "*"
DIGEST_SEPARATOR = " · "  # in a webhook's name, before the digest of its picture
DIGEST_LENGTH = 6
MAX_NAME_LENGTH = 80
WORDS_REFUSED_IN_NAMES = ("clyde", "discord")
SECONDS_WITHOUT_VOICE = 600.0  # after a webhook was refused, or was deleted: the bot speaks meanwhile
SECONDS_AFTER_TROUBLE = 60.0  # the same after Discord failed, or wanted no more requests

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    id: str
    token: str = field(repr=False)


@dataclass
class RoleVoices:
    """The voices of one bot. If `has_label` is False, what a webhook sends does not begin with the role's label."""

    api: DiscordApi
    quick_api: DiscordApi  # for what messages must not wait for long
    directory: ChannelDirectory
    get_picture: GetRolePicture
    has_label: bool = True
    now: Callable[[], float] = time.monotonic
    _webhooks: dict[tuple[str, str], Webhook] = field(default_factory=dict)  # by channel and the webhook's name
    _tokens: dict[str, str] = field(default_factory=dict, repr=False)  # by the webhook's id
    _locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))  # by channel
    _retry_at: dict[tuple[str, str], float] = field(default_factory=dict)  # when to look for a webhook again
    _shares: set[tuple[str, str]] = field(default_factory=set)  # those whose roles use the shared one until then
    _name_refused_until: dict[str, float] = field(default_factory=dict)  # by the role's name

    def text_of_part(self, part: MessagePart) -> str:
        """Return the text of a part as a webhook sends it."""
        assert part.message.role, "only a role has a voice"
        return (
            part.text
            if self.has_label
            else part.text.removeprefix(f"[{role_display_name(part.message.role)}]:").lstrip()
        )

    async def try_to_send(self, part: MessagePart, body: JsonObject, bot: str) -> PlatformId | None:
        """Send a part by its role's webhook. Return None if the bot has to speak. Raise like a request."""
        message = part.message
        if not can_have_voice(message):
            return None
        assert message.role, "only a role has a voice"
        title = role_display_name(message.role)
        if self.now() < self._name_refused_until.get(title, 0.0):
            return None
        try:
            channel = await self.directory.find_webhook_channel_id(message.address)
        except (DeliveryError, OSError):
            return None  # the bot will hear the same
        name = webhook_name(title, self.get_picture(message.role))
        webhook = await self.find_or_make_webhook(channel, name, message.role, bot)
        if webhook is None and (channel, name) in self._shares:
            name = SHARED_WEBHOOK_NAME
            webhook = await self.find_or_make_webhook(channel, name, message.role, bot)
        if webhook is None:
            return None
        body = {**body, "content": self.text_of_part(part), "username": title}
        query = {"wait": "true", **thread_query(message.address)}
        try:
            # It has no nonce: if the outcome is unknown, the courier searches the history before it sends again.
            ids = {"webhook_id": webhook.id, "webhook_token": webhook.token}
            api, seconds = self.api.in_one_attempt(), upload_seconds(part, self.api.attempt_timeout_seconds)
            with open_uploads(part) as files:
                uploading = api.with_files(files, seconds)
                answer = await uploading.request("POST", EXECUTE_PATH, body=body, params=query, **ids)
            return make_webhook_message_id(extract_answer_id(answer), webhook.id)
        except OSError as error:
            self.leave_to_bot(channel, name, error, SECONDS_AFTER_TROUBLE)
            raise
        except DeliveryDelayed as delay:  # nothing was said, and the bot has a limit of its own
            self.leave_to_bot(channel, name, delay, max(delay.seconds, SECONDS_AFTER_TROUBLE))
        except (ClosedByDiscord, DiscordRefusal) as refusal:
            if refusal_names_field(refusal, "username"):
                log.info(operator_texts.LOG_NO_VOICE, title, channel, refusal)
                self._name_refused_until[title] = self.now() + SECONDS_WITHOUT_VOICE
            elif refusal.code in (*GONE_WEBHOOK_CODES, MISSING_PERMISSIONS_CODE):
                self.leave_to_bot(channel, name, refusal)
            elif not (isinstance(refusal, ClosedByDiscord) or refusal.code == ARCHIVED_THREAD_CODE):
                raise
            elif not message.address.thread:  # otherwise it is about the thread: the bot will hear the same there
                self.leave_to_bot(channel, name, refusal)
        return None

    async def edit(self, id: PlatformId, part: MessagePart, body: JsonObject) -> None:
        api = self.quick_api if part.message.is_cosmetic else self.api
        await self.request_message(api, "PATCH", id, part.message.address, {**body, "content": self.text_of_part(part)})

    async def delete(self, address: Address, id: PlatformId) -> bool:
        """Delete a message of a webhook. Return False if the webhook is gone."""
        try:
            await self.request_message(self.api, "DELETE", id, address)
        except DiscordRefusal as refusal:
            if refusal.code not in GONE_WEBHOOK_CODES:
                raise
            return False
        return True

    async def request_message(
        self, api: DiscordApi, method: str, id: PlatformId, address: Address, body: Any = None
    ) -> None:
        message, webhook = split_webhook_message_id(id)
        assert webhook, "a webhook has sent it"
        if webhook not in self._tokens:
            found = await api.request("GET", WEBHOOK_PATH, webhook_id=webhook)
            self._tokens[webhook] = extract_answer_id(found, "token")
        ids = {"webhook_id": webhook, "webhook_token": self._tokens[webhook], "message_id": message}
        await api.request(method, WEBHOOK_MESSAGE_PATH, body=body, params=thread_query(address), **ids)

    async def find_or_make_webhook(self, channel: str, name: str, role: RoleName, bot: str) -> Webhook | None:
        """Return the webhook of that name in a channel. Return None if there is none and none could be made lately.
        Raise NotDelivered if Discord is out of reach. If it is unknown whether one was made, it is found later."""
        async with self._locks[channel]:  # a channel and its threads are lanes of their own
            if (channel, name) in self._webhooks or self.is_left_to_bot(channel, name):
                return self._webhooks.get((channel, name))
            try:
                found = await self.fetch_or_make_webhook(channel, name, role, bot)
            except (OSError, DeliveryDelayed) as trouble:  # what is to be said must not wait for it
                delay = trouble.seconds if isinstance(trouble, DeliveryDelayed) else 0.0
                self.leave_to_bot(channel, EVERY_WEBHOOK, trouble, max(delay, SECONDS_AFTER_TROUBLE))
                return None
            except ChatClosed as refusal:  # no role has a voice there
                self.leave_to_bot(channel, EVERY_WEBHOOK, refusal)
                return None
            except DiscordRefusal as refusal:
                self.leave_to_bot(channel, name, refusal)
                if name != SHARED_WEBHOOK_NAME and refuses_place_or_picture(refusal):
                    self._shares.add((channel, name))
                return None
            for key in [key for key, known in self._webhooks.items() if known.id == found.id]:
                del self._webhooks[key]  # it had another picture, and so another name
            self._webhooks[channel, name] = found
            self._tokens[found.id] = found.token
            return found

    async def fetch_or_make_webhook(self, channel: str, name: str, role: RoleName, bot: str) -> Webhook:
        there = await self.quick_api.request("GET", CHANNEL_WEBHOOKS_PATH, channel_id=channel)
        if not isinstance(there, list):
            raise ConnectionError(operator_texts.NOT_DISCORD)
        objects = (each for each in there if isinstance(each, dict))
        own = [each for each in objects if each.get("application_id") == bot and each.get("token")]
        if same := next((each for each in own if each.get("name") == name), None):
            return read_webhook(same)
        picture = b"" if name == SHARED_WEBHOOK_NAME else self.get_picture(role)
        looks = {"name": name, "avatar": picture_as_data(picture)}
        title = name.rpartition(DIGEST_SEPARATOR)[0]
        former = (each for each in own if title and str(each.get("name")).rpartition(DIGEST_SEPARATOR)[0] == title)
        changed = next(former, None)  # the role has another picture now
        if changed is None:
            try:
                made = await self.quick_api.request("POST", CHANNEL_WEBHOOKS_PATH, body=looks, channel_id=channel)
                return read_webhook(made)
            except DiscordRefusal as refusal:
                if refusal.code != NO_PLACE_CODE or name != SHARED_WEBHOOK_NAME or not own:
                    raise
                changed = own[0]  # of one role, which from now on shares it with the others
        await self.quick_api.request("PATCH", WEBHOOK_PATH, body=looks, webhook_id=extract_answer_id(changed))
        return read_webhook(changed)

    def is_left_to_bot(self, channel: str, name: str) -> bool:
        now = self.now()
        if not self.directory.may_manage_webhooks(channel):
            return True
        return any(now < self._retry_at.get((channel, each), 0.0) for each in (name, EVERY_WEBHOOK))

    def leave_to_bot(self, channel: str, name: str, why: Exception, seconds: float = SECONDS_WITHOUT_VOICE) -> None:
        """Let the bot speak in place of a webhook for a while."""
        log.info(operator_texts.LOG_NO_VOICE, name, channel, why)
        self._webhooks.pop((channel, name), None)
        self._shares.discard((channel, name))
        self._retry_at[channel, name] = self.now() + seconds


def can_have_voice(message: OutboundMessage) -> bool:
    """Return True if a webhook could send a message. In private chats there are none, and they reply to nothing."""
    if not message.role or message.reply_to or is_private_chat(message.address):
        return False
    title = role_display_name(message.role)
    return len(title) <= MAX_NAME_LENGTH and not any(word in title.casefold() for word in WORDS_REFUSED_IN_NAMES)


@lru_cache(maxsize=64)
def webhook_name(title: str, picture: bytes) -> str:
    if not picture:
        return SHARED_WEBHOOK_NAME
    ending = DIGEST_SEPARATOR + hashlib.sha256(picture).hexdigest()[:DIGEST_LENGTH]
    return title[: MAX_NAME_LENGTH - len(ending)] + ending


def picture_as_data(picture: bytes) -> str | None:
    if not picture:
        return None
    return f"data:{picture_type(picture)};base64,{base64.b64encode(picture).decode()}"


def read_webhook(raw: JsonObject) -> Webhook:
    return Webhook(id=extract_answer_id(raw), token=extract_answer_id(raw, "token"))


def thread_query(address: Address) -> dict[str, str]:
    return {"thread_id": address.thread} if address.thread else {}


def refuses_place_or_picture(refusal: DiscordRefusal) -> bool:
    return refusal.code in (NO_PLACE_CODE, *REFUSED_PICTURE_CODES) or refusal_names_field(refusal, "avatar")


def refusal_names_field(refusal: Exception, name: str) -> bool:
    return isinstance(refusal, DiscordRefusal) and name in refusal.invalid_fields
