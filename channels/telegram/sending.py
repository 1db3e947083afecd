"""Send, edit and delete the parts of messages in a chat, and answer taps."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import telegram
from telegram import Bot, InlineKeyboardButton, LinkPreviewOptions, Message, MessageEntity, ReplyParameters

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryError
from bot.core.messages import Address, InboundEvent, InboundMessage, OutboundKind, PlatformId
from channels.formatting import ACKNOWLEDGEMENT_ID_PREFIX, Button, button_rows_of_board, buttons_of_message, role_label
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient, TelegramRefusal
from channels.telegram.ids import callback_query_id_of_tap, make_stored_id, message_number_from_id, split_stored_id
from channels.telegram.rendering import FormattedText, button_label, mark_text_as_repeat, render_message_parts
from channels.telegram.uploads import FileUploads, render_pieces
from channels.telegram.voices import VOICE_REFUSALS, TelegramVoices

T = TypeVar("T")
MessageArguments = dict[str, Any]  # arguments of the library's methods

MAX_TAP_ANSWER_LENGTH = 200  # characters that Telegram shows over a chat
# People cannot read more in passing, so a longer text stays until they close it.
MAX_TAP_ANSWER_LENGTH_WITHOUT_ALERT = 60
ANSWER_TAP_METHOD_NAME = "answerCallbackQuery"  # this method names no chat
GENERAL_TOPIC_NUMBER = 1  # a forum's first topic: messages go there without its number, typing needs the number
MAX_BUTTON_DATA_BYTES = 64  # of a button's data
MAX_BUTTONS = 100
NO_LINK_PREVIEW = LinkPreviewOptions(is_disabled=True)

log = logging.getLogger(__name__)


@dataclass
class TelegramSender:
    client: TelegramClient
    bot_id: int
    voices: TelegramVoices = field(default_factory=TelegramVoices)
    forum_chats: set[str] = field(default_factory=set)  # chats with topics that have sent something since the start
    # The taps that nobody has answered: only in memory, because after a restart it is too late to answer one.
    _waiting: set[str] = field(default_factory=set)

    async def send(self, part: MessagePart) -> PlatformId:
        if voice := self.voices.voice_for_message(part.message):
            try:
                return make_stored_id(await self.send_by(voice.client, part), voice.bot_id)
            except VOICE_REFUSALS as refusal:
                self.voices.leave_to_bot(voice, part.message, refusal)
        return make_stored_id(await self.send_by(self.client, part))

    async def send_by(self, client: TelegramClient, part: MessagePart) -> list[int]:
        """Send a part and return the numbers of its messages."""
        message, address = part.message, part.message.address
        number = message_number_from_id(message.reply_to, self.bot_id, address.chat) if part.number == 0 else None
        is_general = not address.thread or address.thread == str(GENERAL_TOPIC_NUMBER)
        more: MessageArguments = {
            "message_thread_id": None if is_general else int(address.thread or ""),
            "reply_parameters": ReplyParameters(number, allow_sending_without_reply=True) if number else None,
            "disable_notification": not part.may_ring,
        }
        try:
            return await self.place_part(client, part, more)
        except TelegramRefusal as refusal:
            if not number or "repl" not in refusal.words:
                raise
            return await self.place_part(client, part, {**more, "reply_parameters": None})

    async def place_part(self, client: TelegramClient, part: MessagePart, more: MessageArguments) -> list[int]:
        if part.files:
            return await FileUploads(self.show_activity).send(client, part, more)
        message, address = part.message, part.message.address
        piece = await asyncio.to_thread(formatted_text_of_part, part)  # usually from the cache
        # A new board waits for its answer, and nothing waits for it: if that came too late, there would be two boards.
        is_quick = message.kind.is_cosmetic and message.kind is not OutboundKind.BOARD

        def place(bot: Bot, shape: MessageArguments) -> Awaitable[Message]:
            return bot.send_message(address.chat, **shape, **more)

        sent = await self.show_with_plain_text_fallback(client, part, piece, place, is_quick=is_quick)
        return [sent.message_id]

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        """Edit a part. Raise DeliveryError if a voice has sent it that cannot speak there any more."""
        [number, *_], voice = split_stored_id(id)
        client = self.voices.client_of_bot(voice) if voice else self.client
        if client is None:
            raise DeliveryError(operator_texts.VOICE_NOT_SET)
        chat, piece = part.message.address.chat, await asyncio.to_thread(formatted_text_of_part, part)

        def place(bot: Bot, shape: MessageArguments) -> Awaitable[object]:
            return bot.edit_message_text(chat_id=chat, message_id=number, **shape)

        try:
            is_quick = part.message.kind.is_cosmetic
            await self.show_with_plain_text_fallback(client, part, piece, place, is_quick=is_quick)
        except VOICE_REFUSALS as refusal:
            raise DeliveryError(str(refusal)) if voice else refusal from None
        except TelegramRefusal as refusal:
            if "message is not modified" not in refusal.words:  # it is already as we want it
                raise

    async def show_with_plain_text_fallback(
        self,
        client: TelegramClient,
        part: MessagePart,
        piece: FormattedText,
        place: Callable[[Bot, MessageArguments], Awaitable[T]],
        *,
        is_quick: bool = False,
    ) -> T:
        """Place the piece. If Telegram refuses its entities, place its plain text."""
        lane, timing = part.message.address.chat, self.client.timing
        seconds = timing.cosmetic_call_timeout_seconds if is_quick else timing.call_timeout_seconds
        try:
            return await client.call(lane, lambda bot: place(bot, message_arguments(part, piece)), seconds)
        except TelegramRefusal as refusal:
            if "entit" not in refusal.words:
                raise
            log.warning(operator_texts.LOG_ENTITIES_REFUSED, part.message.id, refusal)
            plain = message_arguments(part, FormattedText(piece.text))
            return await client.call(lane, lambda bot: place(bot, plain), seconds)

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Delete a message. Ignore it if it is gone already, too old to be deleted, or of a voice that cannot."""
        numbers, voice = split_stored_id(id)
        client = self.voices.client_of_bot(voice) or self.client
        for number in numbers:
            try:
                await client.call(address.chat, lambda bot, number=number: bot.delete_message(address.chat, number))  # type: ignore[misc]  # number is bound
            except TelegramRefusal as refusal:
                if "message" not in refusal.words:
                    raise
            except VOICE_REFUSALS:
                if client is self.client:
                    raise

    async def show_typing(self, address: Address) -> None:
        await self.show_activity(address, "typing")

    async def show_activity(self, address: Address, action: str) -> None:
        general = GENERAL_TOPIC_NUMBER if address.chat in self.forum_chats else None
        thread = int(address.thread) if address.thread else general
        await self.client.call(
            address.chat,
            lambda bot: bot.send_chat_action(address.chat, action, message_thread_id=thread),
            self.client.timing.cosmetic_call_timeout_seconds,
        )

    def remember_unanswered_taps(self, batch: Sequence[InboundEvent]) -> list[str]:
        """Remember the taps in a batch and return their ids. Call this before the batch is published."""
        ids = (callback_query_id_of_tap(event.id, self.bot_id) for event in batch if isinstance(event, InboundMessage))
        taps = [id for id in ids if id]
        self._waiting.update(taps)
        return taps

    async def answer_remaining_taps_after_wait(self, taps: Sequence[str]) -> None:
        """Answer the taps that the bot has not answered with words in time."""
        await asyncio.sleep(self.client.timing.tap_answer_wait_seconds)
        for id in taps:
            if id in self._waiting:
                self._waiting.discard(id)
                try:
                    await self.client.call(ANSWER_TAP_METHOD_NAME, lambda bot, id=id: bot.answer_callback_query(id))  # type: ignore[misc]  # id is bound
                except (DeliveryError, OSError) as error:  # probably too late; the button stops by itself
                    log.debug(operator_texts.LOG_TAP_NOT_ACKNOWLEDGED, error)

    async def try_to_send_as_tap_answer(self, part: MessagePart) -> PlatformId | None:
        """Show a short notice to the person whose tap still waits. Return None if the notice must go into the chat."""
        message = part.message
        id = callback_query_id_of_tap(message.reply_to, self.bot_id)
        is_whole = part.number == 0 and len(part.text) <= MAX_TAP_ANSWER_LENGTH  # the rest belongs below its beginning
        if id not in self._waiting or message.kind is not OutboundKind.NOTICE or not is_whole:
            return None
        assert id
        self._waiting.discard(id)  # even if this call fails: the next try is a message
        words, is_long = part.text, len(part.text) > MAX_TAP_ANSWER_LENGTH_WITHOUT_ALERT
        try:
            await self.client.call(ANSWER_TAP_METHOD_NAME, lambda bot: bot.answer_callback_query(id, words, is_long))
        except DeliveryError as error:  # the tap is too old: the notice goes into the chat
            log.debug(operator_texts.LOG_TAP_NOT_ANSWERED, error)
            return None
        return PlatformId(f"{ACKNOWLEDGEMENT_ID_PREFIX}{id}")

    async def try_to_react(self, part: MessagePart) -> PlatformId | None:
        """Show a notice as a reaction to the message it replies to. Return None if it must go into the chat in words:
        there is no such message, or the chat permits no such reaction."""
        message, chat = part.message, part.message.address.chat
        number = message_number_from_id(message.reply_to, self.bot_id, chat)
        if message.reaction is None or number is None:
            return None
        emoji = str(message.reaction)
        try:
            await self.client.call(chat, lambda bot: bot.set_message_reaction(chat, number, emoji))
        except TelegramRefusal as refusal:
            log.debug(operator_texts.LOG_NO_REACTION, refusal)
            return None
        return PlatformId(f"{ACKNOWLEDGEMENT_ID_PREFIX}{number}")


