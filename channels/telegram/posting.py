"""Send, edit and delete the parts of messages in a chat. Raise an error if the chat does not take them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
)

from bot.core.channel import MessagePart
from bot.core.messages import Address, PlatformId
from channels.buttons import option_ids
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient
from channels.telegram.errors import TelegramRefusal
from channels.telegram.ids import message_number_in
from channels.telegram.rendering import button_label, mark_piece_as_repeat, render_pieces
from channels.telegram.splitting import Piece

T = TypeVar("T")
MessageArguments = dict[str, Any]  # arguments of the library's methods

GENERAL_TOPIC = 1  # a forum's first topic: messages go there without its number, typing needs the number
MAX_BUTTON_BYTES = 64  # of a button's data
MAX_BUTTONS = 100
NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

log = logging.getLogger(__name__)


class TelegramSender:
    def __init__(self, client: TelegramClient, bot: int) -> None:
        self.client = client
        self.bot = bot
        self.forums: set[str] = set()  # chats with topics that have sent something since the start

    async def send(self, part: MessagePart) -> PlatformId:
        message, address = part.message, part.message.address
        number = message_number_in(message.reply_to, self.bot, address.chat) if part.number == 0 else None
        is_general = not address.thread or address.thread == str(GENERAL_TOPIC)
        more: MessageArguments = {
            "message_thread_id": None if is_general else int(address.thread or ""),
            "reply_parameters": ReplyParameters(number, allow_sending_without_reply=True) if number else None,
            "disable_notification": not part.may_ring,
        }
        piece = await asyncio.to_thread(piece_of_part, part)  # usually from the cache

        def place(bot: Bot, shape: MessageArguments) -> Awaitable[Message]:
            return bot.send_message(address.chat, **shape, **more)

        try:
            sent = await self.place_or_place_plain(part, piece, place)
        except TelegramRefusal as refusal:
            if not number or "repl" not in refusal.words:
                raise
            more["reply_parameters"] = None
            sent = await self.place_or_place_plain(part, piece, place)
        return PlatformId(str(sent.message_id))

    async def edit(self, number: int, part: MessagePart) -> None:
        chat, piece = part.message.address.chat, await asyncio.to_thread(piece_of_part, part)
        try:
            await self.place_or_place_plain(
                part,
                piece,
                lambda bot, shape: bot.edit_message_text(chat_id=chat, message_id=number, **shape),
            )
        except TelegramRefusal as refusal:
            if "message is not modified" not in refusal.words:  # "not modified" means that it reads as we want already
                raise

    async def place_or_place_plain(
        self, part: MessagePart, piece: Piece, place: Callable[[Bot, MessageArguments], Awaitable[T]]
    ) -> T:
        """Place the piece. If Telegram refuses its entities, place its plain text."""
        lane, cosmetic = part.message.address.chat, part.message.kind.is_cosmetic
        seconds = self.client.timing.cosmetic if cosmetic else self.client.timing.call
        try:
            return await self.client.call(lane, lambda bot: place(bot, message_arguments(part, piece)), seconds)
        except TelegramRefusal as refusal:
            if "entit" not in refusal.words:
                raise
            log.warning(operator_texts.LOG_ENTITIES_REFUSED, part.message.id, refusal)
            return await self.client.call(
                lane, lambda bot: place(bot, message_arguments(part, Piece(piece.text))), seconds
            )

    async def delete(self, address: Address, number: int) -> None:
        """Delete a message. Ignore that it is gone already, or too old to be deleted."""
        try:
            await self.client.call(address.chat, lambda bot: bot.delete_message(address.chat, number))
        except TelegramRefusal as refusal:
            if "message" not in refusal.words:
                raise

    async def show_typing(self, address: Address) -> None:
        general = GENERAL_TOPIC if address.chat in self.forums else None
        thread = int(address.thread) if address.thread else general
        await self.client.call(
            address.chat,
            lambda bot: bot.send_chat_action(address.chat, "typing", message_thread_id=thread),
            self.client.timing.cosmetic,
        )


def piece_of_part(part: MessagePart) -> Piece:
    pieces = render_pieces(part.message)
    piece = pieces[min(part.number, len(pieces) - 1)]
    return mark_piece_as_repeat(piece) if part.may_repeat else piece


def message_arguments(part: MessagePart, piece: Piece) -> MessageArguments:
    """Return the arguments that sending and editing have in common."""
    rows = keyboard_rows(part)
    return {
        "text": piece.text,
        "entities": [
            MessageEntity(type=each.type, offset=each.offset, length=each.length, url=each.url, language=each.language)
            for each in piece.entities
        ],
        "link_preview_options": NO_PREVIEW,
        "reply_markup": InlineKeyboardMarkup(rows) if rows else None,
    }


def keyboard_rows(part: MessagePart) -> Sequence[Sequence[InlineKeyboardButton]]:
    """Return a row of buttons for each option. Return no rows if they do not fit: the text has the options as well."""
    message = part.message
    carried = option_ids(message)
    if not part.is_last or len(carried) > MAX_BUTTONS or any(len(each.encode()) > MAX_BUTTON_BYTES for each in carried):
        return ()
    words = (button_label(option, number) for number, option in enumerate(message.options, 1))
    return [[InlineKeyboardButton(word, callback_data=each)] for word, each in zip(words, carried, strict=True)]
