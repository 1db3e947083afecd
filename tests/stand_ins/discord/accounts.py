"""Who can write: accounts of people and bots, and webhooks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.stand_ins.discord.snowflakes import Json

if TYPE_CHECKING:
    from tests.stand_ins.discord.places import Channel


@dataclass(eq=False, kw_only=True, repr=False)
class Account:
    id: int
    name: str
    is_bot: bool = False
    is_webhook: bool = False
    locale: str = "en-US"  # of the account's app; Discord tells it with interactions only

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    def as_json(self) -> Json:
        looks = {"discriminator": "0000", "avatar": None, "global_name": None if self.is_bot else self.name}
        return {"id": str(self.id), "username": self.name, "bot": self.is_bot, "public_flags": 0, **looks}

    def as_member(self) -> Json:
        """Return the account as a member of a guild, without the user and its roles there."""
        times = {"joined_at": "2026-01-01T00:00:00+00:00", "premium_since": None}
        state = {"deaf": False, "mute": False, "pending": False, "flags": 0}
        return {"nick": None, "avatar": None, **times, **state}


@dataclass(eq=False, kw_only=True, repr=False)
class Webhook(Account):
    """A webhook with a token. `application` is the bot's id, or None if a person made it."""

    channel: Channel
    token: str
    application: int | None
    picture: bytes | None = None

    def as_json(self) -> Json:
        return {**super().as_json(), "avatar": self.picture_hash}

    @property
    def picture_hash(self) -> str | None:
        return None if self.picture is None else hashlib.md5(self.picture, usedforsecurity=False).hexdigest()

    def as_hook_json(self, *, with_token: bool) -> Json:
        assert self.channel.guild
        told: Json = {"id": str(self.id), "type": 1, "name": self.name, "avatar": self.picture_hash}
        told |= {"channel_id": str(self.channel.id), "guild_id": str(self.channel.guild.id)}
        told["application_id"] = None if self.application is None else str(self.application)
        return {**told, "token": self.token} if with_token else told
