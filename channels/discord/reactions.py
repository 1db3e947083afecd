"""Mark people's messages by a reaction of the bot. The mark before is taken away."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from bot.core.errors import DeliveryDelayed
from bot.core.messages import Address, MessageId, MessageMark
from channels.discord.api import UNKNOWN_MESSAGE_CODE, ClosedByDiscord, DiscordApi, DiscordRefusal
from channels.discord.ids import parse_message_id
from channels.pacing import PacingScope, RateLimit

REACTION_PATH = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me"
EMOJI_BY_MARK = {MessageMark.RECEIVED: "👀", MessageMark.DONE: "✅", MessageMark.FAILED: "❌"}
SECONDS_UNTIL_ROOM = 0.3
SECONDS_WITHOUT_REACTIONS = 3600.0  # after a channel has refused one, until the bot tries there again
MAX_REMEMBERED_MARKS = 1_000


@dataclass
class DiscordReactions:
    api: DiscordApi  # for one short attempt: nothing waits for a reaction
    all_calls_scope: PacingScope
    limit: RateLimit  # of a channel
    _shown: OrderedDict[MessageId, str] = field(default_factory=OrderedDict)  # the bot's emoji below a message
    _refused_at: dict[str, float] = field(default_factory=dict)  # by channel: when it refused a reaction

    async def mark_message(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        """Show a mark, then take the one before away. After a restart that can only be the first one."""
        place = parse_message_id(message)
        if place is None or not self.may_react(place[0]):
            return
        emoji = EMOJI_BY_MARK.get(mark)
        before = self._shown.get(message, EMOJI_BY_MARK[MessageMark.RECEIVED] if mark.is_final else None)
        if emoji and emoji != before:
            await self.change("PUT", *place, emoji)
        if before and before != emoji and self.may_react(place[0]):
            await self.change("DELETE", *place, before)
        self._shown.pop(message, None)
        if emoji:
            self._shown[message] = emoji
        while len(self._shown) > MAX_REMEMBERED_MARKS:
            self._shown.popitem(last=False)

    async def change(self, method: str, channel: str, message: str, emoji: str) -> None:
        lane = f"reactions:{channel}"
        scopes = [PacingScope(lane, self.limit), self.all_calls_scope]
        if not self.api.pacing.has_unreserved_room(lane, scopes):
            raise DeliveryDelayed(SECONDS_UNTIL_ROOM, holds_lane=False)
        try:
            async with self.api.pacing.wait_and_count_call(lane, scopes):
                await self.api.request(method, REACTION_PATH, channel_id=channel, message_id=message, emoji=emoji)
        except ClosedByDiscord:  # most likely without the permission to react; the chat may still be open
            self._refused_at[channel] = asyncio.get_running_loop().time()
        except DiscordRefusal as refusal:
            if method == "PUT" and refusal.code != UNKNOWN_MESSAGE_CODE:
                raise

    def may_react(self, channel: str) -> bool:
        refused_at = self._refused_at.get(channel)
        return refused_at is None or asyncio.get_running_loop().time() - refused_at > SECONDS_WITHOUT_REACTIONS
