"""What the gateway sends to which bots, and how much of it each may read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

from tests.stand_ins.discord.messages import HIDDEN
from tests.stand_ins.discord.places import Channel
from tests.stand_ins.discord.snowflakes import Json


class Intent(IntFlag):
    """The intents that the stand-in knows."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    DIRECT_MESSAGES = 1 << 12
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT
VALID = (1 << 17) - 1 | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25
# The application's flags for the privileged intents of a small bot.
APPLICATION_FLAGS = {
    Intent.GUILD_PRESENCES: 1 << 13,
    Intent.GUILD_MEMBERS: 1 << 15,
    Intent.MESSAGE_CONTENT: 1 << 19,
}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. A session gets it if it has the bit of `intent`, or if `intent` is 0."""

    name: str
    body: Json
    intent: int = 0
    is_open: bool = True  # whether a bot without the intent for message content may read all of it
    is_seen: bool = True  # whether the bot may know of it

    def body_for(self, intents: int) -> Json:
        if self.is_open or intents & Intent.MESSAGE_CONTENT:
            return self.body
        return {**self.body, **HIDDEN}


def intent_of(name: str) -> int:
    return int(Intent[name])


def event_of(name: str, body: Json, channel: Channel, is_open: bool = True) -> Event:
    """Return an event in a channel. The channel decides who gets it."""
    kind = "GUILDS" if not name.startswith("MESSAGE") else "GUILD_MESSAGES" if channel.guild else "DIRECT_MESSAGES"
    # A deletion has no content to hide.
    return Event(name, body, intent_of(kind), is_open or name == "MESSAGE_DELETE", channel.is_seen_by_bot)
