"""What the gateway dispatches, to whom, and how much of it one may read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

from tests.stand_ins.discord.messages import HIDDEN
from tests.stand_ins.discord.places import Channel
from tests.stand_ins.discord.snowflakes import Json


class Intent(IntFlag):
    """The intents that the stand-in knows by name."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    DIRECT_MESSAGES = 1 << 12
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT
VALID = (1 << 17) - 1 | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25
# How the application says which privileged intents the developer portal gave it: the flags of a small bot.
APPLICATION_FLAGS = {
    Intent.GUILD_PRESENCES: 1 << 13,
    Intent.GUILD_MEMBERS: 1 << 15,
    Intent.MESSAGE_CONTENT: 1 << 19,
}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `intent` is the one of which a session needs the bit; none is needed if it is 0."""

    name: str
    body: Json
    intent: int = 0
    is_open: bool = True  # whether all of it may be read without the intent for message content
    is_seen: bool = True  # whether the bot may know of it at all

    def body_for(self, intents: int) -> Json:
        if self.is_open or intents & Intent.MESSAGE_CONTENT:
            return self.body
        return {**self.body, **HIDDEN}


def intent_of(name: str) -> int:
    return int(Intent[name])


def event_of(name: str, body: Json, channel: Channel, is_open: bool = True) -> Event:
    """An event in a channel: for whom depends on the channel."""
    kind = "GUILDS" if not name.startswith("MESSAGE") else "GUILD_MESSAGES" if channel.guild else "DIRECT_MESSAGES"
    # Of a deletion there is nothing to hide.
    return Event(name, body, intent_of(kind), is_open or name == "MESSAGE_DELETE", channel.is_seen_by_bot)
