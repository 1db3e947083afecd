"""The taps that still wait for a word: the bot's, if it has one in time; else none, so that the button rests."""

import asyncio
import logging
from collections.abc import Sequence

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryError
from bot.core.messages import Event, InboundMessage, OutboundKind, PlatformId
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient
from channels.telegram.ids import tap_query_in

MOST_UNITS = 200  # what Telegram shows over a chat
ALERT_LENGTH = 60  # what is longer is not read in passing: it stays until it is closed
ACKNOWLEDGEMENT = "ack:"
ANSWER_METHOD = "answerCallbackQuery"  # which names no chat

log = logging.getLogger(__name__)


class PendingTaps:
    """They are kept in memory alone: after a restart it is too late to answer one."""

    def __init__(self, client: TelegramClient, bot: int) -> None:
        self.client = client
        self.bot = bot
        self._waiting: set[str] = set()

    def remember(self, batch: Sequence[Event]) -> list[str]:
        """Remember the taps in a batch, before anybody hears of it; gives them."""
        ids = (tap_query_in(event.id, self.bot) for event in batch if isinstance(event, InboundMessage))
        taps = [id for id in ids if id]
        self._waiting.update(taps)
        return taps

    async def answer_silently(self, taps: Sequence[str]) -> None:
        """Answer those that nobody has found words for."""
        await asyncio.sleep(self.client.timing.tap)
        for id in taps:
            if id in self._waiting:
                self._waiting.discard(id)
                try:
                    await self.client.call(ANSWER_METHOD, lambda bot, id=id: bot.answer_callback_query(id))  # type: ignore[misc]  # id is bound
                except (DeliveryError, OSError) as error:  # too late, most likely; the button stops by itself
                    log.debug(operator_texts.LOG_TAP_NOT_ACKNOWLEDGED, error)

    async def answer(self, part: MessagePart) -> PlatformId | None:
        """Show a notice to the one who tapped, if it is about a tap that still waits, and short enough."""
        message = part.message
        id = tap_query_in(message.reply_to, self.bot)
        if id not in self._waiting or message.kind is not OutboundKind.NOTICE or len(part.text) > MOST_UNITS:
            return None
        assert id
        self._waiting.discard(id)  # whatever becomes of this: the next try is a message
        is_long = len(part.text) > ALERT_LENGTH
        try:
            await self.client.call(
                ANSWER_METHOD, lambda bot: bot.answer_callback_query(id, text=part.text, show_alert=is_long)
            )
        except DeliveryError as error:  # they have waited too long: then it is said in the chat
            log.debug(operator_texts.LOG_TAP_NOT_ANSWERED, error)
            return None
        return PlatformId(f"{ACKNOWLEDGEMENT}{id}")
