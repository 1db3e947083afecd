"""Mark people's messages by a reaction. A bot may have one reaction to a message, from a fixed list of emoji."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.core.errors import ChatClosed, DeliveryDelayed
from bot.core.messages import Address, MessageId, MessageMark
from channels.pacing import CallPacing, PacingScope, RateLimit
from channels.telegram.client import TelegramClient, TelegramRefusal
from channels.telegram.ids import message_number_from_id

EMOJI_BY_MARK = {MessageMark.RECEIVED: "👀", MessageMark.DONE: "👍", MessageMark.FAILED: "👎"}
SECONDS_UNTIL_ROOM = 0.5  # if the bot may make no further calls now
SECONDS_WITHOUT_REACTIONS = 3600.0  # after a chat has refused one, until the bot tries there again
MESSAGE_GONE_WORDS = "message to react not found"


@dataclass
class TelegramReactions:
    client: TelegramClient
    bot_id: int
    pacing: CallPacing
    all_calls_scope: PacingScope
    limit: RateLimit  # of one chat
    _waits: CallPacing = field(default_factory=CallPacing)  # that Telegram asks for: they hold up no message
    _refused_at: dict[str, float] = field(default_factory=dict)  # by chat: when it refused a reaction

    async def mark_message(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        """Show a mark. Raise as `Channel.send`. A wait that Telegram asks for is about reactions in this chat only."""
        chat, number = address.chat, message_number_from_id(message, self.bot_id, address.chat)
        if number is None or not self.may_react(chat):
            return
        emoji, lane = EMOJI_BY_MARK.get(mark), f"reactions:{chat}"
        scopes = [PacingScope(lane, self.limit), self.all_calls_scope]
        if not self.pacing.has_unreserved_room(lane, scopes):
            raise DeliveryDelayed(SECONDS_UNTIL_ROOM, holds_lane=False)
        try:
            async with self.pacing.wait_and_count_call(lane, scopes):
                await self.react(lane, chat, number, emoji)
        except TelegramRefusal as refusal:
            if MESSAGE_GONE_WORDS in refusal.words:
                return
            self._refused_at[chat] = self.pacing.now()
            if mark.is_final and emoji:  # at least the bot does not look as if it were still reading
                await self.react(lane, chat, number, None)
        except ChatClosed:
            if chat.startswith("-"):  # a person who has blocked the bot writes nothing more until that is over
                self._refused_at[chat] = self.pacing.now()

    async def react(self, lane: str, chat: str, number: int, emoji: str | None) -> None:
        seconds = self.client.timing.cosmetic_call_timeout_seconds
        await self.client.call(lane, lambda bot: bot.set_message_reaction(chat, number, emoji), seconds, self._waits)

    def may_react(self, chat: str) -> bool:
        refused_at = self._refused_at.get(chat)
        return refused_at is None or self.pacing.now() - refused_at > SECONDS_WITHOUT_REACTIONS