def formatted_text_of_part(part: MessagePart) -> FormattedText:
    message = part.message
    pieces = [each.text for each in render_pieces(message)] if message.files else render_message_parts(message)
    piece = pieces[min(part.number, len(pieces) - 1)]
    return mark_text_as_repeat(piece, role_label(part.message)) if part.may_be_shown_already else piece


def message_arguments(part: MessagePart, piece: FormattedText) -> MessageArguments:
    """Return the arguments that sending and editing have in common."""
    rows = keyboard_rows(part)
    return {
        "text": piece.text,
        "entities": [MessageEntity(**asdict(each)) for each in piece.entities],
        "link_preview_options": NO_LINK_PREVIEW,
        "reply_markup": telegram.InlineKeyboardMarkup(rows) if rows else None,
    }


def keyboard_rows(part: MessagePart) -> Sequence[Sequence[InlineKeyboardButton]]:
    """Return a row of buttons for each option; the buttons of a board share rows. Return no rows if they do not fit:
    the text has the options as well, and commands do what a board's buttons do."""
    buttons = buttons_of_message(part.message)
    has_long_id = any(len(each.id.encode()) > MAX_BUTTON_DATA_BYTES for each in buttons)
    if not part.is_last or has_long_id or len(buttons) > MAX_BUTTONS:
        return ()
    if part.message.kind is OutboundKind.BOARD:
        return [[make_button(each, each.label) for each in row] for row in button_rows_of_board(part.message)]
    return [[make_button(each, button_label(each.label, number))] for number, each in enumerate(buttons, 1)]


def make_button(button: Button, label: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(label, callback_data=button.id)
