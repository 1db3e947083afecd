"""Taps that wait for an answer. The bot answers with words if it has some in time, else silently to stop the button."""

import asyncio
import logging
from collections.abc import Sequence

from bot.core.channel import MessagePart
from bot.core.errors import DeliveryError
from bot.core.messages import Event, InboundMessage, OutboundKind, PlatformId
from channels.buttons import ACKNOWLEDGEMENT_PREFIX
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient
from channels.telegram.ids import tap_query_in

MOST_UNITS = 200  # the longest text that Telegram shows over a chat
ALERT_LENGTH = 60  # people cannot read more in passing, so a longer text stays until they close it
ANSWER_METHOD = "answerCallbackQuery"  # this method names no chat

log = logging.getLogger(__name__)


class PendingTaps:
    """The taps that nobody has answered. They are only in memory: after a restart it is too late to answer one."""

    def __init__(self, client: TelegramClient, bot: int) -> None:
        self.client = client
        self.bot = bot
        self._waiting: set[str] = set()

    def remember(self, batch: Sequence[Event]) -> list[str]:
        """Remember the taps in a batch and return their ids. Call this before the batch is published."""
        ids = (tap_query_in(event.id, self.bot) for event in batch if isinstance(event, InboundMessage))
        taps = [id for id in ids if id]
        self._waiting.update(taps)
        return taps

    async def answer_silently(self, taps: Sequence[str]) -> None:
        """Answer the taps that the bot has not answered with words in time."""
        await asyncio.sleep(self.client.timing.tap)
        for id in taps:
            if id in self._waiting:
                self._waiting.discard(id)
                try:
                    await self.client.call(ANSWER_METHOD, lambda bot, id=id: bot.answer_callback_query(id))  # type: ignore[misc]  # id is bound
                except (DeliveryError, OSError) as error:  # probably too late; the button stops by itself
                    log.debug(operator_texts.LOG_TAP_NOT_ACKNOWLEDGED, error)

    async def answer(self, part: MessagePart) -> PlatformId | None:
        """Show a notice to the person who tapped, if their tap still waits and the notice is short enough.

        Return None if the notice has to go into the chat."""
        message = part.message
        id = tap_query_in(message.reply_to, self.bot)
        if id not in self._waiting or message.kind is not OutboundKind.NOTICE or len(part.text) > MOST_UNITS:
            return None
        assert id
        self._waiting.discard(id)  # even if this call fails: the next try is a message
        is_long = len(part.text) > ALERT_LENGTH
        try:
            await self.client.call(
                ANSWER_METHOD, lambda bot: bot.answer_callback_query(id, text=part.text, show_alert=is_long)
            )
        except DeliveryError as error:  # the tap is too old: the notice goes into the chat
            log.debug(operator_texts.LOG_TAP_NOT_ANSWERED, error)
            return None
        return PlatformId(f"{ACKNOWLEDGEMENT_PREFIX}{id}")
