"""What people said in a server's channel before the bot was addressed there for the first time in this run. Later talk
comes by itself."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from bot.core.errors import DeliveryError
from bot.core.messages import InboundMessage, OverheardMessage
from channels.discord import operator_texts
from channels.discord.api import MESSAGES_PATH, DiscordApi, message_id_or_zero
from channels.discord.ids import MALFORMED_DATA_ERRORS, JsonObject
from channels.discord.locations import ChannelLocation
from channels.discord.message_reader import DiscordMessageReader, is_by_own_webhook

MESSAGES_BEFORE = "50"

log = logging.getLogger(__name__)


@dataclass
class RecentTalk:
    api: DiscordApi  # for one short attempt: the message waits for it
    _read_channels: set[str] = field(default_factory=set)

    def forget(self) -> None:
        """Read again where the bot is addressed next: something may have been missed."""
        self._read_channels.clear()

    async def read_before(
        self, raw: JsonObject, place: ChannelLocation, reader: DiscordMessageReader
    ) -> list[OverheardMessage]:
        """Return what was said since the bot last spoke there, if this is a server's first message for the bot. Return
        nothing if the bot may not read the history, or Discord does not answer."""
        channel = place.channel_id
        if place.guild_id is None or channel in self._read_channels:
            return []
        if not isinstance(reader.read_message(raw, place), InboundMessage):
            return []
        query = {"before": raw["id"], "limit": MESSAGES_BEFORE}
        try:
            page = await self.api.request("GET", MESSAGES_PATH, params=query, channel_id=channel)
        except OSError as error:
            log.debug(operator_texts.LOG_NO_TALK, channel, error)
            return []
        except DeliveryError as error:
            log.debug(operator_texts.LOG_NO_TALK, channel, error)
            page = []
        self._read_channels.add(channel)
        return talk_since_bot(page if isinstance(page, list) else [], place, reader)


def talk_since_bot(page: list[object], place: ChannelLocation, reader: DiscordMessageReader) -> list[OverheardMessage]:
    found: list[OverheardMessage] = []
    for item in sorted(page, key=message_id_or_zero):
        try:
            if not isinstance(item, dict):
                continue
            if item["author"]["id"] == reader.bot_id or is_by_own_webhook(item, reader.bot_id):
                found.clear()
            elif isinstance(read := reader.read_message(item, place), OverheardMessage):
                found.append(read)
        except MALFORMED_DATA_ERRORS:  # nobody waits for an answer to it
            continue
    return found
