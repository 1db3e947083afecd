"""Who can write: accounts of people and bots, and webhooks."""

from dataclasses import dataclass

from tests.stand_ins.discord.snowflakes import Json


@dataclass(eq=False, kw_only=True, repr=False)
class Account:
    id: int
    name: str
    is_bot: bool = False
    is_webhook: bool = False

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    def as_json(self) -> Json:
        looks = {"discriminator": "0000", "avatar": None, "global_name": None if self.is_bot else self.name}
        return {"id": str(self.id), "username": self.name, "bot": self.is_bot, "public_flags": 0, **looks}

    def as_member(self) -> Json:
        """Return the account as a member of a guild, without the user."""
        times = {"joined_at": "2026-01-01T00:00:00+00:00", "premium_since": None}
        state = {"deaf": False, "mute": False, "pending": False, "flags": 0}
        return {"nick": None, "avatar": None, "roles": [], **times, **state}
