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
    # By message: the bot's emoji that may be below it, and whether they certainly are
    _shown: OrderedDict[MessageId, dict[str, bool]] = field(default_factory=OrderedDict)
    _refused_at: dict[str, float] = field(default_factory=dict)  # by channel: when it refused a reaction

    async def mark_message(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        """Show a mark, then take away the one before. After a restart that can only be the first one. Another try goes
        on where this one had no room, so that it does not use up the room again."""
        place = parse_message_id(message)
        if place is None or not self.may_react(place[0]):
            return
        emoji = EMOJI_BY_MARK.get(mark)
        shown = self._shown.setdefault(message, {EMOJI_BY_MARK[MessageMark.RECEIVED]: False} if mark.is_final else {})
        while len(self._shown) > MAX_REMEMBERED_MARKS:
            self._shown.popitem(last=False)
        if emoji and not shown.get(emoji):
            await self.change("PUT", *place, emoji, shown)
            shown[emoji] = True
        for before in [each for each in shown if each != emoji and self.may_react(place[0])]:
            await self.change("DELETE", *place, before, shown)
            del shown[before]

    async def change(self, method: str, channel: str, message: str, emoji: str, shown: dict[str, bool]) -> None:
        lane = f"reactions:{channel}"
        scopes = [PacingScope(lane, self.limit), self.all_calls_scope]
        if not self.api.pacing.has_unreserved_room(lane, scopes):
            raise DeliveryDelayed(SECONDS_UNTIL_ROOM, holds_lane=False)
        shown[emoji] = False  # if the line breaks now, nobody knows
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
