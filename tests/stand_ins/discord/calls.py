"""One call of REST, as its endpoint gets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.stand_ins.discord.accounts import Account
from tests.stand_ins.discord.bodies import Body, read
from tests.stand_ins.discord.errors import form
from tests.stand_ins.discord.events import APPLICATION_FLAGS, PRIVILEGED, Intent
from tests.stand_ins.discord.limits import Limits
from tests.stand_ins.discord.messages import Flag
from tests.stand_ins.discord.places import Channel
from tests.stand_ins.discord.records import Answer, Request
from tests.stand_ins.discord.snowflakes import Json
from tests.stand_ins.discord.world import World

BIGGEST = 1 << 63


@dataclass(kw_only=True)
class Portal:
    """What the developer portal knows of the application."""

    token: str
    owner: Account
    intents: Intent = Intent.MESSAGE_CONTENT  # the privileged intents that are switched on
    public: bool = True

    @property
    def flags(self) -> int:
        return sum(bit for intent, bit in APPLICATION_FLAGS.items() if intent in self.intents & PRIVILEGED)


@dataclass(frozen=True, kw_only=True)
class Call:
    request: Request
    world: World
    limits: Limits
    portal: Portal
    gateway_url: str

    @property
    def body(self) -> Json:
        return self.request.body

    def id(self, name: str) -> int:
        """Return an id of the path. Raise Discord's error if it is not a number."""
        return snowflake(self.request.ids[name], f"{name}_id")

    @property
    def channel(self) -> Channel:
        return self.world.channel_of(self.id("channel"))

    def message_body(self, settable: Flag | None, body: Json | None = None) -> Body:
        """Return the checked body. `settable` are the flags that it may set. None: ignore others, as in an edit."""
        return read(self.body if body is None else body, self.request.files, settable)


Endpoint = Callable[[Call], Answer]


def snowflake(given: object, where: str) -> int:
    if not str(given).isdecimal() or int(str(given)) >= BIGGEST:
        raise form(where, "NUMBER_TYPE_COERCE", f'Value "{given}" is not snowflake.')
    return int(str(given))
