"""Answer taps and slash commands.

Discord wants an answer within three seconds. So we acknowledge at once, and answer with words later if there are some.
Only the person who tapped or typed sees these words.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryError
from bot.core.messages import InboundKind, InboundMessage, MessageId, PlatformId, QuestionId
from channels.discord import operator_texts, people_texts
from channels.discord.api import SUPPRESS_EMBEDS_FLAG, DiscordApi, DiscordRefusal
from channels.discord.fields import MalformedDiscordData, read_id_field, read_object_field, read_text_field
from channels.discord.ids import (
    MALFORMED_DATA_ERRORS,
    TAP_ID_MARKER,
    JsonObject,
    make_message_id,
    stored_id_of_message,
    time_of_snowflake,
)
from channels.discord.locales import MenuByLocale, say_in_locale
from channels.discord.locations import PRIVATE_THREAD_TYPE, THREAD_CHANNEL_TYPES, ChannelLocation
from channels.discord.memberships import is_admin_by_permissions
from channels.discord.message_contents import list_files_of_command
from channels.discord.message_reader import DiscordMessageReader, may_answer_in
from channels.discord.slash_commands import ASK_COMMAND, text_of_command
from channels.discord.timing import DiscordTiming
from channels.discord.uploads import attachments_of_part, open_uploads
from channels.formatting import repeat_mark
from channels.outgoing import upload_seconds

CALLBACK_PATH = "/interactions/{interaction_id}/{webhook_token}/callback"
WEBHOOK_PATH = "/webhooks/{webhook_id}/{webhook_token}"
# Discord's numbers for the kinds of interactions
COMMAND_INTERACTION_TYPE, TAP_INTERACTION_TYPE, CHOICE_INTERACTION_TYPE = 2, 3, 4
# Discord's numbers for the kinds of answers
MESSAGE_ANSWER_TYPE, DEFERRED_MESSAGE_ANSWER_TYPE, DEFERRED_UPDATE_ANSWER_TYPE, CHOICES_ANSWER_TYPE = 4, 5, 6, 8
EPHEMERAL_FLAG = 1 << 6  # only the person who asked sees it

ALREADY_ANSWERED_CODE = 40060
INTERACTION_TOKEN_SECONDS = 14.5 * 60  # a little less than the time in which Discord accepts answers
NOTHING_MORE: JsonObject = {}
HAS_ARRIVED, NOT_IN_THIS_CHANNEL = people_texts.HAS_ARRIVED, people_texts.NOT_IN_THIS_CHANNEL
CHOICE_PATTERN = re.compile(r"\d+|[a-z-]+(\.\d+)?")

log = logging.getLogger(__name__)


def read_interaction(raw: JsonObject, reader: DiscordMessageReader) -> InboundMessage | None:
    """Return a tap or a command as a message, or None for other interactions. The words of /ask are an ordinary message
    for the bot, which nobody else sees. Raise like `read_message`."""
    if raw.get("type") not in (COMMAND_INTERACTION_TYPE, TAP_INTERACTION_TYPE):
        return None
    is_question = raw["type"] == COMMAND_INTERACTION_TYPE and (raw.get("data") or {}).get("name") == ASK_COMMAND
    chosen, id = read_object_field(raw, "data"), read_id_field(raw, "id")
    place = location_of_interaction(raw)
    guild = place.guild_id
    person = read_object_field(read_object_field(raw, "member") if guild else raw, "user")
    sender = reader.read_sender(person, raw.get("member"), guild)
    address, is_tap = place.address_for_person(sender.id), raw["type"] == TAP_INTERACTION_TYPE
    if is_tap:  # `2:t7/4/0` is the second option of that question, `stop.2:t7:board` a button of that board
        text, colon, question = read_text_field(chosen, "custom_id").partition(":")
        if not (CHOICE_PATTERN.fullmatch(text) and colon and question):
            raise MalformedDiscordData(operator_texts.FOREIGN_BUTTON)
    else:  # `/stop researcher`
        text = text_of_command(read_text_field(chosen, "name"), chosen.get("options") or [])
        question = None
    if is_tap:
        about = reader.threads.find_answered_request(address, raw.get("message")) if guild else None
    elif is_question:
        about = None
    else:
        about = reader.threads.find_request_of_command(address, sender.id, text)
    return InboundMessage(
        id=make_message_id(reader.bot_id, TAP_ID_MARKER, id),
        address=about or address,
        sender=sender,
        language=str(raw.get("locale") or ""),
        kind=InboundKind.ANSWER if is_tap else InboundKind.TEXT if is_question else InboundKind.COMMAND,
        text=text,
        question=QuestionId(question) if question else None,
        reply_to=read_tapped_message_id(raw) if is_tap else None,
        group_chat=guild,
        files=() if is_tap else tuple(list_files_of_command(chosen)),
        is_answered_privately=True,
        is_unseen_by_others=is_question,
        is_from_chat_admin=is_admin_by_permissions(raw.get("member")),
        sent_at=time_of_snowflake(id),
    )


def location_of_interaction(raw: JsonObject) -> ChannelLocation:
    channel = read_object_field(raw, "channel")
    guild = read_id_field(raw, "guild_id") if raw.get("guild_id") else None
    parent = read_id_field(channel, "parent_id") if channel.get("type") in THREAD_CHANNEL_TYPES else None
    return ChannelLocation(
        channel_id=read_id_field(raw, "channel_id"),
        guild_id=guild,
        parent_channel_id=parent,
        is_private_thread=channel.get("type") == PRIVATE_THREAD_TYPE,
    )


def is_elsewhere(raw: object, answer_in: frozenset[str]) -> bool:
    """Return True for a tap or a command in a channel where the settings do not let the bot answer."""
    if not answer_in or not isinstance(raw, dict):
        return False
    try:
        return not may_answer_in(location_of_interaction(raw), answer_in)
    except MALFORMED_DATA_ERRORS:  # it is set aside later
        return False


def read_tapped_message_id(raw: JsonObject) -> PlatformId:
    tapped = read_object_field(raw, "message")
    return stored_id_of_message({**tapped, "id": read_id_field(tapped, "id")})


class AnswerState(Enum):
    OPEN = auto()
    DEFERRED = auto()  # acknowledged; a command shows that an answer is to come
    ANSWERED = auto()


@dataclass(slots=True, kw_only=True)
class PendingInteraction:
    """A tap or command that we may still answer with words that only its person sees."""

    path_parameters: dict[str, str] = field(repr=False)  # for the paths of requests; the token is secret
    is_tap: bool
    locale: str  # of the person's app
    received_at: float  # by the loop's clock
    answer_state: AnswerState = AnswerState.OPEN
    tried_answer_types: set[int] = field(default_factory=set)  # kinds of answers that were sent
    answer_lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # one answer at a time
    possibly_sent_texts: set[str] = field(default_factory=set)  # texts that may be there already


@dataclass
class PendingInteractions:
    api: DiscordApi
    timing: DiscordTiming
    menus: MenuByLocale = field(default_factory=dict)
    _pending: dict[MessageId, PendingInteraction] = field(default_factory=dict)

    def remember_interaction(self, raw: JsonObject, message: InboundMessage) -> PendingInteraction:
        """Remember what we need for an answer. Raise like `read_message`."""
        now = asyncio.get_running_loop().time()
        known = self._pending.items()
        self._pending = {id: one for id, one in known if now - one.received_at < INTERACTION_TOKEN_SECONDS}
        ids = {"interaction_id": read_id_field(raw, "id"), "webhook_id": read_id_field(raw, "application_id")}
        ids["webhook_token"] = read_text_field(raw, "token")
        self._pending[message.id] = pending = PendingInteraction(
            path_parameters=ids, is_tap=raw["type"] == TAP_INTERACTION_TYPE, locale=message.language, received_at=now
        )
        return pending

    async def refuse(self, raw: object) -> None:
        """Say to the person alone that the bot does not answer in this channel; offer no choices there."""
        assert isinstance(raw, dict), "the caller has looked"
        is_typing = raw.get("type") == CHOICE_INTERACTION_TYPE
        channel, locale = location_of_interaction(raw).channel_id, str(raw.get("locale") or "")
        said = say_in_locale(locale, self.menus, NOT_IN_THIS_CHANNEL, channel=channel)
        body: JsonObject = {"type": MESSAGE_ANSWER_TYPE, "data": answer_body(said)}
        body = {"type": CHOICES_ANSWER_TYPE, "data": {"choices": []}} if is_typing else body
        try:
            ids = {"interaction_id": read_id_field(raw, "id"), "webhook_token": read_text_field(raw, "token")}
            await self.api.request("POST", CALLBACK_PATH, body=body, **ids)
        except (*MALFORMED_DATA_ERRORS, DeliveryError, OSError) as error:
            log.debug(operator_texts.LOG_NOT_ACKNOWLEDGED, error)

    async def acknowledge_and_finish_if_unanswered(self, pending: PendingInteraction) -> None:
        """Acknowledge at once. A command then shows that an answer will come, so finish it soon, with any text."""
        await self.run_step_logging_errors(pending, self.defer_answer)
        if not pending.is_tap:
            due = pending.received_at + self.timing.seconds_to_finish_command
            await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
            await self.run_step_logging_errors(pending, self.finish_deferred_answer_with_default_text)

    async def run_step_logging_errors(self, pending: PendingInteraction, step: Callable[..., Awaitable[None]]) -> None:
        async with pending.answer_lock:
            try:
                await step(pending)
            except (DeliveryError, OSError) as error:
                log.debug(operator_texts.LOG_NOT_ACKNOWLEDGED, error)

    async def defer_answer(self, pending: PendingInteraction) -> None:
        if pending.answer_state is not AnswerState.OPEN or MESSAGE_ANSWER_TYPE in pending.tried_answer_types:
            return  # an answer with words was tried already, and will be tried again
        if pending.is_tap:
            await self.send_callback(pending, DEFERRED_UPDATE_ANSWER_TYPE)
        else:
            await self.send_callback(pending, DEFERRED_MESSAGE_ANSWER_TYPE, {"flags": EPHEMERAL_FLAG})
        pending.answer_state = AnswerState.DEFERRED

    async def finish_deferred_answer_with_default_text(self, pending: PendingInteraction) -> None:
        if pending.answer_state is AnswerState.DEFERRED:
            # These words are also true for people who may not use the bot.
            said = say_in_locale(pending.locale, self.menus, HAS_ARRIVED)
            await self.replace_answer(pending, said)
            pending.answer_state = AnswerState.ANSWERED

    async def try_to_answer_and_get_interaction_id(self, id: MessageId, part: MessagePart) -> str | None:
        """Answer with the words and files of a part. Return the interaction's id, or None if it can no longer be
        answered. Raise like `Channel.send` if the caller may try again."""
        pending = self._pending.get(id)
        if pending is None or asyncio.get_running_loop().time() - pending.received_at > INTERACTION_TOKEN_SECONDS:
            return None
        async with pending.answer_lock:
            try:
                if part.files:  # they come after words
                    await self.add_files(pending, part)
                else:
                    await self.send_or_replace_answer(pending, part.text)
            except DiscordRefusal as refusal:
                log.debug(operator_texts.LOG_ANSWERED_BY_MESSAGE, refusal)
                return None
            pending.answer_state = AnswerState.ANSWERED
        return pending.path_parameters["interaction_id"]

    async def send_or_replace_answer(self, pending: PendingInteraction, content: str) -> None:
        if pending.answer_state is AnswerState.OPEN:
            try:
                return await self.send_callback(pending, MESSAGE_ANSWER_TYPE, answer_body(content))
            except DiscordRefusal as refusal:
                if refusal.code != ALREADY_ANSWERED_CODE:
                    raise
            pending.answer_state = AnswerState.DEFERRED  # an earlier call has arrived after all
        # Replace the answer to a command, or our own words. After a deferred tap, that would replace the message with
        # the button.
        if pending.answer_state is AnswerState.DEFERRED and not (
            pending.is_tap and DEFERRED_UPDATE_ANSWER_TYPE in pending.tried_answer_types
        ):
            return await self.replace_answer(pending, content)
        await self.add_answer(pending, content, self.api.in_one_attempt())

    async def add_files(self, pending: PendingInteraction, part: MessagePart) -> None:
        with open_uploads(part) as files:
            api = self.api.with_files(files, upload_seconds(part, self.api.attempt_timeout_seconds))
            await self.add_answer(pending, part.text, api.in_one_attempt(), attachments_of_part(part))

    async def add_answer(
        self, pending: PendingInteraction, content: str, api: DiscordApi, more: JsonObject = NOTHING_MORE
    ) -> None:
        """Add words. Discord does not recognize their repeats, so mark words that may be a repeat."""
        said = repeat_mark() + content if content in pending.possibly_sent_texts else content
        try:
            body, ids = {**answer_body(said), **more}, pending.path_parameters
            await api.request("POST", WEBHOOK_PATH, body=body, **ids)
        except OSError:
            pending.possibly_sent_texts.add(content)
            raise

    async def send_callback(self, pending: PendingInteraction, kind: int, content: JsonObject | None = None) -> None:
        pending.tried_answer_types.add(kind)
        body = {"type": kind, "data": content} if content else {"type": kind}
        await self.api.request("POST", CALLBACK_PATH, body=body, **pending.path_parameters)

    async def replace_answer(self, pending: PendingInteraction, content: str) -> None:
        """Replace the existing answer with words. It is safe to repeat this."""
        path, body = f"{WEBHOOK_PATH}/messages/@original", answer_body(content, 0)
        await self.api.request("PATCH", path, body=body, **pending.path_parameters)


def answer_body(content: str, visible: int = EPHEMERAL_FLAG) -> JsonObject:
    return {"content": content, "flags": visible | SUPPRESS_EMBEDS_FLAG, "allowed_mentions": {"parse": []}}
